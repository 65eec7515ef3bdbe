package conformance

import (
	"context"
	"fmt"
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

// makes is how a kind makes sets, wherever it is.
type makes func(rows []framework.ConstraintRow, clusters int, columns []framework.Column) (framework.Set, error)

// served makes sets in the process.
func (k *kind) served(rows []framework.ConstraintRow, clusters int, columns []framework.Column) (framework.Set, error) {
	process, err := k.running(k.ctx)
	if err != nil {
		panic(trouble{err})
	}
	set, err := k.make(process, rows, clusters, columns)
	if err != nil {
		return nil, err
	}
	return set, nil
}

// CheckKind checks the laws of kinds of constraint sets, and those of sets, on sets like
// the Example of the kind's description.
func CheckKind(ctx context.Context, k framework.SetKind, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	d := k.Describe()
	if err := d.Check(); err != nil {
		return nil, err
	}
	return newReport("set "+d.Kind, d.Version, o, kindVerdicts(ctx, subjectKind{d, k.Make}, o)), nil
}

// kindVerdicts checks the laws of a kind, and of its sets.
func kindVerdicts(ctx context.Context, k subjectKind, o Options) []Verdict {
	return slices.Concat(checkLaws(ctx, kindLaws, k, o), checkLaws(ctx, setLaws, k.target(), o))
}

// A subjectKind is a kind to be checked.
type subjectKind struct {
	d    framework.SetDescription
	make makes
}

// target makes a kind a target for the laws of sets, which are checked on sets like the
// description's Example.
func (k subjectKind) target() SetTarget {
	example := func() framework.Set {
		set, err := k.make(k.d.Example, framework.ExampleClusters, framework.ExampleColumns())
		if err != nil {
			panic(failure{"its Example makes no set: " + said(err)})
		}
		return set
	}
	return SetTarget{
		Name: k.d.Kind, Rows: framework.ExampleClusters, Cols: len(framework.ExampleColumns()),
		New: func(*rand.Rand, int, int) framework.Set { return example() },
		similar: func(c *trial) (framework.Set, int, int) {
			rows, clusters, columns := c.like(k.d)
			set, err := k.make(rows, clusters, columns)
			switch f := framework.AsFault(err); {
			case err == nil:
				return set, clusters, len(columns)
			case f != nil && f.Class == framework.Data: // not every kind takes other features, clusters or units
				return example(), framework.ExampleClusters, len(framework.ExampleColumns())
			}
			panic(failure{"a set like its Example is not made: " + said(err)})
		},
	}
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

// like returns the Example's rows for other features and clusters, of which there may be
// more, and columns of other locations and scales: numbers that cause no rounding.
func (c *trial) like(d framework.SetDescription) ([]framework.ConstraintRow, int, []framework.Column) {
	rows, clusters, columns := slices.Clone(d.Example), framework.ExampleClusters, framework.ExampleColumns()
	if !c.large() && c.rand.IntN(3) == 0 {
		return rows, clusters, columns
	}
	names := map[string]int{}
	for l, column := range columns {
		names[column.Name] = l
	}
	clusters += c.between(0, c.size/8)
	p := len(columns) + c.between(0, c.size/8)
	switch { // of the large ones many clusters, or many columns, in turns
	case c.large() && c.index%2 == 0:
		clusters += []int{6, 30, 62}[c.index/2%3]
	case c.large():
		p = max(p, wide[c.index/2%len(wide)])
	}
	for l := len(columns); l < p; l++ {
		columns = append(columns, framework.Column{Name: fmt.Sprintf("f%d", l+1), Group: l, Scale: 1})
	}
	features, numbers := c.rand.Perm(p), c.rand.Perm(clusters)
	for i := range rows {
		if j := rows[i].Cluster; j != nil {
			rows[i].Cluster = new(numbers[*j])
		}
		if f := rows[i].Feature; f != nil {
			rows[i].Feature = new(columns[features[names[*f]]].Name)
		}
	}
	located := c.rand.IntN(2) == 0
	for l := range columns {
		columns[l].Scale = []float64{0.5, 1, 2, 4}[c.rand.IntN(4)]
		if located {
			columns[l].Location = float64(c.between(-8, 8)) / 4
		}
	}
	return rows, clusters, columns
}

// said is the text of an error, with the details of a Fault.
func said(err error) string {
	f := framework.AsFault(err)
	if f == nil || len(f.Details) == 0 {
		return err.Error()
	}
	return err.Error() + ": " + strings.Join(f.Render(nil).Details, "; ")
}
