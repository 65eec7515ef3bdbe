package summary

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/grouped"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// shownModels and shownGroupNotes bound what people see of many groups.
const (
	shownModels     = 20
	shownGroupNotes = 5
	shownNames      = 3 // of the groups that a note is of
)

// ShowGroups writes the fits of groups.
func (w *Writer) ShowGroups(f *grouped.Fits, r *result.Grouped[*result.Tables]) error {
	assignments := func(t *result.Tables) render.Table {
		if t.Assignments.Distances != nil {
			return distanceTable(t.Assignments, 0)
		}
		return assignmentTable(t.Assignments, 0)
	}
	switch w.Flags.Output {
	case "csv", "jsonl":
		return w.Write(ofGroups(r, assignments))
	case "json":
		clusters := func(t *result.Tables) render.Table { return clusterTable(t, len(t.Clusters)) }
		return w.Write(modelTable(r.Groups, r.Models), ofGroups(r, fitTable), ofGroups(r, clusters), ofGroups(r, everyFeature),
			ofGroups(r, assignments))
	}
	first := f.First
	if err := showGroups(w, first, fmt.Sprintf("%s, %s", first.Algorithm.Name, input.Counted(first.Problem.K, "cluster", "clusters")),
		r); err != nil {
		return err
	}
	return nextOfGroups(w, "the models", r, tablesOf)
}

// ShowPaths writes the paths of groups: how each ended.
func (w *Writer) ShowPaths(p *grouped.Paths, r *result.Grouped[*result.Path]) error {
	if !w.People() {
		return w.Write(modelTable(r.Groups, r.Models))
	}
	first := p.First
	what := fmt.Sprintf("%s over %s, %s", first.Algorithm.Name, first.Parameter.Name, input.Counted(first.Problem.K, "cluster", "clusters"))
	if err := showGroups(w, first.Job, what, r); err != nil {
		return err
	}
	return nextOfGroups(w, "the paths", r, func(r *result.Path) []string {
		if r.Labels != nil {
			return []string{schema.Path, schema.PathFeatures, schema.PathAssignments, schema.Fit, schema.Run}
		}
		return []string{schema.Path, schema.PathFeatures, schema.Fit, schema.Run}
	})
}

// ShowTunings writes the tunings of groups: what was chosen for each.
func (w *Writer) ShowTunings(t *grouped.Tunings, r *result.Grouped[*result.Tune]) error {
	if !w.People() {
		return w.Write(modelTable(r.Groups, r.Models))
	}
	if err := showGroups(w, t.First.Job, t.First.Algorithm.Name+", tuned", r); err != nil {
		return err
	}
	none := 0
	for _, m := range r.Models {
		if m.Status == result.NoStructure {
			none++
		}
	}
	if none > 0 {
		fmt.Fprintf(w.Out, "%d of %s %s no structure that values could be chosen by, and no clusters\n\n", none,
			input.Plural(r.Groups.Len(), "group"), input.Agreed(none, "has", "have"))
	}
	return nextOfGroups(w, "the scores, and a fit of what was chosen for each group,", r, func(r *result.Tune) []string {
		of := []string{schema.Tune, schema.TuneDraws}
		if r.Draws == nil {
			of[1] = schema.TuneFolds
		}
		if r.Final != nil {
			return append(of, tablesOf(r.Final)...)
		}
		return append(of, schema.Fit, schema.Run)
	})
}

// showGroups writes, for people, how the run of each group ended.
func showGroups[T any](w *Writer, b *job.Job, what string, r *result.Grouped[T]) error {
	rows := 0
	for _, n := range r.Groups.Sizes {
		rows += n
	}
	noteGroups(w, r.Groups, r.Models)
	fmt.Fprintf(w.Out, "%s for each %s: %s, %s (seed %d)\n\n", what, render.Safe(strings.Join(r.Groups.Names(), ", ")),
		input.Counted(r.Groups.Len(), "group", "groups"), input.Counted(rows, "row", "rows"), b.Problem.Seed)
	t := modelTable(r.Groups, r.Models)
	all := len(t.Rows)
	t.Rows = t.Rows[:min(all, shownModels)]
	if err := w.Write(withValues(without(t, "message", "notes"), r.Groups.Names()...)); err != nil {
		return err
	}
	w.more(all-shownModels, "group", "")
	fmt.Fprintln(w.Out)
	whyFailed(w, r, "could not")
	return nil
}

// whyFailed says, for people, why groups could not be fitted.
func whyFailed[T any](w *Writer, r *result.Grouped[T], could string) {
	failed := r.Failed()
	if failed == 0 {
		return
	}
	fmt.Fprintf(w.Out, "%d of %s %s be fitted:\n", failed, input.Plural(r.Groups.Len(), "group"), could)
	for _, line := range grouped.WhyFailed(r) {
		fmt.Fprintln(w.Out, "  "+render.Safe(framework.Say(line, flags.Text)))
	}
	fmt.Fprintln(w.Out)
}

// noteGroups says once what is to be noted of several groups, and which they are.
func noteGroups(w *Writer, groups *input.Groups, models []result.Model) {
	var order []string
	of := map[string][]int{}
	for g, m := range models {
		for _, n := range m.Notes {
			if of[n] == nil {
				order = append(order, n)
			}
			of[n] = append(of[n], g)
		}
	}
	for i, n := range order {
		if i == shownGroupNotes {
			all := "-o json has all"
			if w.Flags.Into != "" {
				all = "the column notes of " + w.Flags.Into + "_models has all"
			}
			w.Note("note: … and %s; %s", input.Counted(len(order)-i, "other note", "other notes"), all)
			return
		}
		names := strings.Join(input.FirstOf(input.NamesOf(of[n], groups.Text), shownNames), "; ")
		w.Note("note: in %s (%s): %s", input.Counted(len(of[n]), "group", "groups"), render.Safe(names), n)
	}
}

// nextOfGroups says what was written, and what to do with it.
func nextOfGroups[T any](w *Writer, what string, r *result.Grouped[T], tables func(T) []string) error {
	if w.Flags.Into == "" {
		w.Note("nothing was stored; add --db FILE --into NAME to keep %s as tables", what)
		return nil
	}
	for g, f := range r.Faults {
		if f == nil {
			of := tables(r.Of[g])
			shown := schema.Clusters
			if !slices.Contains(of, shown) {
				shown = of[0]
			}
			w.written(shown+" --model "+framework.ShellWord(r.Groups.Item(g)), append([]string{schema.Models}, of...)...)
			return nil
		}
	}
	return nil
}

// modelTable lists the groups, and how the run of each ended.
func modelTable(g *input.Groups, models []result.Model) render.Table {
	t := render.Table{Name: schema.Models, Columns: append(g.Names(), schema.ColumnNames(schema.Models)...)}
	for i, m := range models {
		t.Rows = append(t.Rows, append(g.Row(i), m.Status, text(m.Message), m.Rows, rank(m.P), rank(m.K), number(m.Objective),
			index(m.Iterations), value(m.Converged), text(strings.Join(m.Notes, "; "))))
	}
	return t
}

// ofGroups is a table with the rows of all groups, after the values of each.
func ofGroups[T any](r *result.Grouped[T], of func(T) render.Table) render.Table {
	all := render.Table{Columns: r.Groups.Names()}
	first := true
	for g, f := range r.Faults {
		if f == nil && first {
			t := of(r.Of[g])
			all.Name, all.Columns, first = t.Name, append(all.Columns, t.Columns...), false
		}
	}
	all.Each = func(use func(row []any) error) error {
		for g, f := range r.Faults {
			if f != nil {
				continue
			}
			values := r.Groups.Row(g)
			if err := of(r.Of[g]).EachRow(func(row []any) error { return use(append(values[:len(values):len(values)], row...)) }); err != nil {
				return err
			}
		}
		return nil
	}
	return all
}

// ShowGroupAssignments writes labels as ShowAssignments does, after the values of the
// group of each row.
func (w *Writer) ShowGroupAssignments(r *result.Grouped[result.Assignments]) error {
	rows, limit := 0, 0
	table := func(a result.Assignments) render.Table { return assignmentTable(a, 0) }
	for _, a := range r.Of {
		if a.Distances != nil {
			table = func(a result.Assignments) render.Table {
				if a.Distances == nil { // a group without a model
					a.Distances = &result.Distances{PerRow: 1}
				}
				return distanceTable(a, 0)
			}
		}
	}
	for _, a := range r.Of {
		rows += a.Len()
	}
	t := ofGroups(r, table)
	if w.Tabular() {
		limit = ShownRows
		t = firstRows(t, limit)
	}
	return w.WriteFirst(t, rows, limit, "-o csv shows all, --into TABLE writes them to --db")
}

// firstRows is the beginning of a table.
func firstRows(t render.Table, limit int) render.Table {
	each := t.Each
	t.Each = func(use func(row []any) error) error {
		n := 0
		err := each(func(row []any) error {
			if n++; n > limit {
				return errEnough
			}
			return use(row)
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	}
	return t
}

// ShowGroupScores writes the scores of the groups that have some.
func (w *Writer) ShowGroupScores(r *result.Grouped[*model.Scores]) error {
	noteGroups(w, r.Groups, r.Models)
	for _, line := range grouped.WhyFailed(r) {
		w.Note("note: no scores of %s", line)
	}
	t := render.Table{Name: "scores", Columns: append(r.Groups.Names(), "score", "value", "better", "rows")}
	for g, s := range r.Of {
		if s == nil {
			continue
		}
		for _, one := range s.All {
			t.Rows = append(t.Rows, append(r.Groups.Row(g), one.Name, number(one.Value), one.Better, one.Rows))
		}
	}
	limit := 0
	rows := len(t.Rows)
	if w.Tabular() {
		limit = ShownRows
		t.Rows = t.Rows[:min(rows, limit)]
	}
	return w.WriteFirst(t, rows, limit, "-o csv shows all")
}
