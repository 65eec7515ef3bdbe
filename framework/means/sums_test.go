package means_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// table is a small weighted problem on an integer grid, so that sums are exact.
type table struct {
	problem framework.Problem
	block   framework.Block
	labels  []int32
}

func drawTable(t *rapid.T, missing bool) table {
	n, p, k := rapid.IntRange(1, 12).Draw(t, "n"), rapid.IntRange(1, 10).Draw(t, "p"), rapid.IntRange(1, 4).Draw(t, "k")
	tb := table{
		problem: framework.Problem{N: n, P: p, K: k, Weighted: true, Columns: make([]framework.Column, p)},
		block:   framework.Block{X: framework.NewMatrix(n, p), RowWeight: make([]float64, n)},
		labels:  make([]int32, n),
	}
	for i := range n {
		tb.block.RowWeight[i] = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
		tb.labels[i] = int32(rapid.IntRange(-1, k-1).Draw(t, "label"))
		for l := range p {
			v := float64(rapid.IntRange(-4, 4).Draw(t, "cell"))
			if missing && rapid.IntRange(0, 3).Draw(t, "hole") == 0 {
				v = math.NaN()
				tb.problem.Columns[l].Missing++
			}
			tb.block.X.Row(i)[l] = v
		}
	}
	for l := range p {
		c := &tb.problem.Columns[l]
		var sum, squares float64
		for i := range n { // rows without a label are no part of the objective
			if v, w := tb.block.X.Row(i)[l], tb.block.RowWeight[i]; v == v && tb.labels[i] >= 0 {
				c.Mass, sum, squares = c.Mass+w, sum+w*v, squares+w*v*v
			}
		}
		if c.Mass > 0 {
			c.Mean = sum / c.Mass
			c.SumSq = squares - c.Mean*sum
			c.Min, c.Max = -4, 4 // of all cells; the statistics use them for constant columns only
		}
	}
	return tb
}

// direct sums loss(x − θ) over labelled rows and observed cells.
func (tb table) direct(theta framework.Matrix, loss func(float64) float64) float64 {
	var sum float64
	for i, j := range tb.labels {
		if j < 0 {
			continue
		}
		for l, v := range tb.block.X.Row(i) {
			if v == v {
				sum += tb.block.RowWeight[i] * loss(v-theta.Row(int(j))[l])
			}
		}
	}
	return sum
}

func drawCenters(t *rapid.T, k, p int) framework.Matrix {
	theta := framework.NewMatrix(k, p)
	for i := range theta.Data {
		theta.Data[i] = float64(rapid.IntRange(-2, 2).Draw(t, "theta"))
	}
	return theta
}

func TestObjectiveFromSumsEqualsTheOneFromRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb := drawTable(t, rapid.Bool().Draw(t, "missing"))
		theta := drawCenters(t, tb.problem.K, tb.problem.P)
		sums := means.NewSums(tb.problem)
		st := framework.NewStats(sums.Declare())
		must.Do(t, sums.Collect(tb.block, nil, tb.labels, st))
		var u means.Update
		sums.Update(&u, theta, st)
		got, want := u.Objective, tb.direct(theta, func(d float64) float64 { return d * d })
		if math.Abs(got-want) > 1e-12*(1+want) { // rounding of about 100 additions
			t.Errorf("objective %v, from rows %v", got, want)
		}
	})
}

// column returns the observed cells of a cluster in a column, and their weights.
func (tb table) column(j int32, l int) (cells, weights []float64) {
	for i, label := range tb.labels {
		if v := tb.block.X.Row(i)[l]; label == j && v == v {
			cells, weights = append(cells, v), append(weights, tb.block.RowWeight[i])
		}
	}
	return cells, weights
}

func TestMeansAreThoseOfGonum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb := drawTable(t, rapid.Bool().Draw(t, "missing"))
		sums := means.NewSums(tb.problem)
		st := framework.NewStats(sums.Declare())
		must.Do(t, sums.Collect(tb.block, nil, tb.labels, st))
		var u means.Update
		sums.Update(&u, framework.NewMatrix(tb.problem.K, tb.problem.P), st)
		for i, got := range u.Mean.Data {
			cells, weights := tb.column(int32(i/tb.problem.P), i%tb.problem.P)
			if want := stat.Mean(cells, weights); floats.Sum(weights) > 0 && math.Abs(got-want) > 1e-14 { // of cells up to 4
				t.Errorf("mean %d is %v, want %v", i, got, want)
			}
		}
	})
}

func TestStatisticsOfAnyCutOfTheRowsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb := drawTable(t, true)
		sums := means.NewSums(tb.problem)
		whole, parts := framework.NewStats(sums.Declare()), framework.NewStats(sums.Declare())
		cut := rapid.IntRange(0, tb.problem.N).Draw(t, "cut")
		must.Do(t, sums.Collect(tb.block, nil, tb.labels, whole))
		for _, r := range [][2]int{{0, cut}, {cut, tb.problem.N}} {
			b := framework.Block{X: tb.block.X.Slice(r[0], r[1]), RowWeight: tb.block.RowWeight[r[0]:r[1]]}
			part := framework.NewStats(sums.Declare())
			must.Do(t, sums.Collect(b, nil, tb.labels[r[0]:r[1]], part))
			parts.Add(part)
		}
		must.Equal(t, whole, parts) // integers: exact
	})
}

func TestMovingRowsGivesTheStatisticsOfTheNewLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb := drawTable(t, true)
		sums := means.NewSums(tb.problem)
		moved, want := framework.NewStats(sums.Declare()), framework.NewStats(sums.Declare())
		from := make([]int32, len(tb.labels))
		for i := range from {
			from[i] = int32(rapid.IntRange(-1, tb.problem.K-1).Draw(t, "from"))
		}
		for _, step := range [][2][]int32{{nil, from}, {from, tb.labels}} {
			must.Do(t, sums.Collect(tb.block, step[0], step[1], moved))
		}
		must.Do(t, sums.Collect(tb.block, nil, tb.labels, want))
		must.Equal(t, want, moved)
	})
}

func TestMediansAreTheBestCentersAndGainsTheDropOfTheObjective(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tb := drawTable(t, rapid.Bool().Draw(t, "missing"))
		theta := drawCenters(t, tb.problem.K, tb.problem.P)
		m := must.Get(means.NewMedians(context.Background(), theta, matrix.FromMatrix(tb.block.X, tb.block.RowWeight, 0), tb.labels))(t)
		if want := tb.direct(theta, math.Abs); m.Objective != want { // halves of integers: exact
			t.Errorf("objective %v, want %v", m.Objective, want)
		}
		at := tb.direct(m.Center, math.Abs)
		// A best center is among the grid points: no other one may be better.
		for i := range m.Center.Data {
			for v := -4.0; v <= 4; v++ {
				other := m.Center.Clone()
				other.Data[i] = v
				if d := tb.direct(other, math.Abs); d < at {
					t.Fatalf("entry %d: median %v gives %v, but %v gives %v", i, m.Center.Data[i], at, v, d)
				}
			}
			dropped := m.Center.Clone()
			dropped.Data[i] = 0
			if got, want := m.Gain.Data[i], tb.direct(dropped, math.Abs)-at; got != want {
				t.Errorf("gain of entry %d is %v, want %v", i, got, want)
			}
		}
	})
}

func TestMedianOfAnEvenNumberIsTheMidpoint(t *testing.T) {
	x := framework.Matrix{Rows: 4, Cols: 1, Data: []float64{1, 7, 3, 100}}
	m := must.Get(means.NewMedians(context.Background(), framework.NewMatrix(1, 1), matrix.FromMatrix(x, nil, 0), make([]int32, 4)))(t)
	if got := m.Center.Data[0]; got != 5 { // between 3 and 7
		t.Errorf("median %g, want 5", got)
	}
}

func TestAClusterThatLostItsRowsWeighsNothingWhateverRoundingLeaves(t *testing.T) {
	for name, x := range map[string][]float64{
		"complete cells": {1, 2, 3, 4},
		"missing cells":  {1, math.NaN(), math.NaN(), 4},
	} {
		t.Run(name, func(t *testing.T) {
			// 0.1 + 0.3 − 0.1 − 0.3 is 5.6e-17 in this order, and not 0.
			b := framework.Block{X: framework.Matrix{Rows: 2, Cols: 2, Data: x}, RowWeight: []float64{0.1, 0.3}}
			p := framework.Problem{N: 2, P: 2, K: 2, Weighted: true, Columns: make([]framework.Column, 2)}
			if math.IsNaN(x[1]) {
				p.Columns[0].Missing, p.Columns[1].Missing = 1, 1
			}
			s := means.NewSums(p)
			stats := framework.NewStats(s.Declare())
			for _, move := range [][2][]int32{{nil, {0, 0}}, {{0, 0}, {1, 0}}, {{1, 0}, {1, 1}}} {
				must.Do(t, s.Collect(b, move[0], move[1], stats))
			}
			if stats[0][0] == 0 {
				t.Fatal("rounding leaves nothing, so that this shows nothing")
			}
			var u means.Update
			s.Update(&u, framework.NewMatrix(2, 2), stats)
			if u.Mass[0] != 0 || u.Mass[1] == 0 {
				t.Errorf("masses %v", u.Mass)
			}
		})
	}
}
