package cli

import (
	"sync"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/sql/functions"
)

// progressLine says how far the fits of a statement are: the line of the command fit,
// which goes before a result comes.
type progressLine struct {
	begin func(stage string) *render.Progress

	mu    sync.Mutex
	line  *render.Progress // nil: there is none
	stage string
}

func (p *progressLine) functions() functions.Progress {
	return functions.Progress{
		Reading: func(rows int) { p.say("reading", "%d rows", rows) },
		Fitting: func(it fit.Iteration, restarts int) {
			sayIteration(func(format string, args ...any) { p.say("fitting", format, args...) }, it, restarts)
		},
		Trying: func(ended, of int) { p.say("trying", "%d of %d fits", ended, of) },
	}
}

func (p *progressLine) say(stage, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line != nil && p.stage != stage {
		p.line.End()
		p.line = nil
	}
	if p.line == nil {
		p.line, p.stage = p.begin(stage), stage
	}
	p.line.Say(format, args...)
}

func (p *progressLine) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line != nil {
		p.line.End()
		p.line = nil
	}
}
