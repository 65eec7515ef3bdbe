package suggest

import (
	"context"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// table is rows in blocks of a size.
type table struct {
	x    framework.Matrix
	size int
}

func (t table) Len() int    { return t.x.Rows }
func (t table) Blocks() int { return (t.x.Rows + t.size - 1) / t.size }
func (t table) Block(i int) framework.Block {
	from := i * t.size
	return framework.Block{Row0: from, X: t.x.Slice(from, min(from+t.size, t.x.Rows))}
}

// drawTable draws rows on a small grid, so that distances are exact and ties
// happen.
func drawTable(t *rapid.T, n int) table {
	d := table{x: framework.NewMatrix(n, 2), size: rapid.IntRange(1, 9).Draw(t, "block")}
	for i := range d.x.Data {
		d.x.Data[i] = float64(rapid.IntRange(0, 9).Draw(t, "cell"))
	}
	return d
}

// answered returns the links that a person who knows the classes gives: of the
// questions about a row, those up to the first must.
func answered(classes []int, asked []Pair) (links []framework.Link) {
	done := map[int]bool{}
	for _, p := range asked {
		if done[p.A] {
			continue
		}
		l := framework.Link{A: int32(p.A), B: int32(p.B), Cannot: classes[p.A] != classes[p.B], Weight: 1}
		done[p.A] = !l.Cannot
		links = append(links, l)
	}
	return links
}

// relations says of all pairs of rows what follows from links, by brute force:
// 1 together, −1 apart, 0 not known.
func relations(n int, links []framework.Link) [][]int {
	r := make([][]int, n)
	for i := range r {
		r[i] = make([]int, n)
		r[i][i] = 1
	}
	for changed := true; changed; {
		changed = false
		set := func(i, j, v int) {
			if r[i][j] == 0 {
				r[i][j], r[j][i], changed = v, v, true
			}
		}
		for _, l := range links {
			v := 1
			if l.Cannot {
				v = -1
			}
			set(int(l.A), int(l.B), v)
		}
		for i := range n {
			for j := range n {
				for k := range n {
					if r[i][j] == 1 && r[j][k] != 0 {
						set(i, k, r[j][k])
					}
				}
			}
		}
	}
	return r
}

func pairsOf(t *rapid.T, rows framework.Rows, o Options) []Pair {
	return must.Get(Pairs(context.Background(), rows, o))(t)
}
