package summary

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/grouped"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// ShowCheck writes what would be fitted.
func (w *Writer) ShowCheck(b *job.Job) error {
	if w.Tabular() {
		fmt.Fprintf(w.Out, "%s: %s can be fitted\n\n", b.Algorithm.Name, b.Size())
	}
	return w.Write(checkTable(b.Uses()))
}

// checkTable lists features, and columns that are left out. There are columns for
// groups where there are groups.
func checkTable(uses []job.Use) render.Table {
	t := render.Table{Name: "columns", Columns: []string{"column", "use", "location", "scale", "nulls"}}
	groups := slices.ContainsFunc(uses, func(u job.Use) bool { return u.Group != nil })
	if groups {
		t.Columns = append(t.Columns, "group", "group weight")
	}
	for _, u := range uses {
		row := []any{u.Column, framework.Say(u.Use, flags.Text), u.Location, u.Scale, u.Nulls}
		if u.LeftOut {
			row = []any{row[0], row[1], nil, nil, nil}
		}
		if groups {
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

// ShowChecks writes what would be fitted of each group.
func (w *Writer) ShowChecks(c grouped.Checks, r *result.Grouped[*grouped.Checked]) error {
	switch w.Flags.Output {
	case "csv", "jsonl":
		return w.Write(checksTable(r))
	case "json":
		return w.Write(checksTable(r), ofGroups(r, func(d *grouped.Checked) render.Table { return checkTable(d.Uses) }))
	}
	noteGroups(w, r.Groups, r.Models)
	all := r.Groups.Len()
	fmt.Fprintf(w.Out, "%s for each %s: %d of %s can be fitted\n\n", c.First.Algorithm.Name, render.Safe(strings.Join(r.Groups.Names(), ", ")),
		all-r.Failed(), input.Counted(all, "group", "groups"))
	t := checksTable(r)
	t.Rows = t.Rows[:min(all, shownModels)]
	if err := w.Write(withValues(without(t, "message", "notes"), append(r.Groups.Names(), "without_effect")...)); err != nil {
		return err
	}
	w.more(all-shownModels, "group", "; -o csv shows all")
	fmt.Fprintln(w.Out)
	whyFailed(w, r, "cannot")
	return nil
}

// checksTable has a row for each group.
func checksTable(r *result.Grouped[*grouped.Checked]) render.Table {
	t := render.Table{Name: schema.Models, Columns: append(r.Groups.Names(), "status", "message", "rows", "left_out", "p", "k",
		"without_effect",
		"nulls", "notes")}
	for g, m := range r.Models {
		row := append(r.Groups.Row(g), m.Status, text(m.Message), m.Rows)
		if d := r.Of[g]; d != nil {
			row = append(row, d.LeftOut, m.P, m.K, text(strings.Join(d.Without, ", ")), d.Nulls, text(strings.Join(m.Notes, "; ")))
		} else {
			row = append(row, nil, nil, nil, nil, nil, nil)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
