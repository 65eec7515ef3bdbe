package summary

import (
	"fmt"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

// ShowCheck writes what would be fitted.
func (w *Writer) ShowCheck(b *job.Job) error {
	if w.Tabular() {
		fmt.Fprintf(w.Out, "%s: %s can be fitted\n\n", b.Algorithm.Name, b.Size())
	}
	return w.Write(checkTable(b))
}

// checkTable lists features, and columns that are left out. There are columns for
// groups where there are groups.
func checkTable(b *job.Job) render.Table {
	t := render.Table{Name: "columns", Columns: []string{"column", "use", "location", "scale", "nulls"}}
	if b.Problem.Groups != nil {
		t.Columns = append(t.Columns, "group", "group weight")
	}
	for _, u := range b.Uses() {
		row := []any{u.Column, framework.Say(u.Use, flags.Text), u.Location, u.Scale, u.Nulls}
		if u.LeftOut {
			row = []any{row[0], row[1], nil, nil, nil}
		}
		if b.Problem.Groups != nil {
			var group, weight any
			if u.Group != nil {
				group, weight = u.Group.Name, number(u.Group.Weight)
			}
			row = append(row, group, weight)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
