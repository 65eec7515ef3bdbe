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
	add := func(row []any, group ...any) {
		if b.Problem.Groups != nil {
			row = append(row, group...)
		}
		t.Rows = append(t.Rows, row)
	}
	for _, f := range b.Recipe.Features {
		use := "feature"
		switch {
		case b.IsEmpty(f):
			use = "no values"
		case f.Constant:
			use = "constant"
		case f.IsCategory():
			use = "category"
		}
		var group []any
		if b.Problem.Groups != nil {
			g := b.Problem.Groups[f.Group]
			group = []any{g.Name, number(g.Weight)}
		}
		add([]any{f.Name, use, f.Location, f.Scale, f.Missing}, group...)
	}
	for _, e := range b.Table.Excluded {
		add([]any{e.Name, "left out: " + framework.Say(e.Why, flags.Text), nil, nil, nil}, nil, nil)
	}
	return t
}
