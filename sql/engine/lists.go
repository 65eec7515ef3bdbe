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

// entries are the numbers of a list: each by itself, in which a name may stand for an array, or all of them as an array.
type entries struct {
	each  []string
	array string // the alias of what the name bound stands for; "": the name is not there
	all   string // "": there are only each
}

// text returns the entries as an array.
func (r *rows) text(e entries) string {
	if e.all != "" {
		return e.all
	}
	return r.Lists.Of(e.each, r.bound(), e.array)
}

// values returns the values of the list.
func (l list) values(e entries) []value {
	if l.Lists != nil {
		return []value{{l.text(e), l.alias()}}
	}
	all := make([]value, len(e.each))
	for j, e := range e.each {
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
	each := l.names()
	for j, d := range each {
		each[j] = fmt.Sprintf("CASE WHEN %s = %d THEN %s ELSE %s END", place, j, l.Infinity, d)
	}
	return other.values(entries{each: each})
}

// bound is the name that an array has within a list.
func (r *rows) bound() string { return r.p + "z" }

// choose returns the number at a place of several, NULL where there is no such place in some databases, and 0 in others.
func (r *rows) choose(place string, of entries) string {
	if r.Lists != nil {
		return r.Lists.At(r.text(of), place)
	}
	var b strings.Builder
	b.WriteString("CASE")
	for j, e := range of.each {
		fmt.Fprintf(&b, " WHEN %s = %d THEN %s", place, j, e)
	}
	return b.String() + " END"
}
