package seeding

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Traversal knows of every row how far it is from the nearest of the rows
// chosen so far. Threads change no result.
type Traversal struct {
	field *field
	best  []int
}

// NewTraversal returns a traversal that has chosen no row. Distances are those
// of the package comment, space is that of Options.
func NewTraversal(ctx context.Context, rows framework.Rows, space []float64, threads int) *Traversal {
	checkSpace(rows, space)
	f := newField(ctx, rows, space, threads)
	return &Traversal{field: f, best: make([]int, stretchCount(len(f.square)))}
}

// Choose adds rows to those that are chosen.
func (t *Traversal) Choose(rows ...int) error { return t.field.chooseAll(rows) }

// Farthest returns the row of positive weight, not chosen yet, that is farthest
// from its nearest chosen row: the lowest of equals, and −1 if there is none.
// Some row must be chosen. It returns a Fault when distances exceed the range
// of a float64 (values-too-large).
func (t *Traversal) Farthest() (int, error) {
	i, err := t.field.farthest(t.best)
	if err == nil && i >= 0 && math.IsInf(t.field.square[i], 1) {
		err = tooLarge()
	}
	return i, err
}

// Left returns the rows of positive weight that are not chosen, ascending.
func (t *Traversal) Left() []int {
	chosen := make(map[int]bool, len(t.field.chosen))
	for _, i := range t.field.chosen {
		chosen[i] = true
	}
	var left []int
	for i := range t.field.square {
		if !chosen[i] && (t.field.weight == nil || t.field.weight[i] > 0) {
			left = append(left, i)
		}
	}
	return left
}

// Square returns the squared distance of two points of the space: the sum over
// the features that both have, see the package comment.
func Square(x, y, space []float64) float64 { return squareOf(x, y, space) }
