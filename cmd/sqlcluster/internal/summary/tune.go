package summary

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// shownPoints bounds the points that people see; of each number of clusters they see
// the best ones.
const shownPoints = 30

// ShowTune writes what the methods say of each point, and the fit of the chosen one if
// there is one.
func (w *Writer) ShowTune(t *job.Tuning, done *job.Fitted, r *result.Tune) error {
	if !w.People() {
		return w.Write(tuneTable(t, r))
	}
	w.Notes(t.Notes)
	w.tuneHead(t)
	table, left := pointTable(t)
	if err := w.Write(table); err != nil {
		return err
	}
	w.more(left, "point", "; -o csv shows all")
	fmt.Fprintln(w.Out)
	for _, line := range verdict(t) {
		fmt.Fprintln(w.Out, line)
	}
	fmt.Fprintln(w.Out)
	if done != nil {
		w.Notes(done.Notes)
		w.head(t.Job, done, r.Final)
	}
	w.failedPoints(t)
	what := schema.TuneDraws
	if r.Draws == nil {
		what = schema.TuneFolds
	}
	switch {
	case w.Flags.Into == "":
		w.Note("nothing was stored; add --db FILE --into NAME to keep the scores, and a fit with the chosen values, as tables")
		if at := t.Chosen(); at >= 0 {
			w.Note("next: fit the chosen values, with %s", chosenFlags(t, at))
		}
	case done == nil:
		w.written(what, schema.Tune, what, schema.Fit, schema.Run)
	default:
		w.written("features", append([]string{schema.Tune, what}, tablesOf(r.Final)...)...)
		w.centersNote("", r.Final)
	}
	return nil
}

// ShowChosen writes the fit of the point that a tuning has chosen; people are told why.
func (w *Writer) ShowChosen(t *job.Tuning, done *job.Fitted, r *result.Tables) error {
	if w.People() {
		if lines := verdict(t); len(lines) > 0 {
			fmt.Fprintln(w.Out, strings.Join(lines, "\n"))
			fmt.Fprintln(w.Out)
		}
	}
	return w.ShowFit(t.Job, done, r)
}

// shownFaults is how many faults of points are told.
const shownFaults = 3

// failedPoints says why points could not be fitted.
func (w *Writer) failedPoints(t *job.Tuning) {
	points, why := map[string]int{}, []string{}
	for _, v := range t.Judged[0].Values {
		if f := framework.AsFault(v.Err); f != nil {
			text := f.Summary
			if len(f.Details) > 0 && f.Code == "infeasible-labels" {
				text += ": " + strings.Join(f.Details, "; ")
			}
			if points[text]++; points[text] == 1 {
				why = append(why, text)
			}
		}
	}
	for _, summary := range why[:min(len(why), shownFaults)] {
		w.Note("note: %s could not be fitted: %s", input.Counted(points[summary], "point", "points"), summary)
	}
	if left := len(why) - shownFaults; left > 0 {
		w.Note("note: there %s %s more", input.Agreed(left, "is", "are"), input.Counted(left, "reason", "reasons"))
	}
}

// chosenFlags are the flags of a fit of a point.
func chosenFlags(t *job.Tuning, at int) string {
	p := t.Points[at]
	text := "-k " + strconv.Itoa(p.K)
	if t.Parameter.Name != "" {
		text += " " + flags.Given(t.Parameter) + " " + render.Exact(p.Value)
	}
	return text
}

// tuneHead writes what was tuned.
func (w *Writer) tuneHead(t *job.Tuning) {
	var over []string
	if len(t.Ks) > 1 {
		over = append(over, input.Counted(len(t.Ks), "number of clusters", "numbers of clusters"))
	}
	if name := t.Parameter.Name; name != "" {
		over = append(over, input.Counted(valuesTried(t), "value of "+name, "values of "+name))
	}
	fmt.Fprintf(w.Out, "%s over %s: %s, %s (seed %d)\n", t.Algorithm.Name, strings.Join(over, " and "),
		input.Counted(t.Problem.N, "row", "rows"), input.Counted(t.Problem.P, "feature", "features"), t.Problem.Seed)
	if t.Fits == nil {
		if t.Sampled > 0 {
			fmt.Fprintf(w.Out, "points are judged by %d of the rows, drawn at random (--sample takes more, or fewer)\n", t.Sampled)
		}
		fmt.Fprintln(w.Out)
		return
	}
	labelled, classes := 0, map[int32]bool{}
	for _, c := range t.CV.Classes {
		if c >= 0 {
			labelled++
			classes[c] = true
		}
	}
	fmt.Fprintf(w.Out, "%d folds of %d rows of %d classes, dealt %s; %s\n\n", t.Folds, labelled, len(classes),
		input.Counted(t.Repeats, "time", "times"), pairsOfFits(t))
}

func valuesTried(t *job.Tuning) int {
	values := map[float64]bool{}
	for _, p := range t.Points {
		values[p.Value] = true
	}
	return len(values)
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
		return input.Counted(most, "pair", "pairs") + " in each fit"
	}
	return fmt.Sprintf("%d to %d pairs in each fit", least, most)
}

// tuneTable lists the points for programs, by method.
func tuneTable(t *job.Tuning, r *result.Tune) render.Table {
	table := render.Table{Name: schema.Tune, Columns: schema.ColumnNames(schema.Tune)}
	for _, v := range r.Values {
		table.Rows = append(table.Rows, []any{v.Point, v.Method, v.K, text(v.Parameter), number(v.Value), v.Status, v.Converged, v.Fits,
			number(v.Selected), finite(v.Score), finite(v.Error), v.Best, v.OneSE})
	}
	return table
}

// finite is a cell that has no value if it is not a finite number.
func finite(v float64) any {
	if v-v != 0 {
		return nil
	}
	return v
}

// pointTable lists the points for people, a row each, and says how many it leaves out.
func pointTable(t *job.Tuning) (table render.Table, left int) {
	table = render.Table{Name: schema.Tune, Columns: []string{"point", "k"}}
	if t.Parameter.Name != "" {
		table.Columns = append(table.Columns, t.Parameter.Name)
	}
	table.Columns = append(table.Columns, "status", "selected")
	for _, j := range t.Judged {
		name := j.Method
		if name == settings.CrossValidation {
			name = t.Agreement
		}
		table.Columns = append(table.Columns, name)
		if hasErrors(j) {
			table.Columns = append(table.Columns, "±")
		}
	}
	table.Columns = append(table.Columns, "choice")
	places := shownPlaces(t)
	for _, i := range places {
		p, v := t.Points[i], t.Judged[0].Values[i]
		row := []any{v.Point, p.K}
		if t.Parameter.Name != "" {
			row = append(row, p.Value)
		}
		row = append(row, v.Status, number(v.Selected))
		for _, j := range t.Judged {
			score := j.Values[i].Score
			if j.Method == string(tune.MethodDaviesBouldin) {
				score = -score
			}
			row = append(row, finite(score))
			if hasErrors(j) {
				row = append(row, finite(j.Values[i].Error))
			}
		}
		table.Rows = append(table.Rows, append(row, text(choiceOf(t, i))))
	}
	return table, len(t.Judged[0].Values) - len(places)
}

func hasErrors(j job.TuneJudged) bool {
	return slices.ContainsFunc(j.Values, func(v tune.Value) bool { return v.Error == v.Error })
}

// choiceOf says what is chosen of a point, and by what.
func choiceOf(t *job.Tuning, i int) string {
	if t.Chosen() == i {
		return "chosen"
	}
	var all []string
	for _, j := range t.Judged {
		prefix := ""
		if len(t.Judged) > 1 {
			prefix = j.Method + ": "
		}
		if i == j.Best {
			all = append(all, prefix+settings.ChooseBest)
		}
		if i == j.One && j.One != j.Best {
			all = append(all, prefix+settings.ChooseOne)
		}
	}
	return strings.Join(slices.Compact(all), ", ")
}

// shownPlaces returns the points that people see: all, or of each number of clusters
// the best by each method, and what is chosen.
func shownPlaces(t *job.Tuning) (places []int) {
	values := t.Judged[0].Values
	if len(values) <= shownPoints {
		for i := range values {
			places = append(places, i)
		}
		return places
	}
	for _, j := range t.Judged {
		best := map[int]int{}
		for i, v := range j.Values {
			k := t.Points[i].K
			if at, ok := best[k]; v.Score == v.Score && (!ok || v.Score > j.Values[at].Score) {
				best[k] = i
			}
		}
		for _, i := range best {
			places = append(places, i)
		}
		places = append(places, max(0, j.Best), max(0, j.One))
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// verdict says what is recommended, and how sure that is.
func verdict(t *job.Tuning) (lines []string) {
	if len(t.Judged) == 0 {
		return nil
	}
	j := t.Judged[0]
	at := t.Chosen()
	switch {
	case t.Unkept() != nil:
		return nil // the error says it
	case at < 0 && j.Method == settings.CrossValidation:
		return []string{fmt.Sprintf("nothing is recommended: one cluster for all rows scores %s, and no point scores more",
			render.Number(t.Trivial, 3))}
	case at < 0 && t.Beyond() >= 0:
		return beyond(t, j.Values)
	case at < 0:
		return []string{"no structure found: " + whyNone(j)}
	}
	p := t.Points[at]
	chosen := "k = " + strconv.Itoa(p.K)
	if name := t.Parameter.Name; name != "" {
		chosen += fmt.Sprintf(", %s = %s", name, render.Rounded(p.Value))
	}
	v := j.Values[slices.IndexFunc(j.Values, func(v tune.Value) bool { return v.Point == at })]
	line := fmt.Sprintf("recommended: %s", chosen)
	if score := finite(v.Score); score != nil && j.Method != string(tune.MethodDaviesBouldin) {
		line += fmt.Sprintf(" (%s %s", scoreName(t, j), render.Number(v.Score, 3))
		if v.Error == v.Error {
			line += " ± " + render.Number(v.Error, 2)
		}
		line += ")"
	}
	lines = append(lines, line)
	if others := nearKs(t, j, p.K); others != "" {
		lines = append(lines, others)
	}
	if j.Method == settings.CrossValidation {
		lines = append(lines, fmt.Sprintf("one cluster for all rows scores %s", render.Number(t.Trivial, 3)))
	}
	if j.P == j.P && t.Draws >= 39 {
		lines = append(lines, fmt.Sprintf("p = %s that rows without structure have as large a gap", render.Number(j.P, 2)))
	}
	if len(t.Ks) > 1 && p.K == t.Ks[len(t.Ks)-1] {
		lines = append(lines, "that is the largest k that was tried: larger ones may be better")
	}
	if t.Rises() {
		lines = append(lines, "the gap rises to the end of the grid: there are no columns of noise, so use all")
	}
	return lines
}

// beyond says that there may be structure where the rule for the choice does not get to.
func beyond(t *job.Tuning, values []tune.Value) []string {
	at, one := t.Beyond(), slices.IndexFunc(values, func(v tune.Value) bool { return t.Points[v.Point].K == 1 })
	v, k := values[at], t.Points[values[at].Point].K
	larger := fmt.Sprintf("k = %d has a larger gap (%s ± %s) than one cluster (%s); clusters in a line can cause that, and so can chance", k,
		render.Number(v.Score, 3), render.Number(v.Error, 2), render.Number(values[one].Score, 3))
	if math.IsInf(v.Score, 1) {
		larger = fmt.Sprintf("k = %d leaves nothing to explain", k)
	}
	return []string{
		"no structure found: the first numbers of clusters fit the rows no better than one cluster does",
		fmt.Sprintf("%s: look at the clusters with -k %d", larger, k),
	}
}

func scoreName(t *job.Tuning, j job.TuneJudged) string {
	if j.Method == settings.CrossValidation {
		return t.Agreement
	}
	return j.Method
}

// whyNone says why a method finds no structure.
func whyNone(j job.TuneJudged) string {
	switch {
	case j.P == j.P:
		return fmt.Sprintf("rows whose columns were permuted have as large a gap with probability p = %s", render.Number(j.P, 2))
	case j.Method == string(tune.MethodGapAxes):
		return "one cluster fits the rows as well as several do"
	case j.Method == string(tune.MethodStable):
		return "with every number of clusters, some cluster is not found again in half of the rows (mean Jaccard coefficient below 0.75)"
	}
	return "no point has a score"
}

// nearKs names the other numbers of clusters that are within one standard error of the
// best.
func nearKs(t *job.Tuning, j job.TuneJudged, chosen int) string {
	if j.Best < 0 || len(t.Ks) < 2 {
		return ""
	}
	best := j.Values[j.Best]
	if math.IsInf(best.Score, 1) {
		return "nothing is left to explain: no other k can be better"
	}
	if best.Error != best.Error {
		return ""
	}
	var near []string
	for _, v := range j.Values {
		k := strconv.Itoa(t.Points[v.Point].K)
		if v.Score >= best.Score-best.Error && t.Points[v.Point].K != chosen && !slices.Contains(near, k) {
			near = append(near, k)
		}
	}
	switch len(near) {
	case 0:
		return "no other k is within one standard error of the best"
	case 1:
		return "k " + near[0] + " is within one standard error of the best, too"
	}
	return "k " + strings.Join(near, ", ") + " are within one standard error of the best, too"
}
