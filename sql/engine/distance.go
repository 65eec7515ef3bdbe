package engine

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
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
		if m.missing == nil || m.missing[l] {
			text = "coalesce(" + text + ", " + r.Number(0) + ")"
		}
		terms = append(terms, text)
	}
	return terms
}

// nearness returns a number that grows with the distance of a row from a point, of those that
// are compared with each other.
func (r *rows) nearness(m measure, point []float64) string {
	if m.origin == nil {
		return r.compared(m, point)
	}
	squares, terms := 0.0, []string{""}
	for _, l := range m.parts {
		if v := m.weight(l) * (point[l] - m.origin[l]); v != 0 {
			squares += v * (point[l] + m.origin[l])
			terms = append(terms, r.name("x", l)+" * ("+r.Number(-2*v)+")")
		}
	}
	terms[0] = r.Number(squares)
	return r.sum(terms)
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

// array returns the array of a measure, of the cells in fitted space; none if it has none.
func (r *rows) array(m measure) []value {
	if m.bindable() == "" {
		return nil
	}
	cells := make([]string, len(m.whole))
	for i, l := range m.whole {
		cells[i] = r.rooted(m, l)
	}
	return []value{{r.Array(cells), m.array}}
}

// rooted returns the cell of a feature, whose square has no weight any more.
func (r *rows) rooted(m measure, l int) string {
	x := r.name("x", l)
	if w := rootOf(m.weight(l)); w != 1 {
		x += " * " + r.Number(w)
	}
	return x
}

// distances returns the distances of rows from points, for a list.
func (r *rows) distances(m measure, points framework.Matrix, distance func(m measure, point []float64) string) entries {
	if m.byFeature {
		return entries{all: r.Lists.Sum(r.differences(m, points), r.bound())}
	}
	of := entries{each: make([]string, points.Rows), array: m.bindable()}
	if r.Lists != nil && of.array != "" {
		m.array = r.bound()
	}
	for j := range of.each {
		of.each[j] = distance(m, points.Row(j))
	}
	return of
}

// nearest returns the numbers of nearness to points.
func (r *rows) nearest(m measure, points framework.Matrix) entries {
	if m.byFeature && m.origin != nil {
		return entries{all: r.Lists.Sum(r.products(m, points), r.bound())}
	}
	return r.distances(m, points, r.nearness)
}

// differences are the terms of the squares of distances, which squared adds up in the same order.
func (r *rows) differences(m measure, points framework.Matrix) []dialect.Term {
	var terms []dialect.Term
	for _, l := range m.whole {
		of := make([]float64, points.Rows)
		for j := range of {
			of[j] = rootOf(m.weight(l)) * points.Row(j)[l]
		}
		terms = append(terms, dialect.Term{Row: []string{r.rooted(m, l)}, Points: [][]float64{of}, Of: func(row, point []string) string {
			d := "(" + point[0] + " - " + row[0] + ")"
			return d + " * " + d
		}})
	}
	for _, l := range m.parts {
		terms = append(terms, r.difference(m, l, points))
	}
	return terms
}

// difference is the term of a feature that rows may lack: a weight, which is 0 where the cell is missing, times the square.
func (r *rows) difference(m measure, l int, points framework.Matrix) dialect.Term {
	x := r.name("x", l)
	of, has, lacks := make([]float64, points.Rows), make([]float64, points.Rows), false
	for j := range of {
		if v := points.Row(j)[l]; v == v {
			of[j], has[j] = v, 1
		} else {
			lacks = true
		}
	}
	weight := "CASE WHEN " + x + " IS NULL THEN " + r.Number(0) + " ELSE " + r.Number(m.weight(l)) + " END"
	cell := "coalesce(" + x + ", " + r.Number(0) + ")"
	t := dialect.Term{Row: []string{cell, weight}, Points: [][]float64{of}, Of: func(row, point []string) string {
		d := "(" + row[0] + " - " + point[0] + ")"
		text := row[1] + " * " + d + " * " + d
		if lacks {
			text = point[1] + " * " + text
		}
		return text
	}}
	if lacks {
		t.Points = append(t.Points, has)
	}
	return t
}

// products are the terms of nearness by products.
func (r *rows) products(m measure, points framework.Matrix) []dialect.Term {
	squares := make([]float64, points.Rows)
	terms := []dialect.Term{{Points: [][]float64{squares}, Of: func(_, point []string) string { return point[0] }}}
	for _, l := range m.parts {
		of := make([]float64, points.Rows)
		for j := range of {
			c := points.Row(j)[l]
			v := m.weight(l) * (c - m.origin[l])
			squares[j] += v * (c + m.origin[l])
			of[j] = -2 * v
		}
		terms = append(terms, dialect.Term{Row: []string{r.name("x", l)}, Points: [][]float64{of}, Of: func(row, point []string) string {
			return row[0] + " * " + point[0]
		}})
	}
	return terms
}

// bindable is the alias of the array of a measure, "" if it has none.
func (m measure) bindable() string {
	if len(m.whole) == 0 || m.byFeature {
		return ""
	}
	return m.array
}

// label adds layers in which rows have the labels that ls give, as the aliases as: the first of
// the nearest centers. The rows have all cells; carried are the aliases that the result has
// beside.
func (r *rows) label(of layers, ls []labelling, as []string, carried []string) layers {
	arrays, have := passed(carried), map[string]bool{}
	for _, c := range carried {
		have[c] = true
	}
	add := func(v value) {
		if !have[v.name] {
			arrays, have[v.name] = append(arrays, v), true
		}
	}
	distances, least := passed(carried), passed(carried)
	for _, l := range ls {
		if l.trivial() {
			continue
		}
		for _, a := range r.array(l.measure) {
			add(a)
		}
		for _, f := range l.cells() {
			add(value{name: r.name("x", f)})
		}
		d := l.list(r)
		distances = append(distances, d.values(r.nearest(l.measure, l.centers))...)
		of = of.measured(l.measure, l.centers.Rows)
		least = append(append(least, passed(d.names())...), value{d.least(), r.least(l.kind)})
	}
	if len(distances) > len(carried) {
		of = of.over(arrays...).over(distances...).over(least...)
	}
	labels := passed(carried)
	for i, l := range ls {
		first := r.Integer("0")
		if !l.trivial() {
			first = l.list(r).first(r.least(l.kind))
		}
		labels = append(labels, value{first, as[i]})
	}
	return of.over(labels...)
}

// trivial reports whether all rows have the label 0.
func (l labelling) trivial() bool { return l.centers.Rows < 2 || len(l.whole)+len(l.parts) == 0 }

// list is that of the distances.
func (l labelling) list(r *rows) list { return list{r, l.kind, l.centers.Rows} }

// least is the alias of the least number of a list.
func (r *rows) least(kind string) string { return r.p + kind + "m" }
