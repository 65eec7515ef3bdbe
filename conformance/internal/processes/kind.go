package processes

import (
	"context"
	"sync"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/sets"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// kind is one kind of sets of the process.
type kind struct {
	*Holder
	ctx context.Context
	d   framework.SetDescription

	mu   sync.Mutex
	open []*host.Set
}

// Sets returns one kind of sets of the process.
func (h *Holder) Sets(ctx context.Context, d framework.SetDescription) sets.Kind {
	k := &kind{Holder: h, ctx: ctx, d: d}
	return sets.Kind{Description: d, Make: k.served}
}

// mostOpen is how many sets of a kind are kept open, more than any case needs.
const mostOpen = 16

// served makes sets in the process.
func (k *kind) served(rows []framework.ConstraintRow, clusters int, columns []framework.Column) (framework.Set, error) {
	process, err := k.running(k.ctx)
	if err != nil {
		panic(judge.Trouble{Err: err})
	}
	set, err := k.make(process, rows, clusters, columns)
	if err != nil {
		return nil, err
	}
	return set, nil
}

// make opens a set, and closes the oldest one when too many are open.
func (k *kind) make(
	process *host.Process, rows []framework.ConstraintRow, clusters int, columns []framework.Column,
) (*host.Set, error) {
	set, err := process.OpenSet(k.ctx, k.d.Kind, rows, clusters, columns)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open = append(k.open, set); len(k.open) > mostOpen {
		_ = k.open[0].Close()
		k.open = k.open[1:]
	}
	return set, nil
}
