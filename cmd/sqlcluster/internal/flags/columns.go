package flags

import (
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/input"
)

// A columnList is the value of a flag that takes columns: names, names in double
// quotes and patterns, with commas between them. A flag that is given twice takes
// the columns of both.
type columnList struct {
	list  *[]string
	given bool
}

func (l *columnList) Set(text string) error {
	items := input.SplitColumns(text)
	if !l.given {
		*l.list, l.given = nil, true
	}
	*l.list = append(*l.list, items...)
	return nil
}

func (l *columnList) Append(item string) error {
	*l.list = append(*l.list, item)
	return nil
}

func (l *columnList) Replace(items []string) error {
	*l.list = items
	return nil
}

func (l *columnList) GetSlice() []string { return *l.list }
func (l *columnList) Type() string       { return "columns" }
func (l *columnList) String() string     { return strings.Join(*l.list, ",") }
