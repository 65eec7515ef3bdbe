package engine

import (
	"fmt"
	"strings"
)

// A list is n numbers of each row, none of them NULL: as many values, d0, d1, …, or one array where databases have
// dialect.Lists.
type list struct {
	*rows
	kind string // of the aliases
	n    int
}

// alias is that of the array.
func (l list) alias() string { return l.p + l.kind }

// values returns the values of the list, each of which may name the array that was bound by binding.
func (l list) values(entries []string, array string) []value {
	if l.Lists != nil {
		return []value{{l.Lists.Of(entries, l.bound(), array), l.alias()}}
	}
	all := make([]value, len(entries))
	for j, e := range entries {
		all[j] = value{e, l.name(l.kind, j)}
	}
	return all
}

// names returns the aliases of the list.
func (l list) names() []string {
	if l.Lists != nil {
		return []string{l.alias()}
	}
	names := make([]string, l.n)
	for j := range names {
		names[j] = l.name(l.kind, j)
	}
	return names
}

// least returns the least number.
func (l list) least() string {
	if l.Lists != nil {
		return l.Lists.Least(l.alias())
	}
	return l.Least(l.names())
}

// first returns the place of the first number that is the least, whose alias is given.
func (l list) first(least string) string {
	if l.n == 1 {
		return l.Integer("0")
	}
	if l.Lists != nil {
		return l.Lists.First(l.p+l.kind, least)
	}
	var b strings.Builder
	b.WriteString("CASE")
	for j := range l.n - 1 {
		fmt.Fprintf(&b, " WHEN %s <= %s THEN %d", l.name(l.kind, j), least, j)
	}
	fmt.Fprintf(&b, " ELSE %d END", l.n-1)
	return b.String()
}

// but returns the values of a list that is this one with infinity at a place.
func (l list) but(place string, kind string) []value {
	other := list{l.rows, kind, l.n}
	if l.Lists != nil {
		return []value{{l.Lists.But(l.p+l.kind, place), l.p + kind}}
	}
	entries := l.names()
	for j, d := range entries {
		entries[j] = fmt.Sprintf("CASE WHEN %s = %d THEN %s ELSE %s END", place, j, l.Infinity, d)
	}
	return other.values(entries, "")
}

// bound is the name that an array has within a list.
func (r *rows) bound() string { return r.p + "z" }

// binding returns how distances of a measure are written within a list or by choose.
func (r *rows) binding(m measure) measure {
	if r.Lists != nil && len(m.whole) > 0 {
		m.array = r.bound()
	}
	return m
}

// choose returns the number at a place of several, NULL where there is no such place in some databases, and 0 in others.
func (r *rows) choose(place string, entries []string, array string) string {
	if r.Lists != nil {
		return r.Lists.At(r.Lists.Of(entries, r.bound(), array), place)
	}
	var b strings.Builder
	b.WriteString("CASE")
	for j, e := range entries {
		fmt.Fprintf(&b, " WHEN %s = %d THEN %s", place, j, e)
	}
	return b.String() + " END"
}
