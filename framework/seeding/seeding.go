package seeding

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Options say how to seed.
type Options struct {
	K       int
	Seed    uint64
	Restart int       // other restarts draw other rows or labels
	Space   []float64 // weight ≥ 0 of each feature in squared distances, length p; nil: all 1
	Threads int       // workers over blocks, ≤ 0: 1; changes no result
}

// A method makes start labels. k is at least 1, and at least k rows have a
// positive weight.
type method struct {
	name          string
	deterministic bool
	labels        func(context.Context, framework.Rows, Options) ([]int32, error)
}

var methods = []method{
	{"kmeans++", false, plusPlusLabels},
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

// Labels returns start labels 0..K−1, one a row, by the named method.
//
// It returns a Fault for an unknown name (unknown-init), for a K below 1
// (bad-k), when fewer than K rows have a positive weight (too-few-rows) and
// when distances exceed the range of a float64 (values-too-large); and ctx's
// error when that is done, which is checked before every block. It panics if
// the length of Space is not that of a row.
func Labels(ctx context.Context, name string, rows framework.Rows, o Options) ([]int32, error) {
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
	return m.labels(ctx, rows, o)
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
