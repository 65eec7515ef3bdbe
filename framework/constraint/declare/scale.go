package declare

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

var _ framework.LabelScaler = (*LabelSet)(nil)

// Scale implements framework.LabelScaler. Of m of all n rows:
//
//   - size and share become sizes, those in rows times m/n
//   - capacity: times the part of the column's sum that the rows have, or m/n where some of
//     its numbers are below 0; and looser by the largest of their numbers, since a row cannot be cut (Shmoys and
//     Tardos 1993, An approximation algorithm for the generalized assignment problem)
//   - unique_per: of a value, times the part of its rows that are there; the largest of all values
//   - balance: lo times how much rarer a value has become, at most, and hi times how much more frequent
//
// All are rounded so that they allow more, not less. So none of them alone contradicts the
// number of rows, or of their values, if it did not before.
func (s *LabelSet) Scale(rows []int32, k int) (framework.LabelSet, error) {
	if rows == nil && k == s.Table.K {
		return s, nil
	}
	if s.Foreign != "" {
		return nil, framework.Faultf(framework.Data, "limits-not-scaled",
			"limits of kind %s, which a plugin serves, are those of all rows, and of none of them alone", s.Foreign).At("constraints")
	}
	of := scaling{from: s.Table, rows: rows}
	table, all := s.Table, s.Rows
	table.K = k
	if rows != nil {
		table.N = len(rows)
		table.Columns = make([]framework.LabelColumn, len(s.Table.Columns))
		for l, c := range s.Table.Columns {
			table.Columns[l] = someOf(c, rows)
		}
		all = make([]framework.ConstraintRow, len(s.Rows))
		for i, r := range s.Rows {
			all[i] = of.row(r)
		}
	}
	set, err := Labels(all, table)
	if err != nil {
		return nil, err
	}
	return set, nil
}

// some returns the entries of some rows.
func some[T any](of []T, rows []int32) []T {
	if of == nil {
		return nil
	}
	part := make([]T, len(rows))
	for t, i := range rows {
		part[t] = of[i]
	}
	return part
}

// someOf returns a column of some rows, without the values that none of them has.
func someOf(c framework.LabelColumn, rows []int32) framework.LabelColumn {
	out := framework.LabelColumn{Name: c.Name, Numbers: some(c.Numbers, rows), Codes: some(c.Codes, rows)}
	place := slices.Repeat([]int32{-1}, len(c.Values))
	for _, v := range out.Codes {
		if v >= 0 {
			place[v] = 0
		}
	}
	for v, there := range place {
		if there == 0 {
			place[v] = int32(len(out.Values))
			out.Values = append(out.Values, c.Values[v])
		}
	}
	for t, v := range out.Codes {
		if v >= 0 {
			out.Codes[t] = place[v]
		}
	}
	return out
}

// A scaling carries rows of a declaration over to some rows of a table.
type scaling struct {
	from framework.LabelTable
	rows []int32
}

// row returns a row of the declaration for the rows that there are.
func (s scaling) row(r framework.ConstraintRow) framework.ConstraintRow {
	switch r.Kind {
	case "size":
		r.Lo, r.Hi = s.size(r.Lo, 1, false), s.size(r.Hi, 1, true)
	case "share":
		r.Kind, r.Lo, r.Hi = "size", s.size(r.Lo, float64(s.from.N), false), s.size(r.Hi, float64(s.from.N), true)
	case "capacity":
		r.Lo, r.Hi = s.capacity(s.from.Column(*r.Feature).Numbers, r.Lo, r.Hi)
	case "unique_per":
		r.Hi = s.unique(s.from.Column(*r.Feature), r.Hi)
	case "balance":
		rarer, oftener := s.balance(s.from.Column(*r.Feature))
		r.Lo, r.Hi = scaled(r.Lo, rarer, 0, false), scaled(r.Hi, oftener, 0, true)
		if r.Hi != nil && *r.Hi > 1 {
			r.Hi = new(1.0)
		}
	}
	return r
}

// size scales a limit of a number of rows, in units of so many.
func (s scaling) size(limit *float64, unit float64, up bool) *float64 {
	if limit == nil || math.IsInf(*limit, 0) {
		return limit
	}
	rows := settled(*limit * unit)
	if up { // a limit of rows is whole: a part of a row is none
		rows = min(math.Floor(rows), float64(s.from.N))
	} else {
		rows = math.Ceil(rows)
	}
	return rounded(rows*float64(len(s.rows))/float64(s.from.N), up)
}

// settled takes away what rounding has put beside a whole number: 0.1 times 30 are 3.
func settled(v float64) float64 {
	if near := math.Round(v); math.Abs(v-near) <= 1e-9*max(1, math.Abs(v)) {
		return near
	}
	return v
}

// rounded returns the whole number at or above v, or at or below it.
func rounded(v float64, up bool) *float64 {
	if v = settled(v); up {
		return new(math.Ceil(v))
	}
	return new(math.Floor(v))
}

// capacity returns the limits of what numbers add up to.
func (s scaling) capacity(numbers []float64, lo, hi *float64) (_, _ *float64) {
	all, part, largest, below := 0.0, 0.0, 0.0, false
	for _, v := range numbers {
		all, below = all+v, below || v < 0
	}
	for _, i := range s.rows {
		part, largest = part+numbers[i], max(largest, math.Abs(numbers[i]))
	}
	factor := part / all
	if below || !(all > 0) || math.IsInf(all, 0) {
		factor = float64(len(s.rows)) / float64(s.from.N)
	}
	most := hi
	lo, hi = scaled(lo, factor, largest, false), scaled(hi, factor, largest, true)
	if hi != nil && !below { // what all rows of a cluster obey, some of them do
		hi = new(min(*hi, *most))
	}
	return lo, hi
}

// digits is how many digits limits have that are not whole.
const digits = 6

// scaled returns a limit times a factor, with few digits, and looser by some room.
func scaled(limit *float64, factor, room float64, up bool) *float64 {
	if limit == nil || math.IsInf(*limit, 0) {
		return limit
	}
	v := *limit*factor - room
	if up {
		v = *limit*factor + room
	}
	unit := math.Pow10(digits - int(math.Ceil(math.Log10(math.Abs(v)))))
	if v == 0 || math.IsInf(unit, 0) || unit == 0 { // as it is
		return &v
	}
	return new(*rounded(v*unit, up) / unit)
}

// unique returns the limit of rows of one value.
func (s scaling) unique(c *framework.LabelColumn, limit *float64) *float64 {
	hi := 1.0
	if limit != nil {
		hi = *limit
	}
	all, part := s.counts(c)
	most := 0.0
	for v, n := range all {
		if n > 0 {
			most = max(most, *rounded(min(hi, float64(n))*float64(part[v])/float64(n), true))
		}
	}
	return &most
}

// balance returns by which factors values have become rarer and more frequent, at most, of
// those that the rows have.
func (s scaling) balance(c *framework.LabelColumn) (rarer, oftener float64) {
	all, part := s.counts(c)
	rarer, oftener = 1, 1
	for v, m := range part {
		if m > 0 {
			factor := float64(m) / float64(len(s.rows)) * float64(s.from.N) / float64(all[v])
			rarer, oftener = min(rarer, factor), max(oftener, factor)
		}
	}
	return rarer, oftener
}

// counts returns how many of all rows, and of the rows that there are, have each value.
func (s scaling) counts(c *framework.LabelColumn) (all, part []int) {
	all, part = make([]int, len(c.Values)), make([]int, len(c.Values))
	for _, v := range c.Codes {
		if v >= 0 {
			all[v]++
		}
	}
	for _, i := range s.rows {
		if v := c.Codes[i]; v >= 0 {
			part[v]++
		}
	}
	return all, part
}
