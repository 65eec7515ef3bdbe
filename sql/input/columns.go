package input

import (
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// SplitColumns splits the text of a flag that takes columns at its commas. An
// item is a name, a pattern, or a name in double quotes as in SQL, in which
// commas are part of the name; the quotes stay with the item. A quote that does
// not begin an item, or that is not closed, is a character like others.
func SplitColumns(text string) []string {
	if text == "" {
		return nil
	}
	var items []string
	for {
		n := quotedLength(text)
		if n < 0 {
			n = strings.IndexByte(text, ',')
		}
		if n < 0 || n == len(text) {
			return append(items, text)
		}
		items = append(items, text[:n])
		text = text[n+1:]
	}
}

// quotedItem is a name in quotes, up to the comma or the end.
var quotedItem = pattern.New(`^\s*"((?:[^"]|"")*)"\s*(?:,|$)`)

// quotedLength returns the length of the name in quotes that text begins with,
// without the comma behind it, or −1.
func quotedLength(text string) int {
	found := quotedItem().FindString(text)
	if found == "" {
		return -1
	}
	return len(strings.TrimSuffix(found, ","))
}

// ColumnItem writes the name of a column as an item of a flag that takes columns.
func ColumnItem(name string) string {
	if strings.ContainsAny(name, `,"*?[\`) || strings.TrimSpace(name) != name || name == AutoCategories {
		return schema.Quote(name)
	}
	return name
}

// longestItems is how many characters columns may have that a hint proposes.
const longestItems = 80

// ColumnItems writes columns as a value of a setting that takes columns, for a hint
// that is to be pasted. Where they are too many for that, it says that there are to
// be columns.
func ColumnItems(names []string) string {
	text := strings.Join(NamesOf(names, ColumnItem), ",")
	if len(text) > longestItems {
		return "COLUMN,..."
	}
	return text
}

// AutoCategories is the item of --categorical that stands for all columns of text
// with few values.
const AutoCategories = "auto"

// ColumnNames lists columns for a sentence.
func ColumnNames(names []string) string { return Listed(NamesOf(names, ColumnName)) }

// ColumnName writes the name of a column for a sentence, in quotes if it would not be
// seen as one name.
func ColumnName(name string) string {
	if strings.Contains(name, ",") || strings.TrimSpace(name) != name {
		return schema.Quote(name)
	}
	return name
}

// NamesOf returns the name of each of several things.
func NamesOf[T any](things []T, name func(T) string) []string {
	names := make([]string, len(things))
	for i, thing := range things {
		names[i] = name(thing)
	}
	return names
}

// Permuted returns values with the one at order[i] at place i; nil stays nil.
func Permuted[T any](values []T, order []int) []T {
	if values == nil {
		return nil
	}
	all := make([]T, len(order))
	for i, from := range order {
		all[i] = values[from]
	}
	return all
}

// SameButCase returns two names that differ only by case, which a table of DuckDB cannot
// have; two empty ones if there are none.
func SameButCase(names []string) (a, b string) {
	seen := make(map[string]string, len(names))
	for _, name := range names {
		folded := strings.ToLower(name)
		if before, met := seen[folded]; met && before != name {
			return before, name
		}
		seen[folded] = name
	}
	return "", ""
}

// Listed joins names, the first ShownLimit of them.
func Listed(names []string) string {
	if len(names) <= ShownLimit {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:ShownLimit], ", "), len(names)-ShownLimit)
}

// Literal returns the name that an item in double quotes stands for.
func Literal(item string) (name string, ok bool) {
	m := quotedItem().FindStringSubmatch(item)
	if m == nil || quotedLength(item) != len(item) {
		return "", false
	}
	return strings.ReplaceAll(m[1], `""`, `"`), true
}
