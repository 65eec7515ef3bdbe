package engine

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/dialect"
)

// exact writes sums whose bits do not depend on the order of the rows, nor on how an
// engine shares them out: a value x, |x| ≤ 2^e, is rounded to a multiple h of the grid
// 2^g, and what is left to a multiple l of 2^f,
//
//	h = (x + 1.5·2^(g+52)) − 1.5·2^(g+52),   l = ((x − h) + 1.5·2^(f+52)) − 1.5·2^(f+52)
//
// With n < 2^b rows, g = e + b − 53 and f = g + b − 54, all sums of some h and of some l
// are whole multiples of their grid below 2^53 of it, which a float64 has exactly. What is
// lost of a value is at most 2^(f−1) = 2^(e+2b−108): nothing that x has for up to 2²⁷ rows,
// and 2^e · 2⁻⁴⁸ for 10⁹.
//
// Source: the pre-rounding of Demmel and Nguyen (2013), Fast reproducible floating-point
// summation, https://doi.org/10.1109/ARITH.2013.9.
type exact struct {
	d    dialect.Dialect
	bits int // b
	list []aggregate
}

// An aggregate is one of a statement.
type aggregate struct {
	of      string // the value that is summed up; "": it is no sum
	all     string // SQL
	rounded bool   // the sum depends on the order of the rows
}

func newExact(d dialect.Dialect, rows int) *exact {
	return &exact{d: d, bits: max(3, bits.Len(uint(max(rows, 1))))}
}

// add adds the sums of an expression whose absolute values are at most most. NULLs are
// left out.
func (x *exact) add(value string, most float64) {
	if !(most > 0) || math.IsInf(most, 1) {
		x.sum(value)
		x.list[len(x.list)-1].rounded = most != 0
		x.plain(x.d.Number(0))
		return
	}
	_, e := math.Frexp(most)
	g := max(e+x.bits-53, -1020)
	f := max(g+x.bits-54, -1020)
	high, low := x.d.Number(math.Ldexp(1.5, g+52)), x.d.Number(math.Ldexp(1.5, f+52))
	if g+52 > 1022 { // too large for a grid
		x.sum(value)
		x.list[len(x.list)-1].rounded = true
		x.plain(x.d.Number(0))
		return
	}
	h := fmt.Sprintf("((%s + %s) - %s)", value, high, high)
	x.sum(h)
	x.sum(fmt.Sprintf("((%s - %s) + %s) - %s", value, h, low, low))
}

// sum adds a sum.
func (x *exact) sum(of string) { x.list = append(x.list, aggregate{of: of, all: "sum(" + of + ")"}) }

// plain adds any other aggregate.
func (x *exact) plain(all string) { x.list = append(x.list, aggregate{all: all}) }

// String returns the list of the aggregates. Where a database adds up arrays, the array of
// all sums is the last.
func (x *exact) String() string {
	var list, sums []string
	for _, a := range x.list {
		if a.of != "" && x.together() {
			sums = append(sums, a.of)
		} else {
			list = append(list, a.all)
		}
	}
	if sums != nil {
		list = append(list, x.d.Sums(sums))
	}
	return strings.Join(list, ", ")
}

// together reports whether the sums are one array.
func (x *exact) together() bool {
	sums := 0
	for _, a := range x.list {
		if a.of != "" {
			sums++
		}
	}
	return x.d.Sums != nil && sums > x.d.FewSums
}

// read returns the cells of a row, with those of the aggregates, from a place on, as they
// were added.
func (x *exact) read(row []any, from int) *answer {
	if !x.together() {
		return &answer{row: row}
	}
	var sums []float64
	if len(row) > from {
		sums, _ = row[len(row)-1].([]float64)
	}
	cells, plain := append([]any{}, row[:from]...), row[from:]
	for _, a := range x.list {
		switch {
		case a.of == "":
			cells, plain = append(cells, plain[0]), plain[1:]
		case len(sums) == 0:
			cells = append(cells, nil)
		default:
			cells, sums = append(cells, sums[0]), sums[1:]
		}
	}
	return &answer{row: cells}
}

// An answer reads the cells of a row one after the other.
type answer struct {
	row []any
	at  int
}

// number returns the next cell, 0 if it is NULL.
func (a *answer) number() float64 {
	v := a.row[a.at]
	a.at++
	return numberOf(v, 0)
}

// sum returns the next two cells, which are those of exact.add.
func (a *answer) sum() (high, low float64) { return a.number(), a.number() }

func (a *answer) int() int { return int(a.number()) }

// numberOf returns a cell as a number; that of NULL is null.
func numberOf(v any, null float64) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	case bool:
		if v {
			return 1
		}
		return 0
	}
	return null
}

// textOf returns a cell as a text.
func textOf(v any) string {
	if v == nil {
		return "NULL"
	}
	return fmt.Sprint(v)
}
