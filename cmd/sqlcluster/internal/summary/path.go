package summary

import (
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// ShowPath writes a path.
func (w *Writer) ShowPath(p *job.Path, r *result.Path) error {
	t := render.Table{Name: schema.Path, Columns: []string{"point", p.Parameter.Name, "status", "iterations", "selected", "objective",
		"explained_variance", "ari_previous"}}
	if p.Warm {
		t.Columns = append(t.Columns, "warm_from")
	}
	for i, row := range r.Points {
		cells := []any{i, row.Value, row.Status, index(row.Iterations), index(row.Selected), number(row.Objective), number(row.Explained),
			number(row.ARI)}
		if p.Warm {
			cells = append(cells, number(row.WarmFrom))
		}
		t.Rows = append(t.Rows, cells)
	}
	if w.people() {
		if n := pathGaps(p.Gaps(), p.Parameter.Name, p.Warm); n != "" {
			p.Notes = append(p.Notes, n)
		}
		w.Notes(p.Notes)
		fmt.Fprintf(w.Out, "%s\n\n", over(p.Job, p.Parameter.Name, len(r.Points)))
	}
	if err := w.Write(t); err != nil {
		return err
	}
	if w.people() {
		fmt.Fprintln(w.Out)
	}
	if w.Flags.Into != "" {
		tables := []string{"path", "path_features", "path_assignments", "fit", "run"}
		if r.Labels == nil {
			tables = append(tables[:2], tables[3:]...)
		}
		w.written("path_features", tables...)
		return nil
	}
	w.Note("nothing was stored; add --db FILE --into NAME to keep the path as tables")
	w.Note("next: fit one of the values, with %s VALUE", flags.Given(p.Parameter))
	return nil
}

// over says which values of a parameter were tried.
func over(b *job.Job, parameter string, values int) string {
	return fmt.Sprintf("%s over %s: %s, %s (seed %d)", b.Algorithm.Name, parameter, input.Counted(values, "value", "values"), b.Size(),
		b.Problem.Seed)
}

// shownGaps is how many values a note about gaps names.
const shownGaps = 5

// pathGaps says which values have a worse objective than they can have, and what
// to do about it; "" if there are none.
func pathGaps(gaps []tune.Gap, varied string, warm bool) string {
	if len(gaps) == 0 {
		return ""
	}
	objective := func(p *tune.Point) string { return render.Number(p.Result.Objective, 6) }
	point, than := gaps[0].Point, gaps[0].Than
	text := fmt.Sprintf("the objective at %s %s (%s) is worse than at %s (%s), and it need not be: whatever %[4]s allows, %[2]s allows too",
		varied, render.Exact(point.Value), objective(point), render.Exact(than.Value), objective(than))
	var others []string
	for _, g := range gaps[1:] {
		others = append(others, render.Exact(g.Point.Value))
	}
	if len(others) > 0 {
		text += "; the same goes for " + strings.Join(input.FirstOf(others, shownGaps), ", ")
	}
	if warm {
		return text + ". A longer search can mend this: use more --restarts"
	}
	return text + ". A longer search mends this: use --warm, or more --restarts"
}
