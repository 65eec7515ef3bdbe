package summary

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/duck"
)

// errEnough ends the reading of a result of which no more rows are shown.
var errEnough = errors.New("enough rows")

// ShowResult writes the result of a statement while it is read, at most limit rows of
// it, or all if that is 0. remedy says how people see all.
func (w *Writer) ShowResult(r duck.Result, limit int, remedy string) error {
	if r.Plan && w.Tabular() {
		return r.Each(func(row []any) error {
			_, err := fmt.Fprintln(w.Out, render.SafeLines(render.Exact(row[len(row)-1])))
			return err
		})
	}
	t := render.Table{Name: "result", Columns: r.Columns}
	if !w.People() && w.Flags.Output != "csv" {
		t.Columns = distinct(r.Columns)
	}
	more := false
	t.Each = func(use func(row []any) error) error {
		rows := 0
		err := r.Each(func(row []any) error {
			if rows++; limit > 0 && rows > limit {
				more = true
				return errEnough
			}
			for i, v := range row {
				if b, ok := v.(bool); ok && w.People() {
					row[i] = strconv.FormatBool(b) // as DuckDB has it
				}
			}
			return use(row)
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	}
	err := w.Write(t)
	if err == nil && more && w.Tabular() {
		_, err = fmt.Fprintln(w.Out, "… and more rows; "+remedy)
	}
	return err
}

// distinct gives columns different names, as the fields of an object need them: a, a,
// b become a, a_1, b.
func distinct(names []string) []string {
	taken := make(map[string]bool, len(names))
	for _, name := range names {
		taken[name] = true
	}
	seen := make(map[string]bool, len(names))
	all := make([]string, len(names))
	for i, name := range names {
		for n := 1; seen[name]; n++ {
			if other := fmt.Sprintf("%s_%d", names[i], n); !taken[other] && !seen[other] {
				name = other
			}
		}
		seen[name], all[i] = true, name
	}
	return all
}
