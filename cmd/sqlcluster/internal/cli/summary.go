package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// shownFeatures, shownClusters and shownCenters bound the summary for people; programs
// get everything. A terminal has as many centers as fit.
const (
	shownFeatures = 12
	shownClusters = 12
	shownCenters  = 6
)

// summary writes the outcome of a fit.
func (a *app) summary(b *job.Job, f *job.Fitted, r *result.Tables) error {
	switch a.settings.output {
	case "csv", "jsonl": // one table only: the one that is asked for most
		return render.Write(a.out, a.settings.output, assignmentTable(r.Assignments, 0))
	case "json":
		return render.Write(a.out, "json", fitTable(r), clusterTable(r, len(r.Clusters)), everyFeature(r), assignmentTable(r.Assignments, 0))
	}
	a.notes(b.Notes)
	a.notes(f.Notes)
	a.head(b, f, r)
	if err := render.Write(a.out, a.settings.output, clusterTable(r, shownClusters)); err != nil {
		return err
	}
	a.more(len(r.Clusters)-shownClusters, "cluster")
	_, _ = fmt.Fprintln(a.out)
	if t := a.forPeople(featureTable(b, r, shownFeatures, b.Problem.K <= shownCenters || render.WidthOf(a.out) > 0)); len(t.Rows) > 0 {
		if err := render.Write(a.out, a.settings.output, t); err != nil {
			return err
		}
		of := "selected feature"
		if !selects(r) {
			of = "feature"
		}
		a.more(chosen(r)-len(t.Rows), of)
		_, _ = fmt.Fprintln(a.out)
	}
	a.next(f, r)
	return nil
}

// head writes what was fitted and how it ended.
func (a *app) head(b *job.Job, f *job.Fitted, out *result.Tables) {
	_, _ = fmt.Fprintf(a.out, "%s: %s (seed %d)\n", b.Algorithm.Name, b.Size(), b.Problem.Seed)
	from := "the given start"
	if n := restartsOf(f); !b.Start.Given() && n > 1 {
		from = fmt.Sprintf("the best of %d starts", n)
	} else if !b.Start.Given() {
		from = "one start"
	}
	_, _ = fmt.Fprintf(a.out, "objective %s from %s; %s\n", render.Number(out.Fit.Objective, 6), from, ending(b, f))
	if len(b.Problem.Links) > 0 && f.Stop != framework.AllZero {
		_, _ = fmt.Fprintln(a.out, b.PairLine(f.Labels))
	}
	_, _ = fmt.Fprintln(a.out)
}

func restartsOf(f *job.Fitted) int {
	n := 0
	for _, it := range f.Trace {
		n = max(n, it.Restart+1)
	}
	return max(n, 1)
}

func ending(b *job.Job, f *job.Fitted) string {
	r := f.Result
	count := fmt.Sprintf("%d iterations", r.Iterations)
	if r.Iterations == 1 {
		count = "1 iteration"
	}
	if r.Stop == framework.AllZero {
		return "no feature got a weight, so there are no clusters"
	}
	if !r.Converged {
		return fmt.Sprintf("not converged after %s (%s)", count, remedy(b, f))
	}
	return "converged in " + count
}

// remedy says which limit to raise: that of iterations, or one of the
// algorithm's own.
func remedy(b *job.Job, f *job.Fitted) string {
	if f.Iterations < b.Settings.MaxIter {
		return "raise the limits of " + b.Algorithm.Name
	}
	return "raise --max-iter"
}

func (a *app) more(n int, what string) {
	if n > 0 {
		_, _ = fmt.Fprintf(a.out, "… and %s\n", job.Counted(n, "more "+what, "more "+what+"s"))
	}
}

// next says what was written, and what to do with it.
func (a *app) next(f *job.Fitted, r *result.Tables) {
	into, db := a.settings.into, a.settings.db
	if into == "" {
		a.note("nothing was stored; add --db FILE --into NAME to keep the results as tables")
		return
	}
	violations := ""
	if r.Violations != nil {
		violations = ", _violations"
	}
	a.note("written to %s: %s_assignments, _centers, _features, _clusters, _trace%s, _fit, _run", db, into, violations)
	a.note("next: sqlcluster show %s features --db %s", shellWord(into), shellWord(db))
	if a.settings.verbose {
		a.note("blocks by worker: %v; calls to the plugin: %v", f.BlocksByWorker, f.Calls)
	}
}

func fitTable(r *result.Tables) render.Table {
	f := r.Fit
	return render.Table{Name: "fit",
		Columns: []string{"run_id", "algorithm", "version", "n", "p", "k", "seed", "objective", "inertia", "iterations", "converged", "stop_reason"},
		Rows:    [][]any{{f.RunID, f.Algorithm, f.Version, f.N, f.P, f.K, f.Seed, f.Objective, f.Inertia, f.Iterations, f.Converged, f.StopReason}}}
}

func clusterTable(r *result.Tables, limit int) render.Table {
	t := render.Table{Name: "clusters", Columns: []string{"cluster", "size", "weight", "inertia"}}
	for j, c := range r.Clusters[:min(limit, len(r.Clusters))] {
		t.Rows = append(t.Rows, []any{j, c.Size, c.Weight, c.Inertia})
	}
	return t
}

// selects reports whether the algorithm says of features whether they are
// selected.
func selects(r *result.Tables) bool { return len(r.Features) > 0 && r.Features[0].Selected != nil }

// isShown reports whether people are shown a feature: one that is selected, or
// any where nothing is.
func isShown(f result.Feature) bool { return f.Selected == nil || *f.Selected }

func chosen(r *result.Tables) int {
	n := 0
	for _, f := range r.Features {
		if isShown(f) {
			n++
		}
	}
	return n
}

// everyFeature is NAME_features for programs, the most useful features first.
func everyFeature(r *result.Tables) render.Table {
	t := render.Table{Name: schema.Features, Columns: schema.ColumnNames(schema.Features)}
	for _, f := range byUse(r.Features) {
		var category, group, selected, rank any
		if f.Category != nil {
			category = *f.Category
		}
		if f.Group != "" {
			group = f.Group
		}
		if f.Selected != nil {
			selected = *f.Selected
		}
		if f.Rank > 0 {
			rank = f.Rank
		}
		t.Rows = append(t.Rows, []any{f.Feature, category, group, clusterOrNil(f.Cluster), selected,
			f.Weight, f.Norm, f.Gain, rank, f.Location, f.Scale})
	}
	return t
}

// byUse returns the features in the order of clusters and ranks, and of gains where
// there are no ranks.
func byUse(features []result.Feature) []result.Feature {
	return slices.SortedStableFunc(slices.Values(features), func(a, b result.Feature) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Rank, b.Rank), cmp.Compare(b.Gain, a.Gain))
	})
}

// featureTable lists for people the features that are selected (or all where
// nothing is selected) by rank, and beside each, if asked for, the centers in its own
// units.
func featureTable(b *job.Job, r *result.Tables, limit int, centers bool) render.Table {
	t := render.Table{Name: schema.Features, Columns: []string{"feature"}}
	features := byUse(r.Features)
	local := len(features) > 0 && features[0].Cluster >= 0
	weighted := len(features) > 0 && !math.IsNaN(features[0].Weight)
	gains := len(features) > 0 && !math.IsNaN(features[0].Gain)
	if local {
		t.Columns = append(t.Columns, "cluster")
	}
	if weighted {
		t.Columns = append(t.Columns, "weight")
	}
	if gains {
		t.Columns = append(t.Columns, "gain")
	}
	if centers {
		for j := range b.Problem.K {
			t.Columns = append(t.Columns, fmt.Sprintf("center %d", j))
		}
	}
	for _, f := range features {
		if len(t.Rows) == limit {
			break
		}
		if !isShown(f) {
			continue
		}
		row := []any{nameOf(f)}
		if local {
			row = append(row, f.Cluster)
		}
		if weighted {
			row = append(row, f.Weight)
		}
		if gains {
			row = append(row, f.Gain)
		}
		if centers {
			row = append(row, centersOf(b, r, nameOf(f))...)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// forPeople adds to the features how the centers are seen that do not fit.
func (a *app) forPeople(t render.Table) render.Table {
	into, db := a.settings.into, a.settings.db
	t.More = "--db FILE --into NAME keeps them for sqlcluster show NAME centers --db FILE"
	if into != "" {
		t.More = fmt.Sprintf("sqlcluster show %s centers --db %s", shellWord(into), shellWord(db))
	}
	return t
}

func clusterOrNil(j int) any {
	if j < 0 {
		return nil
	}
	return j
}

// nameOf returns the name of a feature in the recipe.
func nameOf(f result.Feature) string {
	if f.Category == nil {
		return f.Feature
	}
	return f.Feature + "=" + *f.Category
}

// centersOf returns the centers of one feature in its own units.
func centersOf(b *job.Job, r *result.Tables, name string) []any {
	l := slices.IndexFunc(b.Recipe.Features, func(f matrix.Feature) bool { return f.Name == name })
	row := make([]any, b.Problem.K)
	for j := range row {
		row[j] = r.Centers[j*b.Problem.P+l].Center
	}
	return row
}

// joined writes a list for a message.
func joined(all []string) string { return strings.Join(all, ", ") }
