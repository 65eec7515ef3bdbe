package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// squared returns the square of the distance of a row from a point. Missing cells, NaN in
// the point, are left out.
func (r *rows) squared(m measure, point []float64) string {
	var terms []string
	if len(m.whole) > 0 {
		apart := r.apart(m, point)
		if r.Rooted {
			apart = "pow(" + apart + ", 2)"
		}
		terms = append(terms, apart)
	}
	return r.sum(append(terms, r.parts(m, point)...))
}

// apart compares the array of a row with that of a point.
func (r *rows) apart(m measure, point []float64) string {
	entries := make([]float64, len(m.whole))
	for i, l := range m.whole {
		entries[i] = rootOf(m.weight(l)) * point[l]
	}
	return r.Apart(m.array, r.Numbers(entries))
}

// rootOf returns the factor of cells whose squares have a weight.
func rootOf(weight float64) float64 {
	if weight == 1 {
		return 1
	}
	return math.Sqrt(weight)
}

// parts returns the terms of the features that are compared one by one.
func (r *rows) parts(m measure, point []float64) []string {
	var terms []string
	for _, l := range m.parts {
		if point[l] != point[l] {
			continue
		}
		d := r.less(r.name("x", l), point[l])
		text := d + " * " + d
		if w := m.weight(l); w != 1 {
			text = r.Number(w) + " * " + text
		}
		terms = append(terms, "coalesce("+text+", "+r.Number(0)+")")
	}
	return terms
}

// compared returns a number that grows with the distance of a row from a point: its
// square, or the distance itself where that is quicker.
func (r *rows) compared(m measure, point []float64) string {
	if r.roots(m) {
		return r.apart(m, point)
	}
	return r.squared(m, point)
}

// roots reports whether compared returns the distance itself.
func (r *rows) roots(m measure) bool { return r.Rooted && len(m.parts) == 0 && len(m.whole) > 0 }

// array returns the array of a measure with its alias, of the cells in fitted space; "" if
// it has none.
func (r *rows) array(m measure) string {
	if len(m.whole) == 0 {
		return ""
	}
	cells := make([]string, len(m.whole))
	for i, l := range m.whole {
		cells[i] = r.name("x", l)
		if w := rootOf(m.weight(l)); w != 1 {
			cells[i] += " * " + r.Number(w)
		}
	}
	return r.Array(cells) + " AS " + m.array
}

// label adds layers in which rows have the labels that ls give, as the aliases as: the first of
// the nearest centers. The rows in text have all cells; carried are the aliases that the result has
// beside.
func (r *rows) label(text string, ls []labelling, as []string, carried []string) string {
	arrays, have := slices.Clone(carried), map[string]bool{}
	for _, c := range carried {
		have[c] = true
	}
	add := func(alias, expression string) {
		if !have[alias] {
			arrays, have[alias] = append(arrays, expression), true
		}
	}
	var distances, least []string
	for _, l := range ls {
		if l.trivial() {
			continue
		}
		if a := r.array(l.measure); a != "" {
			add(l.array, a)
		}
		for _, f := range l.parts {
			add(r.name("x", f), r.name("x", f))
		}
		names := make([]string, l.centers.Rows)
		for j := range names {
			names[j] = r.name(l.kind, j)
			distances = append(distances, r.compared(l.measure, l.centers.Row(j))+" AS "+names[j])
		}
		smallest := r.p + "m"
		if l.kind != "d" {
			smallest = r.p + l.kind + "m"
		}
		least = append(append(least, names...), r.Least(names)+" AS "+smallest)
	}
	layer := func(list []string) { text = "SELECT " + strings.Join(list, ", ") + " FROM (" + text + ")" }
	if distances != nil {
		layer(arrays)
		layer(append(slices.Clone(carried), distances...))
		layer(append(slices.Clone(carried), least...))
	}
	list := slices.Clone(carried)
	for i, l := range ls {
		list = append(list, r.first(l)+" AS "+as[i])
	}
	layer(list)
	return text
}

// trivial reports whether all rows have the label 0.
func (l labelling) trivial() bool { return l.centers.Rows < 2 || len(l.whole)+len(l.parts) == 0 }

// first returns the number of the first of the nearest centers.
func (r *rows) first(l labelling) string {
	if l.trivial() {
		return "0"
	}
	return r.nearest(l.kind, l.centers.Rows)
}

// nearest returns the number of the first of some distances that is the least, m.
func (r *rows) nearest(kind string, k int) string {
	if k == 1 {
		return "0"
	}
	least := r.p + "m"
	if kind != "d" {
		least = r.p + kind + "m"
	}
	var b strings.Builder
	b.WriteString("CASE")
	for j := range k - 1 {
		fmt.Fprintf(&b, " WHEN %s <= %s THEN %d", r.name(kind, j), least, j)
	}
	fmt.Fprintf(&b, " ELSE %d END", k-1)
	return b.String()
}
