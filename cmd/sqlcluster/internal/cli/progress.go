package cli

import (
	"fmt"
	"sync"
	"time"
)

const (
	// quietTime is how long a stage may last before anything is said of it.
	quietTime = 2 * time.Second
	// logTime is the time between two lines where there is no terminal.
	logTime = 30 * time.Second
	// redrawTime is the time between two changes of the line on a terminal.
	redrawTime = 100 * time.Millisecond
)

// progress is one line that changes on a terminal, and elsewhere a line from
// time to time.
type progress struct {
	a        *app
	stage    string
	terminal bool
	mu       sync.Mutex
	next     time.Time
	drawn    bool
}

func (a *app) progress(stage string) *progress {
	return &progress{a: a, stage: stage, terminal: isTerminal(a.err), next: time.Now().Add(quietTime)}
}

// say shows the state of the stage, if it is time to.
func (p *progress) say(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.a.settings.quiet || now.Before(p.next) {
		return
	}
	line := p.stage + ": " + fmt.Sprintf(format, args...)
	if p.terminal {
		_, _ = fmt.Fprintf(p.a.err, "\r\x1b[K%s", line)
		p.drawn, p.next = true, now.Add(redrawTime)
		return
	}
	_, _ = fmt.Fprintln(p.a.err, line)
	p.next = now.Add(logTime)
}

// end removes the line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		_, _ = fmt.Fprint(p.a.err, "\r\x1b[K")
		p.drawn = false
	}
}
