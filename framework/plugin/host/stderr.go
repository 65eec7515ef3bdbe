package host

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
)

// Bounds on what is kept of a plugin's output.
const (
	keptLines  = 8   // last lines of standard error
	keptWords  = 4   // lines quoted in a Fault
	keptLength = 400 // bytes of a line
)

// words takes the text that a process writes, and keeps its last lines and the
// first lines of the last panic, which a stack trace of any length may follow. It
// never blocks, unless copy does.
type words struct {
	copy io.Writer // gets everything; nil: nothing does

	mu      sync.Mutex
	line    []byte   // the unfinished line, up to keptLength
	last    []string // last non-empty lines
	panic   []string // the last panic
	inPanic bool     // lines still belong to panic
	inStack bool     // lines belong to a stack trace, and are not for users
}

// Write implements io.Writer and returns no error.
func (w *words) Write(text []byte) (int, error) {
	if w.copy != nil {
		_, _ = w.copy.Write(text) // a host that cannot log goes on
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for rest := text; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		room := keptLength - len(w.line)
		w.line = append(w.line, line[:min(room, len(line))]...)
		if ended {
			w.add(string(w.line))
			w.line = w.line[:0]
		}
		rest = after
	}
	return len(text), nil
}

// add keeps a whole line. The Go runtime ends a panic's message with an empty
// line, and so the stack of each goroutine.
func (w *words) add(line string) {
	line = strings.TrimRight(line, "\r\t ")
	if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
		if !w.inPanic {
			w.panic = nil
		}
		w.inPanic = true
	}
	if strings.HasPrefix(line, "runtime/cgo: ") { // registers follow
		w.panic = []string{line}
	}
	if line == "" || strings.HasPrefix(line, "goroutine ") {
		w.inPanic, w.inStack = false, line != ""
	}
	if line == "" || w.inStack {
		return
	}
	if w.inPanic && len(w.panic) < keptWords {
		w.panic = append(w.panic, line)
	}
	if w.last = append(w.last, line); len(w.last) > keptLines {
		w.last = slices.Delete(w.last, 0, 1)
	}
}

// lastWords returns the lines to quote: the panic, or else the last lines.
func (w *words) lastWords() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.panic) > 0 {
		return slices.Clone(w.panic)
	}
	last := slices.Clone(w.last)
	if len(w.line) > 0 {
		last = append(last, string(w.line))
	}
	return last[max(0, len(last)-keptWords):]
}

// panicked reports whether a panic was written.
func (w *words) panicked() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.panic) > 0
}
