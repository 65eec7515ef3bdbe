// Package clustertest has what the tests of algorithms share: rows in memory, their
// problem and its fit, and reference tables.
package clustertest

import (
	"context"
	"encoding/csv"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// T is the part of testing.T and rapid.T that is used.
type T interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Rows is a matrix as blocks of Size rows.
type Rows struct {
	X       framework.Matrix
	Weights []float64 // of rows; nil: all 1
	Size    int
}

// Len implements framework.Rows.
func (r Rows) Len() int { return r.X.Rows }

// Blocks implements framework.Rows.
func (r Rows) Blocks() int { return (r.X.Rows + r.Size - 1) / r.Size }

// Block implements framework.Rows.
func (r Rows) Block(i int) framework.Block {
	from, to := i*r.Size, min((i+1)*r.Size, r.X.Rows)
	b := framework.Block{Index: i, Row0: from, X: r.X.Slice(from, to)}
	if r.Weights != nil {
		b.RowWeight = r.Weights[from:to]
	}
	return b
}

// Problem describes the rows, without scaling.
func (r Rows) Problem(k int) framework.Problem {
	p := framework.Problem{N: r.X.Rows, P: r.X.Cols, K: k, Seed: 1, Weighted: r.Weights != nil, Columns: make([]framework.Column, r.X.Cols)}
	for i := range r.X.Rows {
		p.Mass += r.weight(i)
	}
	for l := range p.Columns {
		c := &p.Columns[l]
		*c = framework.Column{Name: "x" + strconv.Itoa(l), Group: l, Scale: 1, Min: math.Inf(1), Max: math.Inf(-1)}
		r.each(l, func(v, w float64) {
			c.Mass, c.Mean = c.Mass+w, c.Mean+w*v
			c.Min, c.Max = min(c.Min, v), max(c.Max, v)
		}, func() { c.Missing++ })
		if c.Mean /= c.Mass; c.Mass == 0 {
			c.Mean, c.Min, c.Max = 0, 0, 0
			continue
		}
		var rest float64 // what rounding has left out of the mean
		r.each(l, func(v, w float64) { rest += w * (v - c.Mean) }, func() {})
		c.Mean += rest / c.Mass
		r.each(l, func(v, w float64) { c.SumSq += w * (v - c.Mean) * (v - c.Mean) }, func() {})
	}
	return p
}

func (r Rows) weight(i int) float64 {
	if r.Weights == nil {
		return 1
	}
	return r.Weights[i]
}

func (r Rows) each(l int, observed func(v, w float64), missing func()) {
	for i := range r.X.Rows {
		if v := r.X.Row(i)[l]; v == v {
			observed(v, r.weight(i))
		} else {
			missing()
		}
	}
}

// A Fitted is a finished fit, with what it was made from.
type Fitted struct {
	*fit.Result
	Problem   framework.Problem
	Clusterer framework.Clusterer
}

// Fit fits the problem with parameters given as text. The settings are one start,
// 1000 iterations and one thread; change, if not nil, changes them.
func (r Rows) Fit(t T, a framework.Algorithm, p framework.Problem, params map[string]string, start fit.Start,
	change func(*fit.Settings)) Fitted {
	t.Helper()
	return fitOf(t, a, r, p, params, start, change)
}

func fitOf(t T, a framework.Algorithm, rows framework.Rows, p framework.Problem, params map[string]string, start fit.Start,
	change func(*fit.Settings)) Fitted {
	t.Helper()
	var err error
	if p.Params, err = a.Describe().Resolve(params); err != nil {
		t.Fatal(err)
	}
	c := must.Get(a.New(p))(t)
	return run(t, c, rows, p, start, change)
}

// Run is Fit with a clusterer.
func (r Rows) Run(t T, c framework.Clusterer, p framework.Problem, start fit.Start, change func(*fit.Settings)) Fitted {
	t.Helper()
	return run(t, c, r, p, start, change)
}

func run(t T, c framework.Clusterer, rows framework.Rows, p framework.Problem, start fit.Start, change func(*fit.Settings)) Fitted {
	t.Helper()
	s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 1, MaxIter: 1000, Empty: framework.Reseed, Threads: 1}
	if change != nil {
		change(&s)
	}
	res := must.Get(fit.Run(context.Background(), c, p, rows, start, s, nil))(t)
	return Fitted{res, p, c}
}

// Standardise centers each column at its mean and divides it by its standard
// deviation, with divisor n − 1; a constant column is centered only.
func (r Rows) Standardise() {
	for l, c := range r.Problem(1).Columns {
		scale := math.Sqrt(c.SumSq / (c.Mass - 1))
		if c.Constant() {
			scale = 1
		}
		for i := range r.X.Rows {
			r.X.Row(i)[l] = (r.X.Row(i)[l] - c.Mean) / scale
		}
	}
}

// SamePartition reports whether two labelings are equal up to the numbering of the
// clusters.
func SamePartition(a, b []int32) bool {
	to, from := map[int32]int32{}, map[int32]int32{}
	for i, j := range a {
		other, seen := to[j]
		back, met := from[b[i]]
		if seen != met || seen && (other != b[i] || back != j) {
			return false
		}
		to[j], from[b[i]] = b[i], j
	}
	return len(a) == len(b)
}

// A Table is a CSV file with a header.
type Table struct {
	Header []string
	Cells  [][]string
}

// ReadTable reads a CSV file.
func ReadTable(t T, path string) Table {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer func() { _ = f.Close() }()
	rows := must.Get(csv.NewReader(f).ReadAll())(t)
	return Table{rows[0], rows[1:]}
}

// Column returns the numbers of a column; an empty field is NaN.
func (tb Table) Column(t T, name string) []float64 {
	t.Helper()
	l := slices.Index(tb.Header, name)
	if l < 0 {
		t.Fatalf("there is no column %q in %v", name, tb.Header)
	}
	numbers := slices.Repeat([]float64{math.NaN()}, len(tb.Cells))
	for i, row := range tb.Cells {
		if row[l] == "" {
			continue
		}
		var err error
		if numbers[i], err = strconv.ParseFloat(row[l], 64); err != nil {
			t.Fatal(err)
		}
	}
	return numbers
}

// Labels returns a column of labels that are numbered from first; an empty field is
// −1.
func (tb Table) Labels(t T, name string, first int) []int32 {
	t.Helper()
	labels := make([]int32, len(tb.Cells))
	for i, v := range tb.Column(t, name) {
		labels[i] = -1
		if v == v {
			labels[i] = int32(int(v) - first)
		}
	}
	return labels
}

// Rows returns the whole table as rows.
func (tb Table) Rows(t T) Rows {
	t.Helper()
	r := Rows{X: framework.NewMatrix(len(tb.Cells), len(tb.Header)), Size: 64}
	for l, name := range tb.Header {
		for i, v := range tb.Column(t, name) {
			r.X.Row(i)[l] = v
		}
	}
	return r
}
