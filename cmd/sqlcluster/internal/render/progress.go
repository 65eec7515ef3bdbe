package render

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	// quietTime is how long a stage lasts before its progress is shown.
	quietTime = 2 * time.Second
	// logTime is the time between two lines without a terminal.
	logTime = 30 * time.Second
	// redrawTime is the time between two changes of the line on a terminal.
	redrawTime = 100 * time.Millisecond
)

// Progress is one line that changes on a terminal, and elsewhere a line from time
// to time.
type Progress struct {
	w        io.Writer
	stage    string
	terminal bool
	mu       sync.Mutex
	next     time.Time
	drawn    bool
	halted   string // why, as it was last said
}

// NewProgress begins a stage, whose progress is written to w.
func NewProgress(w io.Writer, stage string) *Progress {
	return &Progress{w: w, stage: stage, terminal: isTerminal(w), next: time.Now().Add(quietTime)}
}

// Say shows the state of the stage, if it is time to.
func (p *Progress) Say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Before(p.next) {
		return
	}
	p.write(now, fmt.Sprintf(format, args...))
}

// Halt shows why the stage does not go on, at once, but the same only from time to time.
func (p *Progress) Halt(why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if why == p.halted && now.Before(p.next) {
		return
	}
	p.halted = why
	p.write(now, Safe(why))
}

// write writes the line.
func (p *Progress) write(now time.Time, state string) {
	line := p.stage + ": " + state
	if p.terminal {
		fmt.Fprintf(p.w, "\r\x1b[K%s", line)
		p.drawn, p.next = true, now.Add(redrawTime)
		return
	}
	fmt.Fprintln(p.w, line)
	p.next = now.Add(logTime)
}

// End removes the line.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}
