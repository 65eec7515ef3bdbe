package cli

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// pathSummary writes the path.
func (a *app) pathSummary(p *job.Path, r *result.Path) error {
	t := render.Table{Name: schema.Path, Columns: []string{"point", p.Parameter.Name, "status", "iterations", "selected", "objective", "explained_variance", "ari_previous"}}
	if p.Warm {
		t.Columns = append(t.Columns, "warm_from")
	}
	orNil := func(v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return v
	}
	count := func(n int) any {
		if n < 0 {
			return nil
		}
		return n
	}
	for i, row := range r.Points {
		cells := []any{i, row.Value, row.Status, count(row.Iterations), count(row.Selected), orNil(row.Objective), orNil(row.Explained), orNil(row.ARI)}
		if p.Warm {
			cells = append(cells, orNil(row.WarmFrom))
		}
		t.Rows = append(t.Rows, cells)
	}
	if a.settings.output == "table" || a.settings.output == "markdown" {
		if n := pathGaps(p.Gaps(), p.Parameter.Name, p.Warm); n != "" {
			p.Notes = append(p.Notes, n)
		}
		a.notes(p.Notes)
		_, _ = fmt.Fprintf(a.out, "%s over %s: %s, %s (seed %d)\n\n", p.Algorithm.Name, p.Parameter.Name,
			job.Counted(len(r.Points), "value", "values"), p.Size(), p.Problem.Seed)
	}
	if err := render.Write(a.out, a.settings.output, t); err != nil {
		return err
	}
	if a.settings.output == "table" || a.settings.output == "markdown" {
		_, _ = fmt.Fprintln(a.out)
	}
	if into := a.settings.into; into != "" {
		labels := ""
		if r.Labels != nil {
			labels = ", _path_assignments"
		}
		a.note("written to %s: %s_path, _path_features%s, _fit, _run", a.settings.db, into, labels)
		a.note("next: sqlcluster show %s path_features --db %s", shellWord(into), shellWord(a.settings.db))
		return nil
	}
	a.note("nothing was stored; add --db FILE --into NAME to keep the path as tables")
	a.note("next: fit one of the values, with %s VALUE", flagOf(p.Parameter))
	return nil
}
