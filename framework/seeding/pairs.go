package seeding

import (
	"context"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
)

const (
	pairsBytes = 64 << 20 // of all distances, at most
	together   = 32       // rows that are measured together
)

// pairsGain is about how much faster all rows of p features are measured
// together than one after the other: see BenchmarkPairs.
func pairsGain(p int) float64 { return min(6, 1+float64(p)/25) }

// Pairs are the squared distances of all rows to all rows, measured at the first
// need. It is safe for concurrent use.
type pairs struct {
	rows    framework.Rows
	space   []float64
	threads int
	missing missing

	mutex sync.Mutex
	all   framework.Matrix // n × n; no data before they are measured
}

// arePairsWorthwhile reports whether pairs of n rows of p features are bounded in
// memory, and measured in less time than the rows that restarts choose. Sparse rows
// are not measured together.
func arePairsWorthwhile(n, p int, sparse bool, o Options) bool {
	gain := pairsGain(p)
	if sparse {
		gain = 1
	}
	return n <= pairsBytes/8/n && o.Restarts > 1 && float64(o.Restarts)*float64(o.K)*gain >= float64(n)
}

// row returns the squared distances of row i to all rows, which must not
// be changed. They have the bits of field.measure.
func (t *pairs) row(ctx context.Context, i int) ([]float64, error) {
	t.mutex.Lock() // others wait for the one that measures
	defer t.mutex.Unlock()
	if t.all.Data == nil {
		all, err := t.measure(ctx)
		if err != nil {
			return nil, err
		}
		t.all = all
	}
	return t.all.Row(i), nil
}

// measure measures all rows. Distances of dense rows are symmetric to the last bit, as x − y
// and y − x differ in their sign alone: each is measured once.
func (t *pairs) measure(ctx context.Context) (framework.Matrix, error) {
	n := t.rows.Len()
	all := framework.NewMatrix(n, n)
	parts := (n + together - 1) / together
	part := t.part
	if isSparse(t.rows) {
		part = t.sparsePart
	}
	err := parallel.Each(ctx, t.threads, parts, func(_, i int) {
		part(all, i*together, min((i+1)*together, n))
	})
	return all, err
}

// part measures the rows [first, end) against those from first on.
func (t *pairs) part(all framework.Matrix, first, end int) {
	points := make([][]float64, end-first)
	for j := range points {
		points[j] = framework.Cells(t.rows, first+j)
	}
	groups := newGroups(points, int32(first), t.space)
	step := chunkRows(len(points[0]))
	dst := make([]float64, step*len(points))
	for b := range t.rows.Blocks() {
		block := t.rows.Block(b)
		for from := max(first, block.Row0); from < block.Row0+block.X.Rows; from += step {
			to := min(from+step, block.Row0+block.X.Rows)
			x := block.X.Slice(from-block.Row0, to-block.Row0)
			for _, g := range groups {
				d := dst[:x.Rows*len(g.number)]
				t.missing.distances(d, g, x.Data)
				mirror(all, d, g.number, from, end)
			}
		}
	}
}

// sparsePart measures all rows from the rows [first, end).
func (t *pairs) sparsePart(all framework.Matrix, first, end int) {
	ruler := kernel.NewRuler(t.rows.Block(0).X.Cols, t.space)
	for i := first; i < end; i++ {
		e := entriesOf(t.rows, i)
		ruler.Set(e.columns, e.offsets)
		to := all.Row(i)
		for b := range t.rows.Blocks() {
			block := t.rows.Block(b)
			for r := range block.X.Rows {
				to[block.Row0+r] = ruler.Square(block.Sparse.Row(r))
			}
		}
	}
}

// mirror enters the distances d of the rows from first on to the numbered ones,
// and the other way round for rows from end on: those before are numbered too.
func mirror(all framework.Matrix, d []float64, number []int32, first, end int) {
	k := len(number)
	rows := len(d) / k
	for c, j := range number {
		to := all.Row(int(j))[first : first+rows]
		for i := range to {
			to[i] = d[i*k+c]
		}
	}
	for i := max(0, end-first); i < rows; i++ {
		to := all.Row(first + i)
		for c, j := range number {
			to[j] = d[i*k+c]
		}
	}
}
