package cli

import (
	"fmt"
	"math"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// tuneResults fills the tables of a tuning.
func (a *app) tuneResults(t *tuning, done *finished, began time.Time, fitTime time.Duration, kept *keptError) (*result.Tune, error) {
	r := &result.Tune{KeyName: t.table.KeyName, Keys: t.table.Keys}
	for i, v := range t.values {
		r.Values = append(r.Values, result.TuneValue{Method: t.method, Parameter: t.parameter.Name, Value: v.Value, Status: v.Status, Converged: v.Converged,
			Fits: v.Fits, Selected: v.Selected, Score: v.Score, Error: v.Error, Best: i == t.best, OneSE: i == t.one})
	}
	for _, f := range t.fits {
		row := result.TuneFold{Point: f.Point, Repetition: f.Repeat, Fold: f.Fold, Pairs: f.Links, Status: f.Status(), Converged: f.Converged,
			Iterations: f.Iterations, Selected: f.Selected, Score: f.Score}
		if f.Err != nil {
			row.Iterations, row.Selected = -1, -1
		}
		r.Folds = append(r.Folds, row)
	}
	var err error
	if done != nil {
		r.Final, err = a.results(t.prepared, done, began, fitTime)
		return r, err
	}
	params, err := a.recorded(t.prepared)
	if err != nil {
		return nil, err
	}
	r.Fit = a.fitWithoutModel(t.prepared, params, "tune")
	for _, v := range t.values {
		r.Fit.Converged = r.Fit.Converged && v.Converged
	}
	if kept != nil {
		r.Fit.Converged, r.Fit.StopReason = false, kept.stopReason()
	}
	r.Run = result.Run{StartedAt: began, SecondsRead: t.readTime.Seconds(), SecondsFit: fitTime.Seconds(), Threads: a.settings.threads, Driver: a.settings.driver}
	return r, nil
}

// tuneSummary writes what the method says of each value.
func (a *app) tuneSummary(t *tuning, done *finished, r *result.Tune) error {
	people := a.settings.output == "table" || a.settings.output == "markdown"
	if people {
		a.tuneHead(t)
	}
	if err := render.Write(a.out, a.settings.output, tuneTable(t, r, people)); err != nil {
		return err
	}
	if people && t.best >= 0 {
		_, _ = fmt.Fprintln(a.out)
		_, _ = fmt.Fprintf(a.out, "chosen: %s = %s\n", t.parameter.Name, shortNumber(t.values[t.chosen()].Value))
	}
	if people {
		_, _ = fmt.Fprintln(a.out)
	}
	if people && done != nil {
		for _, n := range done.notes {
			a.note("note: %s", n)
		}
		a.head(t.prepared, done, r.Final)
	}
	a.tuneNext(t, done, r)
	return nil
}

// tuneHead writes what was tuned.
func (a *app) tuneHead(t *tuning) {
	for _, n := range t.notes {
		a.note("note: %s", n)
	}
	labelled, classes := 0, map[int32]bool{}
	for _, c := range t.cv.Classes {
		if c >= 0 {
			labelled++
			classes[c] = true
		}
	}
	_, _ = fmt.Fprintf(a.out, "%s over %s: %s, %s (seed %d)\n", t.description.Name, t.parameter.Name, counted(len(t.values), "value", "values"), t.size(), t.problem.Seed)
	_, _ = fmt.Fprintf(a.out, "%d folds of %d rows of %d classes, dealt %s; %s\n\n", t.folds, labelled, len(classes), counted(t.repeats, "time", "times"), t.pairsOfFits())
}

// pairsOfFits says how many pairs the fits were made with.
func (t *tuning) pairsOfFits() string {
	if t.cv.Unlinked {
		return t.description.Name + " takes no pairs, so one fit serves all folds"
	}
	least, most := math.MaxInt, 0
	for _, f := range t.fits {
		least, most = min(least, f.Links), max(most, f.Links)
	}
	if least == most {
		return counted(most, "pair", "pairs") + " in each fit"
	}
	return fmt.Sprintf("%d to %d pairs in each fit", least, most)
}

// tuneTable lists the values; for people, with the choice in one column.
func tuneTable(t *tuning, r *result.Tune, people bool) render.Table {
	table := render.Table{Name: schema.Tune, Columns: []string{"point", t.parameter.Name, "status", "fits", "selected", "score", "standard_error"}}
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
			row = append(row, chooseBest+", "+chooseOne)
		case v.Best:
			row = append(row, chooseBest)
		case v.OneSE:
			row = append(row, chooseOne)
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
func (a *app) tuneNext(t *tuning, done *finished, r *result.Tune) {
	into, db := a.settings.into, a.settings.db
	switch {
	case into == "":
		a.note("nothing was stored; add --db FILE --into NAME to keep the scores, and a fit with the chosen value, as tables")
		if t.best >= 0 {
			a.note("next: fit the chosen value, with %s %s", flagOf(t.parameter), number(t.values[t.chosen()].Value))
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
