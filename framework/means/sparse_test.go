package means_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
)

// sparseProblem is sparse rows, and how they are measured.
func sparseProblem(t *testing.T, r *rand.Rand) (*matrix.Data, framework.Problem, means.Distance) {
	t.Helper()
	table := clustertest.DrawSparseTable(r, r.IntN(2) == 0, false)
	if r.IntN(3) == 0 { // whole numbers, and equal rows: ties
		for i, v := range table.X.Data {
			table.X.Data[i] = math.Round(v / 2)
		}
		for i := range table.X.Rows / 2 {
			copy(table.X.Row(2*i+1), table.X.Row(2*i))
		}
	}
	data, p := table.Prepared(t, matrix.Scaling{Center: []string{"mean", "none"}[r.IntN(2)], Scale: []string{"sd", "none"}[r.IntN(2)]}, true)
	d := means.Distance{Observed: framework.HasMissing(p.Columns)}
	for _, c := range p.Columns {
		d.Base = append(d.Base, c.Base)
	}
	if r.IntN(2) == 0 {
		for range p.P {
			d.Weights = append(d.Weights, max(0, r.NormFloat64()))
		}
	}
	return data, p, d
}

func TestABoundOfSparseRowsNeverChangesALabel(t *testing.T) {
	var rows, certain int
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 12))
		data, p, d := sparseProblem(t, r)
		k := 1 + r.IntN(12)
		theta := framework.NewMatrix(k, p.P)
		for i := range theta.Data {
			if r.IntN(3) > 0 {
				theta.Data[i] = r.NormFloat64()
			}
		}
		mirrored := r.IntN(2) == 0 // a row is as far from two centers, but for rounding
		for j := range k / 2 {     // rows themselves, of which some are equal
			for l, v := range framework.Cells(data, r.IntN(p.N)) {
				if v != v {
					v = 0
				}
				way := theta.Row(2 * j)[l]
				theta.Row(j)[l] = v
				if mirrored {
					theta.Row(2 * j)[l], theta.Row(2*j + 1)[l] = v+way, v-way
				}
			}
		}
		room := []*means.PanelMemory{means.NewPanelMemory(p.N, p.P), means.PanelMemoryOf(0)}[r.IntN(2)]
		left := room.Left()
		panels := make([]*means.Panel, data.Blocks())
		for i := range panels {
			panels[i] = room.Panel()
		}
		var kept means.Centers
		for range 10 {
			size, alone := []float64{0, 1e-16, 1e-16, 1e-15, 1e-9, 1e-3, 0.1, 10}[r.IntN(8)], r.IntN(2*k)
			for i := range theta.Data {
				if theta.Data[i] != 0 && (alone >= k || i/p.P == alone) {
					theta.Data[i] += size * float64(r.IntN(3)-1) * max(1, math.Abs(theta.Data[i]))
				}
			}
			if r.IntN(8) == 0 {
				for j := range k {
					theta.Row(j)[0] = 0 // the columns change
				}
			}
			var fresh means.Centers
			kept.Prepare(theta, d)
			fresh.Prepare(theta, d)
			for i, panel := range panels {
				b := data.Block(i)
				got, want := make([]int32, b.X.Rows), make([]int32, b.X.Rows)
				kept.Assign(got, b, panel)
				fresh.Assign(want, b, means.PanelMemoryOf(1<<30).Panel())
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: labels %v, want %v", seed, got, want)
				}
				checkNearest(t, &fresh, b, want, k)
				if k > 1 {
					rows, certain = rows+len(got), certain+panel.Certain(&kept)
				}
			}
		}
		for _, panel := range panels {
			panel.Release()
		}
		if room.Left() != left {
			t.Fatalf("seed %d: panels that are released leave %d of %d bytes", seed, room.Left(), left)
		}
	}
	if certain < rows/2 { // as long as no center moves
		t.Errorf("of %d rows, only %d need not be looked at again", rows, certain)
	}
}

// checkNearest checks labels against distances, which are exact but for rounding, and
// Measure against both.
func checkNearest(t *testing.T, c *means.Centers, b framework.Block, labels []int32, k int) {
	t.Helper()
	d := framework.NewMatrix(b.X.Rows, k)
	c.Distances(d, b)
	measured := make([]framework.Measured, b.X.Rows)
	c.Measure(b, labels, measured)
	for i, j := range labels {
		least, largest := slices.Min(d.Row(i)), slices.Max(d.Row(i))
		if d.Row(i)[j]-least > 1e-12*(1+largest)*float64(1+b.X.Cols) {
			t.Fatalf("row %d has label %d at %v, but the nearest is at %v", i, j, d.Row(i)[j], least)
		}
		if want := framework.Between(d.Row(i), int(j)); measured[i] != want {
			t.Fatalf("row %d: measured %+v, want %+v", i, measured[i], want)
		}
	}
}

func TestDistancesOfSparseRowsAreThoseOfTheirCells(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 13))
		data, p, d := sparseProblem(t, r)
		theta := framework.NewMatrix(3, p.P)
		for i := range theta.Data {
			theta.Data[i] = r.NormFloat64()
		}
		complete := 0 // a row without missing cells, which is a center as well
		for i := range p.N {
			if !slices.ContainsFunc(framework.Cells(data, i), math.IsNaN) {
				complete = i
			}
		}
		copy(theta.Row(1), framework.Cells(data, complete))
		same := !slices.ContainsFunc(theta.Row(1), math.IsNaN)
		var sparse means.Centers
		sparse.Prepare(theta, d)
		for i := range data.Blocks() {
			b := data.Block(i)
			got := framework.NewMatrix(b.X.Rows, 3)
			sparse.Distances(got, b)
			for row := range b.X.Rows {
				for j := range 3 {
					var want float64
					for l, v := range b.Cells(row, nil) {
						w := 1.0
						if d.Weights != nil {
							w = d.Weights[l]
						}
						if e := v - theta.Row(j)[l]; e == e {
							want += w * e * e
						}
					}
					if math.Abs(got.Row(row)[j]-want) > 1e-12*(1+want) && j != 1 {
						t.Fatalf("seed %d: row %d, center %d: %v, want %v", seed, row, j, got.Row(row)[j], want)
					}
				}
				if root := math.Sqrt(got.Row(row)[1]); b.Row0+row == complete && same && root > 1e-9 {
					t.Fatalf("seed %d: a row that is a center is at distance %v of it", seed, root)
				}
			}
		}
	}
}

func TestEntriesAreCopiedInTheSecondPassByTheSameColumns(t *testing.T) {
	copied := 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 14))
		data, p, d := sparseProblem(t, r)
		if p.P < 4 {
			continue
		}
		copied++
		d.Weights = slices.Repeat([]float64{1}, p.P)
		theta := framework.NewMatrix(2, p.P)
		theta.Row(0)[1], theta.Row(1)[1] = 1, 2
		room := means.PanelMemoryOf(1 << 30)
		panel, block := room.Panel(), data.Block(0)
		labels := make([]int32, block.X.Rows)
		var c means.Centers
		pass := func(what string, copies bool) {
			t.Helper()
			c.Prepare(theta, d)
			c.Assign(labels, block, panel)
			if got := room.Left() < 1<<30; got != copies {
				t.Fatalf("seed %d, %s: there is a copy: %v, want %v", seed, what, got, copies)
			}
		}
		pass("first pass", false)
		theta.Row(0)[1] = 1.5
		pass("second pass", true)
		d.Weights = slices.Repeat([]float64{2}, p.P) // which ends all bounds
		pass("other weights", true)
		theta.Row(0)[2] = 1
		pass("one more column", false)
		d.Weights = slices.Repeat([]float64{3}, p.P)
		pass("other weights, the same columns", true)
		for l := range p.P {
			theta.Row(0)[l] = 1
		}
		pass("all columns", false)
		room = means.PanelMemoryOf(0)
		panel = room.Panel()
		theta = framework.NewMatrix(2, p.P)
		theta.Row(0)[1] = 1
		for range 3 {
			c.Prepare(theta, d)
			c.Assign(labels, block, panel)
			if room.Left() != 0 {
				t.Fatalf("seed %d: %d bytes left of none", seed, room.Left())
			}
		}
	}
	if copied < 10 {
		t.Errorf("only %d of the problems drawn have columns to leave out", copied)
	}
}
