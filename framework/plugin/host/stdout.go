package host

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

const (
	// maxChatter is how much a plugin may print before its handshake, in bytes;
	// a program that prints more is something else.
	maxChatter = 16 << 20
	// maxLine bounds the line of the handshake, in bytes.
	maxLine = 16 << 10
)

// handshakeLine is go-plugin's line: its own version, the version of the
// protocol, network, address, and more.
var handshakeLine = regexp.MustCompile(`^(\d+)\|(\d+)\|(unix|tcp)\|[^|]+(\||$)`)

// A handshake is what a process printed on its standard output until it was ready.
type handshake struct {
	mu            sync.Mutex
	found         bool
	core, version int
	chatter       []string // first lines that are not the handshake
	flooded       bool     // more than maxChatter of them
}

// pass reads a process's standard output to its end. It writes the line of the
// handshake to dst and nothing else, and closes dst if none can come any more.
func (h *handshake) pass(dst *io.PipeWriter, src io.Reader) {
	r := bufio.NewReaderSize(src, maxLine)
	for size := 0; size < maxChatter; {
		line, err := r.ReadSlice('\n')
		size += len(line)
		if text, ok := h.take(line); ok {
			_, _ = io.WriteString(dst, text+"\n") // nobody reads once the launch was given up
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			_ = dst.Close()
			return
		}
	}
	h.mu.Lock()
	h.flooded = !h.found
	h.mu.Unlock()
	if !h.found {
		_ = dst.Close()
	}
	_, _ = io.Copy(io.Discard, r) // so that printing never blocks the plugin
}

// take returns the line if it is the handshake, and notes it if not.
func (h *handshake) take(line []byte) (string, bool) {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if m := handshakeLine.FindSubmatch(line); m != nil {
		h.found = true
		h.core, _ = strconv.Atoi(string(m[1])) // 0 when it overflows: no such version
		h.version, _ = strconv.Atoi(string(m[2]))
		return string(line), true
	}
	if len(line) > 0 && len(h.chatter) < keptWords {
		h.chatter = append(h.chatter, string(line[:min(len(line), keptLength)]))
	}
	return "", false
}

// seen returns what is known so far: whether the handshake was found, its
// versions, and the first lines of anything else.
func (h *handshake) seen() (found bool, core, version int, chatter []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.found, h.core, h.version, slices.Clone(h.chatter)
}
