package summary

import (
	"fmt"
	"math"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// ShowTune writes what the method says of each value, and the fit of the chosen one if
// there is one.
func (w *Writer) ShowTune(t *job.Tuning, done *job.Fitted, r *result.Tune) error {
	people := w.people()
	if people {
		w.tuneHead(t)
	}
	if err := w.Write(tuneTable(t, r, people)); err != nil {
		return err
	}
	if people && t.Best >= 0 {
		fmt.Fprintf(w.Out, "\nchosen: %s = %s\n", t.Parameter.Name, render.Rounded(t.Judged[t.Chosen()].Value))
	}
	if people {
		fmt.Fprintln(w.Out)
	}
	if people && done != nil {
		w.Notes(done.Notes)
		w.head(t.Job, done, r.Final)
	}
	switch {
	case w.Flags.Into == "":
		w.Note("nothing was stored; add --db FILE --into NAME to keep the scores, and a fit with the chosen value, as tables")
		if t.Best >= 0 {
			w.Note("next: fit the chosen value, with %s %s", flags.Given(t.Parameter), render.Exact(t.Judged[t.Chosen()].Value))
		}
	case done == nil:
		w.written("tune_folds", "tune", "tune_folds", "fit", "run")
	default:
		w.written("features", append([]string{"tune", "tune_folds"}, tablesOf(r.Final)...)...)
	}
	return nil
}

// tuneHead writes what was tuned.
func (w *Writer) tuneHead(t *job.Tuning) {
	w.Notes(t.Notes)
	labelled, classes := 0, map[int32]bool{}
	for _, c := range t.CV.Classes {
		if c >= 0 {
			labelled++
			classes[c] = true
		}
	}
	fmt.Fprintln(w.Out, over(t.Job, t.Parameter.Name, len(t.Judged)))
	fmt.Fprintf(w.Out, "%d folds of %d rows of %d classes, dealt %s; %s\n\n", t.Folds, labelled, len(classes),
		job.Counted(t.Repeats, "time", "times"), pairsOfFits(t))
}

// pairsOfFits says how many pairs the fits were made with.
func pairsOfFits(t *job.Tuning) string {
	if t.CV.Unlinked {
		return t.Algorithm.Name + " takes no pairs, so one fit serves all folds"
	}
	least, most := math.MaxInt, 0
	for _, f := range t.Fits {
		least, most = min(least, f.Links), max(most, f.Links)
	}
	if least == most {
		return job.Counted(most, "pair", "pairs") + " in each fit"
	}
	return fmt.Sprintf("%d to %d pairs in each fit", least, most)
}

// tuneTable lists the values; for people, with the choice in one column.
func tuneTable(t *job.Tuning, r *result.Tune, people bool) render.Table {
	last := []string{"best", "one_se"}
	if people {
		last = []string{"choice"}
	}
	table := render.Table{Name: schema.Tune,
		Columns: append([]string{"point", t.Parameter.Name, "status", "fits", "selected", "score", "standard_error"}, last...)}
	for i, v := range r.Values {
		row := []any{i, v.Value, v.Status, v.Fits, number(v.Selected), number(v.Score), number(v.Error)}
		if !people {
			table.Rows = append(table.Rows, append(row, v.Best, v.OneSE))
			continue
		}
		var choice []string
		if v.Best {
			choice = append(choice, job.ChooseBest)
		}
		if v.OneSE {
			choice = append(choice, job.ChooseOne)
		}
		table.Rows = append(table.Rows, append(row, text(strings.Join(choice, ", "))))
	}
	return table
}
