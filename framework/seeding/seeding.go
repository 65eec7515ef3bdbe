package seeding

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Options say how to seed.
type Options struct {
	K        int
	Seed     uint64
	Restarts int       // how many a Seeder has to expect; changes no result
	Space    []float64 // weight ≥ 0 of each feature in squared distances, length p; nil: all 1
	Threads  int       // workers for what restarts share, ≤ 0: 1; changes no result
}

// A method makes start labels. k is at least 1, and at least k rows have a
// positive weight.
type method struct {
	name          string
	deterministic bool
	labels        func(ctx context.Context, s *Seeder, restart, threads int) ([]int32, error)
}

var methods = []method{
	{"kmeans++", false, plusPlusLabels},
	{"kmeans||", false, parallelLabels},
	{"random", false, randomLabels},
	{"maximin", true, maximinLabels},
}

// Names returns the names of the methods, the default first.
func Names() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

// Deterministic reports whether the named method ignores the seed and the
// restart, so that further restarts would only repeat the first.
func Deterministic(name string) bool {
	m, ok := lookup(name)
	return ok && m.deterministic
}

// Check returns a Fault if there is no method of that name.
func Check(name string) error {
	if _, ok := lookup(name); ok {
		return nil
	}
	f := framework.Faultf(framework.Usage, "unknown-init", "there is no seeding method %q", name).
		WithWhere("--init").WithHint("the methods are %s", strings.Join(Names(), ", "))
	f.Similar = framework.Closest(name, Names())
	return f
}

// A Seeder makes the start labels of the restarts of one fit, and keeps what
// they share. It is safe for concurrent use.
type Seeder struct {
	method  method
	rows    framework.Rows
	options Options
	pairs   *pairs // of kmeans++; nil: not worth while
}

// New returns a Seeder of the named method.
//
// When all Restarts of kmeans++ together choose many of few rows, the Seeder
// keeps the distances of all rows to all rows, in 64 MiB at most.
//
// New returns a Fault for an unknown name (unknown-init), for a K below 1
// (bad-k) and when fewer than K rows have a positive weight (too-few-rows). It
// panics if the length of Space is not that of a row.
func New(name string, rows framework.Rows, o Options) (*Seeder, error) {
	if err := Check(name); err != nil {
		return nil, err
	}
	m, _ := lookup(name)
	if o.K < 1 {
		return nil, framework.Faultf(framework.Usage, "bad-k", "k is %d; it must be at least 1", o.K).WithWhere("-k")
	}
	if got := choosable(rows, o.K); got < o.K {
		return nil, framework.Faultf(framework.Data, "too-few-rows",
			"%d clusters need as many rows; there are %d with a positive weight", o.K, got).
			WithWhere("-k").WithHint("give a k of at most %d", got)
	}
	checkSpace(rows, o.Space)
	s := &Seeder{method: m, rows: rows, options: o}
	if name == "kmeans++" && arePairsWorthwhile(rows.Len(), rows.Block(0).X.Cols, o) {
		s.pairs = &pairs{rows: rows, space: o.Space, threads: o.Threads}
	}
	return s, nil
}

// Labels returns the start labels 0..K−1 of a restart, one a row, made on up to
// the given number of threads (≤ 0: 1), which changes no result. Other restarts
// draw other rows or labels, and the same restart always the same.
//
// It returns a Fault when distances exceed the range of a float64
// (values-too-large), and ctx's error when that is done, which is checked before
// every block.
func (s *Seeder) Labels(ctx context.Context, restart, threads int) ([]int32, error) {
	return s.method.labels(ctx, s, restart, threads)
}

// field returns a field of the rows, none of them chosen.
func (s *Seeder) field(ctx context.Context, threads int) *field {
	f := newField(ctx, s.rows, s.options.Space, threads)
	f.pairs = s.pairs
	return f
}

func lookup(name string) (method, bool) {
	for _, m := range methods {
		if m.name == name {
			return m, true
		}
	}
	return method{}, false
}

// choosable counts the rows of positive weight, and stops at atLeast.
func choosable(rows framework.Rows, atLeast int) int {
	count := 0
	for i := 0; i < rows.Blocks() && count < atLeast; i++ {
		b := rows.Block(i)
		if b.RowWeight == nil {
			count += b.X.Rows
			continue
		}
		for _, w := range b.RowWeight {
			if w > 0 {
				count++
			}
		}
	}
	return min(count, atLeast)
}

// checkSpace panics if space has a wrong length.
func checkSpace(rows framework.Rows, space []float64) {
	if space == nil || rows.Blocks() == 0 {
		return
	}
	if p := rows.Block(0).X.Cols; len(space) != p {
		panic(fmt.Sprintf("seeding: space of length %d for %d features", len(space), p))
	}
}
