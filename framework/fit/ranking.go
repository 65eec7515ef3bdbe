package fit

import (
	"cmp"
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Ranking has the nearest centers of each row, the nearest first, and of equals the
// lower one: row i has the entries i·PerRow to (i+1)·PerRow.
type Ranking struct {
	PerRow   int
	Cluster  []int32 // −1 in all entries of a row without any cell
	Distance []float64
}

// Rank returns the nearest centers of each row, as many as are asked for and there
// are. Distances are those of Predict. The result does not depend on threads.
func Rank(ctx context.Context, c framework.Clusterer, m *framework.Model, rows framework.Rows, perRow, threads int) (*Ranking, error) {
	k := m.Centers.Rows
	st := newState(c, k, rows, threads)
	defer st.close()
	st.model, perRow = m, min(perRow, k)
	r := &Ranking{PerRow: perRow, Cluster: make([]int32, rows.Len()*perRow), Distance: make([]float64, rows.Len()*perRow)}
	st.prepare()
	return r, st.eachBlock(ctx, func(_ int, b framework.Block) error {
		order, d := make([]int, k), framework.NewMatrix(b.X.Rows, k)
		if err := c.Distances(m, b, d); err != nil {
			return err
		}
		for t := range b.X.Rows {
			for j := range order {
				order[j] = j
			}
			slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(d.Row(t)[i], d.Row(t)[j]) })
			r.set(b.Row0+t, order, d.Row(t), b.IsBlank(t, nil), st.plan.Squared)
		}
		return nil
	})
}

// set fills in row i from its distances and their order.
func (r *Ranking) set(i int, order []int, d []float64, blank, squared bool) {
	for rank, j := range order[:r.PerRow] {
		at := i*r.PerRow + rank
		r.Cluster[at], r.Distance[at] = int32(j), rooted(d[j], squared)
		if blank {
			r.Cluster[at] = -1
		}
	}
}
