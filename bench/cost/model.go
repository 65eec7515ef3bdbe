package main

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// A model is what an iteration costs, in seconds:
//
//	trip + plan·k·p + rows·(row + cell·p + cluster·k + product·k·p)
//
// where row, cell, cluster and product are those of the two processors of the machine that it was measured on.
type model [6]float64

var terms = [6]struct{ name, of string }{
	{"round trip", ""}, {"planning", "k·p"}, {"row", "rows"}, {"cell", "rows·p"}, {"cluster", "rows·k"}, {"product", "rows·k·p"},
}

// parts returns what each coefficient is multiplied by.
func (l line) parts() [6]float64 {
	return [6]float64{1, l.k * l.p, l.rows, l.rows * l.p, l.rows * l.k, l.rows * l.k * l.p}
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
			square += math.Pow(m.seconds(l)/l.iteration-1, 2)
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
			scale[c] = math.Max(scale[c], l.parts()[i]/l.iteration)
		}
	}
	for r, l := range lines {
		for c, i := range of {
			a.Set(r, c, l.parts()[i]/l.iteration/scale[c])
		}
		b.SetVec(r, 1)
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
		of := terms[i].of
		if of != "" {
			of = " × " + of
		}
		fmt.Fprintf(&b, "  %-10s %9.3g s%s\n", terms[i].name, v, of)
	}
	return b.String()
}

// residuals is a table of what was measured beside the model.
func residuals(m model, lines []line) string {
	var b strings.Builder
	b.WriteString("| servers | rows | columns | k | iteration, s | model, s | off |\n|---|---|---|---|---|---|---|\n")
	for _, l := range lines {
		s := m.seconds(l)
		fmt.Fprintf(&b, "| %.0f | %.0f | %.0f | %.0f | %.2f | %.2f | %+.0f %% |\n", l.servers, l.rows, l.p, l.k, l.iteration, s, 100*(s/l.iteration-1))
	}
	return b.String()
}
