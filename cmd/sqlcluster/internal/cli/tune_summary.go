package cli

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// tuneSummary writes what the method says of each value.
func (a *app) tuneSummary(t *job.Tuning, done *job.Fitted, r *result.Tune) error {
	people := a.settings.output == "table" || a.settings.output == "markdown"
	if people {
		a.tuneHead(t)
	}
	if err := render.Write(a.out, a.settings.output, tuneTable(t, r, people)); err != nil {
		return err
	}
	if people && t.Best >= 0 {
		_, _ = fmt.Fprintln(a.out)
		_, _ = fmt.Fprintf(a.out, "chosen: %s = %s\n", t.Parameter.Name, shortNumber(t.Judged[t.Chosen()].Value))
	}
	if people {
		_, _ = fmt.Fprintln(a.out)
	}
	if people && done != nil {
		a.notes(done.Notes)
		a.head(t.Job, done, r.Final)
	}
	a.tuneNext(t, done, r)
	return nil
}

// tuneHead writes what was tuned.
func (a *app) tuneHead(t *job.Tuning) {
	a.notes(t.Notes)
	labelled, classes := 0, map[int32]bool{}
	for _, c := range t.CV.Classes {
		if c >= 0 {
			labelled++
			classes[c] = true
		}
	}
	_, _ = fmt.Fprintf(a.out, "%s over %s: %s, %s (seed %d)\n", t.Algorithm.Name, t.Parameter.Name, job.Counted(len(t.Judged), "value", "values"), t.Size(), t.Problem.Seed)
	_, _ = fmt.Fprintf(a.out, "%d folds of %d rows of %d classes, dealt %s; %s\n\n", t.Folds, labelled, len(classes), job.Counted(t.Repeats, "time", "times"), pairsOfFits(t))
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
	table := render.Table{Name: schema.Tune, Columns: []string{"point", t.Parameter.Name, "status", "fits", "selected", "score", "standard_error"}}
	if people {
		table.Columns = append(table.Columns, "choice")
	} else {
		table.Columns = append(table.Columns, "best", "one_se")
	}
	orNil := func(v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return v
	}
	for i, v := range r.Values {
		row := []any{i, v.Value, v.Status, v.Fits, orNil(v.Selected), orNil(v.Score), orNil(v.Error)}
		switch {
		case !people:
			row = append(row, v.Best, v.OneSE)
		case v.Best && v.OneSE:
			row = append(row, job.ChooseBest+", "+job.ChooseOne)
		case v.Best:
			row = append(row, job.ChooseBest)
		case v.OneSE:
			row = append(row, job.ChooseOne)
		default:
			row = append(row, nil)
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// shortNumber writes a value as tables show it.
func shortNumber(v float64) string { return render.Number(v, 5) }

// tuneNext says what was written, and what to do with it.
func (a *app) tuneNext(t *job.Tuning, done *job.Fitted, r *result.Tune) {
	into, db := a.settings.into, a.settings.db
	switch {
	case into == "":
		a.note("nothing was stored; add --db FILE --into NAME to keep the scores, and a fit with the chosen value, as tables")
		if t.Best >= 0 {
			a.note("next: fit the chosen value, with %s %s", flagOf(t.Parameter), number(t.Judged[t.Chosen()].Value))
		}
	case done == nil:
		a.note("written to %s: %s_tune, _tune_folds, _fit, _run", db, into)
		a.note("next: sqlcluster show %s tune_folds --db %s", shellWord(into), shellWord(db))
	default:
		violations := ""
		if r.Final.Violations != nil {
			violations = ", _violations"
		}
		a.note("written to %s: %s_tune, _tune_folds, _assignments, _centers, _features, _clusters, _trace%s, _fit, _run", db, into, violations)
		a.note("next: sqlcluster show %s features --db %s", shellWord(into), shellWord(db))
	}
}
