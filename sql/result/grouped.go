package result

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// Grouped are the results of many runs of one kind, a run for each group of the rows of a
// relation. Slices have one entry a group.
type Grouped[T any] struct {
	Groups *input.Groups
	Of     []T
	Faults []*framework.Fault // nil: the group has a result
	Models []Model
}

// Batches are results that are made of some groups at a time, in the order of the groups.
type Batches[T any] interface {
	// Next makes the results of the groups from a number to before another, which is the
	// number of groups in the last batch. Those of other groups are not to be read. It
	// fails if no group has a result in the end.
	Next(ctx context.Context) (r *Grouped[T], from, to int, err error)
	// Release says that the results of groups have been read.
	Release(from, to int)
}

// Fitted is the status of a group that has a result.
const Fitted = "fitted"

// NoStructure is the status of a group for which a tuning has chosen nothing.
const NoStructure = "no-structure"

// Model is a row of the models: how the run of a group ended.
type Model struct {
	Status     string // Fitted, or the code of the fault
	Message    string // of the fault; "": there is none
	Rows       int
	P, K       int      // 0: not known
	Objective  float64  // NaN: not known
	Iterations int      // −1: not known
	Converged  *bool    // nil: not known
	Notes      []string // what a user should know of the rows
}

// Failed returns the number of groups without a result.
func (g *Grouped[T]) Failed() int {
	n := 0
	for _, f := range g.Faults {
		if f != nil {
			n++
		}
	}
	return n
}
