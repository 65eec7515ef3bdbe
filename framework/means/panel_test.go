package means

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// cut returns the rows of x in blocks of so many.
func cut(x framework.Matrix, size int) []framework.Block {
	var all []framework.Block
	for from := 0; from < x.Rows; from += size {
		all = append(all, framework.Block{Index: len(all), Row0: from, X: x.Slice(from, min(from+size, x.Rows))})
	}
	return all
}

// nearest measures every row from every center over the given columns.
func nearest(x, theta framework.Matrix, columns []int, d Distance) []int32 {
	labels := make([]int32, x.Rows)
	for i := range x.Rows {
		best := math.Inf(1)
		for j := range theta.Rows {
			var sum float64
			for _, l := range columns {
				v, w := x.Row(i)[l], 1.0
				if d.Observed && v != v {
					continue
				}
				if d.Weights != nil {
					w = d.Weights[l]
				}
				if t := v - theta.Row(j)[l]; d.Loss == Squared {
					sum = math.FMA(w*t, t, sum)
				} else {
					sum = math.FMA(w, math.Abs(t), sum)
				}
			}
			if sum < best {
				best, labels[i] = sum, int32(j)
			}
		}
	}
	return labels
}

// wander moves centers a little, or chooses other columns for them.
func wander(r *rand.Rand, theta framework.Matrix, tells []bool) {
	if r.IntN(3) == 0 {
		tells[r.IntN(len(tells))] = r.IntN(2) == 0
	}
	for i := range theta.Data {
		switch {
		case !tells[i%theta.Cols]:
			theta.Data[i] = 0
		case theta.Data[i] == 0:
			theta.Data[i] = r.NormFloat64()
		case r.IntN(4) == 0:
			theta.Data[i] += 0.02 * r.NormFloat64()
		}
	}
}

func TestLabelsAreTheNearestWhateverRoomThereIsForPanels(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 5))
		n, p, k := 1+r.IntN(300), 2+r.IntN(12), 1+r.IntN(6)
		d := Distance{Loss: Loss(seed & 1), Observed: seed&2 != 0}
		if seed%8 == 0 { // many centers, for a filter and groups
			n, p, k = 1+r.IntN(300), 20+r.IntN(60), 16+r.IntN(150)
		}
		if seed%16 == 0 { // as many as labels have bytes for, one less, one more
			n, k = 1+r.IntN(80), kernel.RememberedCenters+int(seed/16)%3-1
		}
		least := 1
		if seed%32 == 16 || seed%8 == 3 { // enough rows for that
			least, p = bytesRows, 2+r.IntN(12)
			n = least + r.IntN(100)
		}
		x, theta := framework.NewMatrix(n, p), framework.NewMatrix(k, p)
		for i := range x.Data {
			x.Data[i] = r.NormFloat64()
		}
		if d.Observed {
			for range n {
				x.Data[r.IntN(len(x.Data))] = math.NaN()
			}
		}
		if seed&4 != 0 {
			d.Weights = make([]float64, p)
			for l := range d.Weights {
				d.Weights[l] = float64(r.IntN(3)) / 2
			}
		}
		if seed%5 < 2 {
			d.Cells = make([]bool, p)
			for l := range d.Cells {
				d.Cells[l] = r.IntN(4) > 0
			}
		}
		for _, bytes := range []int64{0, int64(r.IntN(8 * n * p)), math.MaxInt64} {
			room := PanelMemoryOf(bytes)
			room.brief.Store(seed%3 == 0)
			for fit := range uint64(2) { // the second one has small panels of the first, which were of other blocks
				walk := rand.New(rand.NewPCG(seed, 6+fit))
				tells := make([]bool, p)
				for l := range tells {
					tells[l] = walk.IntN(2) == 0
				}
				clear(theta.Data)
				blocks := cut(x, n-walk.IntN(n-least+1))
				c, panels := new(Centers), make([]*Panel, len(blocks))
				for i := range panels {
					panels[i] = room.Panel()
				}
				left := func(in []*Panel) {
					kept := int64(0)
					for _, p := range append(in, room.panels...) {
						kept += int64(cap(p.x))*8 + int64(cap(p.bound.Lower)+cap(p.bound.Narrow))*4
					}
					if kept > bytes || bytes-kept != room.left.Load() {
						t.Fatalf("seed %d: panels keep %d of %d bytes, and %d are said to be left", seed, kept, bytes, room.left.Load())
					}
				}
				got := make([]int32, n)
				for step := range 12 {
					for range n / 4 { // what a driver may do between two passes
						got[walk.IntN(n)] = int32(walk.IntN(k+1) - 1)
					}
					wander(walk, theta, tells)
					c.Prepare(theta, d)
					var fresh Centers
					if fresh.Prepare(theta, d); !slices.Equal(c.Columns(), fresh.Columns()) {
						t.Fatalf("seed %d, step %d: columns %v, for new centers %v", seed, step, c.Columns(), fresh.Columns())
					}
					for i, b := range blocks {
						c.Assign(got[b.Row0:b.Row0+b.X.Rows], b, panels[i])
						if room.brief.Load() && fit == 0 && panels[i].bound.Narrow != nil {
							t.Fatalf("seed %d, step %d: a copy is made for a run that is too short", seed, step)
						}
					}
					if want := nearest(x, theta, c.Columns(), d); !slices.Equal(got, want) {
						t.Fatalf("seed %d, room for %d bytes, step %d: labels %v, want %v", seed, bytes, step, got, want)
					}
					left(panels)
				}
				for _, p := range panels {
					p.Release()
				}
				left(nil)
			}
		}
	}
}

func TestColumnsInWhichAStartIsZeroAreMeasuredLikeThoseOfTheNextState(t *testing.T) {
	for _, c := range []struct {
		cells       []bool
		start, next []float64 // a center; the other one is at 0
		first, then []int     // columns
	}{
		// Four columns of five are all.
		{[]bool{true, true, true, true, false}, []float64{0, 1, 0, 0, 0}, []float64{1, 2, 3, 4, 0}, everyColumn(nil, 5), everyColumn(nil, 5)},
		{[]bool{true, false, true, false}, []float64{0, 0, 1, 0}, []float64{1, 0, 2, 0}, []int{0, 2}, []int{0, 2}},
		// A start that is no row, a mean of 0, and rows of which nothing is known.
		{[]bool{true, false, true, false, false}, []float64{0, 1, 0, 0, 0}, []float64{1, 0, 2, 0, 0}, []int{0, 1, 2}, []int{0, 2}},
		{[]bool{true, true, true, false, false, false}, []float64{0, 1, 0, 0, 0, 0}, []float64{1, 0, 2, 0, 0, 0}, []int{0, 1, 2}, []int{0, 2}},
		{[]bool{false, false, false, false}, []float64{0, 0, 1, 0}, []float64{1, 2, 3, 0}, []int{2}, []int{0, 1, 2}},
	} {
		p := len(c.start)
		problem := framework.Problem{P: p, Columns: make([]framework.Column, p)}
		for l := range problem.Columns {
			if c.cells[l] {
				problem.Columns[l].Min = -1 // and Max 0
			}
		}
		d := Distance{Cells: CellsOf(problem)}
		if !slices.Equal(d.Cells, c.cells) {
			t.Fatalf("cells %v, want %v", d.Cells, c.cells)
		}
		var centers Centers
		prepare := func(row []float64, d Distance, want []int) {
			theta := framework.NewMatrix(2, p)
			copy(theta.Data, row)
			if centers.Prepare(theta, d); !slices.Equal(centers.Columns(), want) {
				t.Errorf("cells %v, center %v: columns %v, want %v", c.cells, row, centers.Columns(), want)
			}
		}
		prepare(c.start, d, c.first)
		prepare(c.next, Distance{}, c.then)
		if ended := centers.era > 1; ended == slices.Equal(c.first, c.then) {
			t.Errorf("cells %v, columns %v and %v: bounds have ended: %v", c.cells, c.first, c.then, ended)
		}
	}
}

// TestEarlierCentersDecideNoTie has a row, centers and weights of a random case of
// mpckm on a simplex. No center is in the first column. Over the other two the row
// is nearer to center 1, by a rounding; over all three it is at one distance of both.
func TestEarlierCentersDecideNoTie(t *testing.T) {
	x := framework.Matrix{Rows: 1, Cols: 3, Data: []float64{0.008101154009946043, -0.6346346888911598, 1.7965436021770604}}
	d := Distance{Weights: []float64{0.62411814052680603, 0.39686195588445666, 0.21762387991391938}}
	theta := framework.Matrix{Rows: 3, Cols: 3, Data: []float64{0, 0, math.Nextafter(1, 0), 0, 0, 1, 0, 1, 0}}
	before := framework.Matrix{Rows: 3, Cols: 3, Data: []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}}
	if all := nearest(x, theta, []int{0, 1, 2}, d); all[0] != 0 || nearest(x, theta, []int{1, 2}, d)[0] != 1 {
		t.Fatal("the distances do not hang on rounding")
	}
	var fresh, moved Centers
	moved.Prepare(before, d)
	got := make([]int32, 2)
	for i, c := range []*Centers{&fresh, &moved} {
		c.Prepare(theta, d)
		c.Assign(got[i:i+1], cut(x, 1)[0], PanelMemoryOf(math.MaxInt64).Panel())
	}
	if got[0] != got[1] {
		t.Errorf("the label is %d with new centers, and %d after others", got[0], got[1])
	}
}

func TestFilledLabelsAreTheSameWhateverRoomThereIsForPanels(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	x, theta, fill := framework.NewMatrix(5000, 9), framework.NewMatrix(4, 9), framework.NewMatrix(4, 9)
	for i := range x.Data {
		if x.Data[i] = r.NormFloat64(); r.IntN(4) == 0 {
			x.Data[i] = math.NaN()
		}
	}
	for i := range theta.Data {
		if i%9 < 5 {
			theta.Data[i], fill.Data[i] = r.NormFloat64(), r.NormFloat64()
		}
	}
	start := make([]int32, x.Rows)
	for i := range start {
		start[i] = int32(r.IntN(5)) - 1
	}
	filled := x.Clone() // by hand: columns 0–4 tell the centers apart
	for i := range filled.Rows {
		for l, v := range filled.Row(i) {
			if v == v {
				continue
			}
			filled.Row(i)[l] = 0
			if start[i] >= 0 {
				filled.Row(i)[l] = fill.Row(int(start[i]))[l]
			}
		}
	}
	want := nearest(filled, theta, []int{0, 1, 2, 3, 4}, Distance{})
	for _, bytes := range []int64{0, 100_000, math.MaxInt64} {
		t.Run(fmt.Sprint(bytes), func(t *testing.T) {
			room, c := PanelMemoryOf(bytes), new(Centers)
			c.Prepare(theta, Distance{Filled: true})
			for _, b := range cut(x, 700) {
				labels := slices.Clone(start[b.Row0 : b.Row0+b.X.Rows])
				c.AssignFilled(labels, b, fill, room.Panel())
				if !slices.Equal(labels, want[b.Row0:b.Row0+b.X.Rows]) {
					t.Fatalf("block %d: labels differ", b.Index)
				}
			}
		})
	}
}

func BenchmarkAssign(b *testing.B) {
	const n, p, s, k = 4096, 32, 8, 10
	r := rand.New(rand.NewPCG(1, 2))
	x, theta := framework.NewMatrix(n, p), framework.NewMatrix(k, p)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	for i := range theta.Data {
		if i%p < s {
			theta.Data[i] = r.NormFloat64()
		}
	}
	block, labels := cut(x, n)[0], make([]int32, n)
	for name, bytes := range map[string]int64{"panel=kept": math.MaxInt64, "panel=none": 0} {
		for _, all := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/all=%v", name, all), func(b *testing.B) {
				panel, c := PanelMemoryOf(bytes).Panel(), new(Centers)
				c.Prepare(theta, Distance{})
				for b.Loop() {
					if all {
						panel.owner = nil // forget the bounds
					}
					c.Assign(labels, block, panel)
				}
				b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds()/1e6, "Mrows/s")
			})
		}
	}
}
