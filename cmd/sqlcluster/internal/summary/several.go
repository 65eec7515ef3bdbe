package summary

import (
	"fmt"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

// ShowSeveral compares the fits of several algorithms.
func (w *Writer) ShowSeveral(s *job.Several) error {
	t := render.Table{Name: "fits", Columns: []string{"algorithm", "k", "objective",
		"explained_variance", "silhouette", "selected", "converged"}}
	agreement := render.Table{Name: "agreement", Columns: []string{"first", "second", "ari"}}
	people := render.Table{Name: "agreement", Columns: []string{"ari"}}
	for i, b := range s.Jobs {
		name, r := b.Algorithm.Name, s.Tables[i]
		used := map[string]bool{}
		for _, f := range chosen(r) {
			used[nameOf(f)] = true
		}
		t.Rows = append(t.Rows, []any{name, b.Problem.K, r.Fit.Objective, number(s.Explained[i]), number(s.Silhouette[i]), len(used),
			s.Fitted[i].Converged})
		people.Columns = append(people.Columns, name)
		row := []any{name}
		for j, other := range s.Jobs {
			ari := number(s.ARI(i, j))
			row = append(row, ari)
			if i < j {
				agreement.Rows = append(agreement.Rows, []any{name, other.Algorithm.Name, ari})
			}
		}
		people.Rows = append(people.Rows, row)
	}
	switch w.Flags.Output {
	case "csv", "jsonl":
		return w.Write(t)
	case "json":
		return w.Write(t, agreement)
	}
	first := s.Jobs[0]
	for i, b := range s.Jobs {
		for _, n := range append(b.Notes, s.Fitted[i].Notes...) {
			w.Note("note: %s: %s", b.Algorithm.Name, n)
		}
	}
	fmt.Fprintf(w.Out, "%s, from one start (seed %d)\n\n", first.Size(), first.Problem.Seed)
	if err := w.Write(t); err != nil {
		return err
	}
	fmt.Fprintf(w.Out, "\nObjectives of different algorithms cannot be compared. Explained variance and silhouette can:\n"+
		"they are over all columns, unweighted, as scaled for %s.\n\n", first.Algorithm.Name)
	if err := w.Write(people); err != nil {
		return err
	}
	if w.Flags.Into == "" {
		w.Note("nothing was stored; add --db FILE --into NAME to keep the results as tables")
		return nil
	}
	name := func(b *job.Job) string { return framework.ShellWord(w.Flags.Into + "_" + b.Algorithm.Name) }
	for i, b := range s.Jobs {
		w.Note("written to %s: the run %s", w.Flags.DB, name(b))
		w.centersNote(b.Algorithm.Name+": ", s.Tables[i])
	}
	w.Note("next: sqlcluster diff %s %s --db %s", name(first), name(s.Jobs[1]), framework.ShellWord(w.Flags.DB))
	return nil
}
