package seeding

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

// mostRows is how many rows the methods take that measure all pairs of rows.
const mostRows = 50_000

// A cloud is rows of positive weight whose distances to each other are all
// measured, each when it is needed: the memory is of the order of the rows.
type cloud struct {
	ctx     context.Context
	threads int
	space   []float64
	at      []int       // row numbers
	rows    [][]float64 // their cells; nil where rows are sparse
	entries []entries   // of sparse rows
	weight  []float64
}

func newCloud(ctx context.Context, rows framework.Rows, o Options, method string) (*cloud, error) {
	if rows.Len() > mostRows {
		return nil, framework.Faultf(framework.Data, "too-many-rows",
			"the start %s measures every row from every other, and takes at most %d rows; there are %d", method, mostRows, rows.Len()).
			At("init").WithHint("use %s", framework.SettingTo("init", "kmeans++"))
	}
	c := &cloud{ctx: ctx, threads: max(1, o.Threads), space: o.Space}
	for i := range rows.Blocks() {
		b := rows.Block(i)
		for r := range b.X.Rows {
			w := b.Weight(r)
			if !(w > 0) {
				continue
			}
			c.at, c.weight = append(c.at, b.Row0+r), append(c.weight, w)
			if b.Sparse != nil {
				c.entries = append(c.entries, entriesOf(rows, b.Row0+r))
			} else {
				c.rows = append(c.rows, b.X.Row(r))
			}
		}
	}
	return c, nil
}

// distance returns the Euclidean distance of two rows of the cloud.
func (c *cloud) distance(i, j int) float64 { return math.Sqrt(c.square(i, j)) }

// square returns their squared distance.
func (c *cloud) square(i, j int) float64 {
	if c.rows == nil {
		return squareOfEntries(c.entries[i], c.entries[j], c.space)
	}
	return squareOf(c.rows[i], c.rows[j], c.space)
}

// squareOf returns the squared distance in the given space, over the features
// that both have observed.
func squareOf(x, y, space []float64) (d float64) {
	for l, v := range x {
		e := v - y[l]
		switch {
		case e != e:
		case space == nil:
			d += float64(e * e)
		case space[l] != 0:
			d += float64(space[l] * e * e)
		}
	}
	return d
}

// each calls do for every row of the cloud, on all threads.
func (c *cloud) each(do func(i int)) error {
	const some = 64
	return parallel.Each(c.ctx, c.threads, (len(c.at)+some-1)/some, func(_, part int) {
		for i := part * some; i < min((part+1)*some, len(c.at)); i++ {
			do(i)
		}
	})
}

// numbers turns places in the cloud into row numbers.
func (c *cloud) numbers(chosen []int) []int {
	for t, i := range chosen {
		chosen[t] = c.at[i]
	}
	return chosen
}
