package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// A model is what an iteration costs, in seconds of processors:
//
//	servers·(trip + plan·k·p) + share·k·p + rows·(row + cell·p + cluster·k + product·k·p)
//
// Each server reads and plans the statement, which takes one processor, and that which is asked shares it out,
// if there are others; all of them share the rows.
type model [7]float64

// planning is how many of the terms are those of a statement, whatever the rows; sharing is the last of them.
const (
	planning = 3
	sharing  = 2
)

var terms = [len(model{})]struct{ name, of string }{
	{"statement", "servers"}, {"planning", "servers·k·p"}, {"sharing", "k·p, if there are several servers"},
	{"row", "rows"}, {"cell", "rows·p"}, {"cluster", "rows·k"}, {"product", "rows·k·p"},
}

// parts returns what each coefficient is multiplied by.
func (l line) parts() model {
	of := model{l.servers, l.servers * l.k * l.p, 0, l.rows, l.rows * l.p, l.rows * l.k, l.rows * l.k * l.p}
	if l.servers > 1 {
		of[sharing] = l.k * l.p
	}
	return of
}

// seconds returns what the model says of a line.
func (m model) seconds(l line) float64 {
	s := 0.0
	for i, x := range l.parts() {
		s += m[i] * x
	}
	return s
}

// fitted returns the model of least relative squares, Σ (model/measured − 1)², of those without negative
// coefficients: the best over all sets of terms.
func fitted(lines []line) model {
	var best model
	least := math.Inf(1)
	for set := 1; set < 1<<len(terms); set++ {
		m, ok := solve(lines, set)
		if !ok {
			continue
		}
		square := 0.0
		for _, l := range lines {
			square += math.Pow(m.seconds(l)/l.cpu-1, 2)
		}
		if square < least {
			best, least = m, square
		}
	}
	return best
}

// solve fits the terms of a set, and reports whether no coefficient is negative.
func solve(lines []line, set int) (m model, ok bool) {
	var of []int
	for i := range terms {
		if set>>i&1 == 1 {
			of = append(of, i)
		}
	}
	if len(of) > len(lines) {
		return m, false
	}
	a, b := mat.NewDense(len(lines), len(of), nil), mat.NewVecDense(len(lines), nil)
	scale := make([]float64, len(of)) // so that columns are of one size
	for c, i := range of {
		for _, l := range lines {
			scale[c] = math.Max(scale[c], l.parts()[i]/l.cpu)
		}
	}
	for r, l := range lines {
		for c, i := range of {
			a.Set(r, c, l.parts()[i]/l.cpu/scale[c])
		}
		b.SetVec(r, 1)
	}
	if slices.Contains(scale, 0) { // nothing was measured that has this term
		return m, false
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		return m, false
	}
	for c, i := range of {
		if m[i] = x.AtVec(c) / scale[c]; m[i] < 0 {
			return m, false
		}
	}
	return m, true
}

// String writes the coefficients.
func (m model) String() string {
	var b strings.Builder
	for i, v := range m {
		fmt.Fprintf(&b, "  %-10s %9.3g s × %s\n", terms[i].name, v, terms[i].of)
	}
	return b.String()
}

// residuals is a table of what was measured beside the model.
func residuals(m model, lines []line) string {
	var b strings.Builder
	b.WriteString("| servers | rows | columns | k | measured, s | model, s | off |\n|---|---|---|---|---|---|---|\n")
	sum, most := 0.0, 0.0
	for _, l := range lines {
		s := m.seconds(l)
		off := s/l.cpu - 1
		sum, most = sum+math.Abs(off), max(most, math.Abs(off))
		fmt.Fprintf(&b, "| %.0f | %.0f | %.0f | %.0f | %.3g | %.3g | %+.0f %% |\n", l.servers, l.rows, l.p, l.k, l.cpu, s, 100*off)
	}
	fmt.Fprintf(&b, "\noff by %.0f %% on average, and by %.0f %% at most\n", 100*sum/float64(len(lines)), 100*most)
	return b.String()
}
