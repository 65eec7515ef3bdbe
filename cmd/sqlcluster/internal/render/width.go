package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// A Terminal is a writer whose lines have a limited number of characters: a table
// that is wider loses what does not fit, and says so.
type Terminal interface {
	Width() int // 0: unlimited
}

// WidthOf returns the characters that a line of a writer has, or 0.
func WidthOf(w interface{ Write([]byte) (int, error) }) int {
	if t, ok := w.(Terminal); ok {
		return t.Width()
	}
	return 0
}

const (
	columnGap    = 2  // blanks behind each column
	narrowText   = 16 // of a column of text, below which columns are dropped instead
	narrowProse  = 24 // the same of sentences, which are wrapped
	leastColumns = 1
)

// A layout is a table as text, and what of it fits.
type layout struct {
	header []string
	rows   [][]string
	number []bool // columns of numbers, which are never shortened
	prose  bool

	least []int        // columns that are left out first
	gone  map[int]bool // those of them that have been
}

// widths returns the width of each column.
func (l *layout) widths() []int {
	widths := make([]int, len(l.header))
	for i, h := range l.header {
		widths[i] = text.StringWidthWithoutEscSequences(h)
		for _, row := range l.rows {
			widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(row[i]))
		}
	}
	return widths
}

// total returns how many characters columns of these widths need.
func total(widths []int) int {
	n := 0
	for _, w := range widths {
		n += w + columnGap
	}
	return n
}

// Fits says whether a table, of rows that are there, has room in a terminal whole:
// no column is dropped and no text loses its middle.
func Fits(t Table, limit int) bool {
	p := newPage(t, false)
	for _, row := range t.Rows {
		p.add(row)
	}
	return limit == 0 || total(p.layout.widths()) <= limit
}

// fit makes a table as narrow as limit: columns are dropped that have no room, those
// that tell least and then the last, and then the longest texts lose their middle, or are wrapped if they are
// sentences. It returns how many columns are left.
func (l *layout) fit(limit int) int {
	widths := l.widths()
	if total(widths) <= limit {
		return len(widths)
	}
	floor := l.floor(widths)
	if l.leaveLeast(floor, limit) {
		return l.fit(limit)
	}
	left := len(widths)
	for left > leastColumns && total(floor[:left]) > limit {
		left--
	}
	widths = widths[:left]
	for total(widths) > limit {
		widest := -1
		for i, w := range widths {
			if w > floor[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break // a terminal that is narrower than one column
		}
		widths[widest]--
	}
	l.cut(widths)
	return left
}

// floor returns the least width of each column.
func (l *layout) floor(widths []int) []int {
	floor := slices.Clone(widths)
	for i := range floor {
		if least := map[bool]int{true: narrowProse, false: narrowText}[l.prose]; !l.number[i] {
			floor[i] = min(floor[i], max(least, text.StringWidthWithoutEscSequences(l.header[i])))
		}
	}
	return floor
}

// leaveLeast leaves out those of the columns that tell least for which there is no room,
// and reports whether there are some.
func (l *layout) leaveLeast(floor []int, limit int) bool {
	needed := total(floor)
	l.gone = map[int]bool{}
	for _, i := range l.least {
		if needed > limit {
			l.gone[i] = true
			needed -= floor[i] + columnGap
		}
	}
	l.least = nil
	if len(l.gone) == 0 {
		return false
	}
	l.header, l.number = kept(l.header, l.gone), kept(l.number, l.gone)
	l.leaveOut()
	return true
}

// leaveOut leaves out of rows what has been left out of the header.
func (l *layout) leaveOut() {
	for i, row := range l.rows {
		l.rows[i] = kept(row, l.gone)
	}
}

// kept returns what of a list is not gone.
func kept[T any](all []T, gone map[int]bool) []T {
	if len(gone) == 0 {
		return all
	}
	var left []T
	for i, v := range all {
		if !gone[i] {
			left = append(left, v)
		}
	}
	return left
}

// missing returns which of the columns of a table are not shown.
func (p *page) missing(columns []string) []string {
	var rest []string
	for i, name := range columns {
		if p.gone[i] {
			rest = append(rest, name)
		}
	}
	return append(rest, kept(columns, p.gone)[len(p.widths):]...)
}

// cut drops the columns that have no width, and brings the others to theirs.
func (l *layout) cut(widths []int) {
	narrow := func(row []string) {
		for i, w := range widths {
			switch {
			case text.StringWidthWithoutEscSequences(row[i]) <= w:
			case l.prose:
				row[i] = text.WrapSoft(row[i], w)
			default:
				row[i] = squeezed(row[i], w)
			}
		}
	}
	narrow(l.header)
	l.header, l.number = l.header[:len(widths)], l.number[:len(widths)]
	for i, row := range l.rows {
		narrow(row)
		l.rows[i] = row[:len(widths)]
	}
}

// squeezed shortens a text to a width, which characters may have more than one of.
func squeezed(s string, width int) string {
	for n := width; n > 2; n-- {
		if short := Short(s, n); text.StringWidthWithoutEscSequences(short) <= width {
			return short
		}
	}
	return "…"
}

// longestItem is the longest of the names of a list.
const longestItem = 40

// List returns names with commas between them, the first of them that have room in a line
// of a terminal, and an ellipsis for the others; 0 is room for all.
func List(names []string, room int) string {
	list := ""
	for i, name := range names {
		next := Short(Safe(name), longestItem)
		if i > 0 {
			next = list + ", " + next
		}
		rest := map[bool]string{true: "…"}[i < len(names)-1]
		if room > 0 && text.StringWidthWithoutEscSequences(next+rest) > room {
			return cmp.Or(list, squeezed(next, max(1, room-1))) + "…"
		}
		list = next
	}
	return list
}

// unseen says which columns are not shown, and how to see them.
func unseen(t Table, rest []string, limit int) string {
	what := fmt.Sprintf("… and %d more columns, %s to %s", len(rest), Safe(rest[0]), Safe(rest[len(rest)-1]))
	switch len(rest) {
	case 1:
		what = "… and 1 more column, " + Safe(rest[0])
	case 2:
		what = "… and 2 more columns, " + Safe(rest[0]) + " and " + Safe(rest[1])
	}
	how := t.More
	if how == "" {
		how = "-o csv shows all"
	}
	if line := what + ": " + how; text.StringWidthWithoutEscSequences(line) <= limit {
		return line
	}
	var lines []string
	for line := range strings.Lines(text.WrapSoft(what+":", limit)) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.Join(append(lines, how), "\n") // a command stays in one line, to be pasted
}
