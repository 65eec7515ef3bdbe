package fit

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A Host runs algorithms: in the process of a plugin (host.Process), or in
// this one (Here). Both give the same bits.
type Host interface {
	// Bind binds the named algorithm to a problem and its rows, which must stay
	// open as long as the session. Faults of the algorithm's New arrive as they are.
	Bind(ctx context.Context, algorithm string, p framework.Problem, rows *matrix.Data) (Session, error)
	// Close ends what runs.
	Close() error
}

// An Expecter is a Host that can make ready for rows before it is given any.
type Expecter interface {
	// Expect says how many rows of how many columns Bind is about to be called for, and the path of the file that
	// has them (matrix.Builder.Path), in which they may still change; without one, they are being read. It returns when
	// all is ready, or when ctx is cancelled. It changes time and memory, and no result.
	Expect(ctx context.Context, rows, columns int, path string)
}

// A Session is an algorithm bound to a problem and its rows.
type Session interface {
	// Plan is that of the clusterer.
	Plan() framework.Plan
	// Clusterer returns the algorithm for single steps, with the optional
	// interfaces that it implements.
	Clusterer() framework.Clusterer
	// Fit is Run, where the algorithm is.
	Fit(ctx context.Context, start Start, s Settings, progress func(Iteration)) (*Result, error)
	// Driven reports whether this process runs, or has run, the driver of Fit.
	Driven() bool
	// Calls returns how often each call to another process was made, by name.
	Calls() map[string]int
	// Err returns the first error of a call that could not return one.
	Err() error
	// Close frees what is kept for the session.
	Close() error
}

// Here returns a Host that runs the algorithms in this process.
func Here(algorithms ...framework.Algorithm) Host {
	h := here{}
	for _, a := range algorithms {
		h[a.Describe().Name] = a
	}
	return h
}

type here map[string]framework.Algorithm // by name

func (h here) Close() error { return nil }

func (h here) Bind(_ context.Context, name string, p framework.Problem, rows *matrix.Data) (Session, error) {
	a, ok := h[name]
	if !ok {
		return nil, framework.Faultf(framework.Usage, "algorithm-not-found", "there is no algorithm %q here", name)
	}
	c, err := a.New(p)
	if err != nil {
		return nil, err
	}
	return hereSession{c, p, rows}, nil
}

type hereSession struct {
	c    framework.Clusterer
	p    framework.Problem
	rows *matrix.Data
}

func (s hereSession) Plan() framework.Plan           { return s.c.Plan() }
func (s hereSession) Clusterer() framework.Clusterer { return s.c }
func (s hereSession) Driven() bool                   { return true }
func (s hereSession) Calls() map[string]int          { return nil }
func (s hereSession) Err() error                     { return nil }
func (s hereSession) Close() error                   { return nil }

func (s hereSession) Fit(ctx context.Context, start Start, st Settings, progress func(Iteration)) (*Result, error) {
	return Run(ctx, s.c, s.p, s.rows, start, st, progress)
}
