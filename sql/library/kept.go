package library

import (
	"context"
	"errors"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// Kept are the processes of plugins that stay from one fit to the next. The zero value
// has none.
type Kept struct {
	mu      sync.Mutex
	running map[string]fit.Host // by plugin
}

// Library returns a library whose algorithms run in processes that are kept until Close.
func (k *Kept) Library(l Library) Library {
	all := l
	all.Algorithms = nil
	for _, a := range l.Algorithms {
		start, name := a.Host, a.Plugin+"\x00"+a.SHA256
		if a.Plugin == "" {
			name = a.Name
		}
		a.Host = func(ctx context.Context) (fit.Host, error) {
			h := &lent{kept: k, name: name, start: start}
			_, err := h.process(ctx)
			return h, err
		}
		all.Algorithms = append(all.Algorithms, a)
	}
	return all
}

// Close ends the processes.
func (k *Kept) Close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var err error
	for _, h := range k.running {
		err = errors.Join(err, h.Close())
	}
	k.running = nil
	return err
}

// lent is a kept process for the time of one fit. Closing it closes what the fit has
// opened there.
type lent struct {
	kept  *Kept
	name  string
	start func(context.Context) (fit.Host, error)

	mu   sync.Mutex
	open []fit.Session
}

// process returns the process, started if it does not run, or no longer.
func (l *lent) process(ctx context.Context) (fit.Host, error) {
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	h := l.kept.running[l.name]
	if ends, ok := h.(interface{ Ended() bool }); h != nil && (!ok || !ends.Ended()) {
		return h, nil
	}
	if h != nil {
		_ = h.Close()
	}
	h, err := l.start(ctx)
	if err != nil {
		delete(l.kept.running, l.name)
		return nil, err
	}
	if l.kept.running == nil {
		l.kept.running = map[string]fit.Host{}
	}
	l.kept.running[l.name] = h
	return h, nil
}

// Bind implements fit.Host.
func (l *lent) Bind(ctx context.Context, algorithm string, p framework.Problem, rows *matrix.Data) (fit.Session, error) {
	h, err := l.process(ctx)
	if err != nil {
		return nil, err
	}
	s, err := h.Bind(ctx, algorithm, p, rows)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = append(l.open, s)
	return s, nil
}

// Close implements fit.Host.
func (l *lent) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for _, s := range l.open {
		err = errors.Join(err, s.Close())
	}
	l.open = nil
	return err
}
