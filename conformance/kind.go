package conformance

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// kind is one kind of sets of the process.
type kind struct {
	*holder
	ctx context.Context
	d   framework.SetDescription

	mu   sync.Mutex
	open []*host.Set
}

// mostOpen is how many sets of a kind are kept open, more than any case needs.
const mostOpen = 16

// target is the kind as a target for the laws of sets.
func (k *kind) target() SetTarget {
	return targetOf(k.d, func(rows []framework.ConstraintRow, columns []framework.Column) (framework.Set, error) {
		process, err := k.running(k.ctx)
		if err != nil {
			panic(trouble{err})
		}
		set, err := k.make(process, rows, columns)
		if err != nil {
			return nil, err
		}
		return set, nil
	})
}

// CheckKind checks the laws of constraint sets in this process, on sets like the
// Example of the kind's description.
func CheckKind(ctx context.Context, k framework.SetKind, o Options) (*Report, error) {
	d := k.Describe()
	if err := d.Check(); err != nil {
		return nil, err
	}
	return CheckSet(ctx, targetOf(d, func(rows []framework.ConstraintRow, columns []framework.Column) (framework.Set, error) {
		return k.Make(rows, framework.ExampleClusters, columns)
	}), o)
}

// targetOf makes a kind a target for the laws of sets, which are checked on sets
// like the description's Example. A case for which the kind makes no set is
// skipped.
func targetOf(d framework.SetDescription, makes func([]framework.ConstraintRow, []framework.Column) (framework.Set, error)) SetTarget {
	draw := func(r *rand.Rand, _, _ int) framework.Set {
		set, err := makes(like(d, r))
		if f := framework.AsFault(err); f != nil && f.Class == framework.Data { // not every kind takes other features or units
			set, err = makes(d.Example, framework.ExampleColumns())
		}
		if err != nil {
			panic(failure{"its Example makes no set: " + said(err)})
		}
		return set
	}
	return SetTarget{Name: d.Kind, Rows: framework.ExampleClusters, Cols: len(framework.ExampleColumns()), New: draw}
}

// make opens a set, and closes the oldest one when too many are open.
func (k *kind) make(process *host.Process, rows []framework.ConstraintRow, columns []framework.Column) (*host.Set, error) {
	set, err := process.OpenSet(k.ctx, k.d.Kind, rows, framework.ExampleClusters, columns)
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

// like returns the Example's rows with features, clusters and columns rotated, and
// columns of other scales: powers of 2, which cause no rounding.
func like(d framework.SetDescription, r *rand.Rand) ([]framework.ConstraintRow, []framework.Column) {
	rows, columns := slices.Clone(d.Example), framework.ExampleColumns()
	if r.IntN(3) == 0 {
		return rows, columns
	}
	features, clusters := r.Perm(len(columns)), r.Perm(framework.ExampleClusters)
	for i := range rows {
		if c := rows[i].Cluster; c != nil {
			rows[i].Cluster = new(clusters[*c])
		}
		if f := rows[i].Feature; f != nil {
			l := slices.IndexFunc(columns, func(c framework.Column) bool { return c.Name == *f })
			rows[i].Feature = new(columns[features[l]].Name)
		}
	}
	for l := range columns {
		columns[l].Scale = []float64{0.5, 1, 2, 4}[r.IntN(4)]
	}
	return rows, columns
}

// said is the text of an error, with the details of a Fault.
func said(err error) string {
	f := framework.AsFault(err)
	if f == nil || len(f.Details) == 0 {
		return err.Error()
	}
	return err.Error() + ": " + strings.Join(f.Render(nil).Details, "; ")
}
