package summary

import (
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// shownFeatures, shownClusters and shownCenters bound the summary for people; programs
// get everything. A terminal has as many centers as fit.
const (
	shownFeatures = 12
	shownClusters = 12
	shownCenters  = 6
)

// ShowFit writes the outcome of a fit.
func (w *Writer) ShowFit(b *job.Job, f *job.Fitted, r *result.Tables) error {
	switch w.Flags.Output {
	case "csv", "jsonl": // one table only: the one that is asked for most
		if r.Assignments.Distances != nil {
			return w.Write(distanceTable(r.Assignments, 0))
		}
		return w.Write(assignmentTable(r.Assignments, 0))
	case "json":
		clusters := clusterTable(r, len(r.Clusters))
		if r.TopFeatures != nil {
			clusters.Columns = append(clusters.Columns, "top_features")
			for j := range clusters.Rows {
				clusters.Rows[j] = append(clusters.Rows[j], r.TopFeatures[j])
			}
		}
		all := []render.Table{fitTable(r), clusters, everyFeature(r)}
		if a := r.Assignments; a.From == "" && a.Elsewhere == "" { // else they have stayed in a database
			all = append(all, assignmentTable(a, 0))
		}
		if r.Assignments.Distances != nil {
			all = append(all, distanceTable(r.Assignments, 0))
		}
		if r.Limits != nil {
			all = append(all, limitTable(r.Limits))
		}
		return w.Write(all...)
	}
	w.Notes(b.Notes)
	w.Notes(f.Notes)
	w.head(b, f, r)
	if err := w.Write(w.withBars(clusterTable(r, shownClusters), "size", clusterBar)); err != nil {
		return err
	}
	w.more(len(r.Clusters)-shownClusters, "cluster", "")
	fmt.Fprintln(w.Out)
	if err := w.topFeatures(r.TopFeatures); err != nil {
		return err
	}
	t := featureTable(b, r, shownFeatures, b.Problem.K <= shownCenters || render.WidthOf(w.Out) > 0)
	t.More = "--db FILE --into NAME keeps them for sqlcluster show NAME centers --db FILE"
	if into := w.Flags.Into; into != "" {
		t.More = fmt.Sprintf("sqlcluster show %s centers --db %s", framework.ShellWord(into), framework.ShellWord(w.Flags.DB))
	}
	if len(t.Rows) > 0 {
		ranked := "gain"
		if slices.Contains(t.Columns, "weight") {
			ranked = "weight"
		}
		if err := w.Write(w.withBars(t, ranked, featureBar)); err != nil {
			return err
		}
		of := "selected feature"
		if !selects(r) {
			of = "feature"
		}
		w.more(len(chosen(r))-len(t.Rows), of, "")
		fmt.Fprintln(w.Out)
	}
	w.next(f, r)
	return nil
}

// head writes what was fitted, how it ended and how good it is.
func (w *Writer) head(b *job.Job, f *job.Fitted, out *result.Tables) {
	fmt.Fprintf(w.Out, "%s: %s (seed %d)\n", b.Algorithm.Name, b.Size(), b.Problem.Seed)
	if socket := w.Flags.Attach; socket != "" {
		fmt.Fprintf(w.Out, "unpinned: the process at %s, not the program that was added\n", socket)
	}
	from := "the given start"
	if n := restartsOf(f); !b.Start.Given() && n > 1 {
		from = fmt.Sprintf("the best of %d starts", n)
	} else if !b.Start.Given() {
		from = "one start"
	}
	if f.Approximate {
		from = "a start made in batches of rows"
	}
	fmt.Fprintf(w.Out, "objective %s from %s; %s\n", render.Number(out.Fit.Objective, 6), from, ending(b, f))
	if len(b.Problem.Links) > 0 && f.Stop != framework.AllZero {
		fmt.Fprintln(w.Out, b.PairLine(f.Labels))
	}
	if line := b.LimitsLine(f, out.Limits); line != "" {
		fmt.Fprintln(w.Out, line)
	}
	if f.Quality != nil {
		w.quality(b, f.Quality)
	}
	fmt.Fprintln(w.Out)
}

func restartsOf(f *job.Fitted) int {
	n := 0
	for _, it := range f.Trace {
		n = max(n, it.Restart+1)
	}
	return max(n, 1)
}

// ending says whether the fit converged, and what to raise if it did not: the limit
// of iterations, or one of the algorithm's own.
func ending(b *job.Job, f *job.Fitted) string {
	count := input.Counted(f.Iterations, "iteration", "iterations")
	switch {
	case f.Stop == framework.AllZero:
		return "no feature got a weight, so there are no clusters"
	case f.Converged:
		return "converged in " + count
	case f.Iterations < b.Settings.MaxIter:
		return fmt.Sprintf("not converged after %s (raise the limits of %s)", count, b.Algorithm.Name)
	}
	return fmt.Sprintf("not converged after %s (raise --max-iter)", count)
}

// next says what was written, and what to do with it.
func (w *Writer) next(f *job.Fitted, r *result.Tables) {
	if w.Flags.Attach != "" {
		return // nothing of it can be stored
	}
	if w.Flags.Into == "" {
		w.Note("nothing was stored; add --db FILE --into NAME to keep the results as tables")
		return
	}
	w.written("features", tablesOf(r)...)
	if at := r.Assignments.Elsewhere; at != "" {
		w.Note("the cluster of each row is in the table %s_assignments of %s", w.Flags.Into, at)
	}
	w.centersNote("", r)
	if w.Flags.Verbose {
		w.Note("blocks by worker: %v; calls to the plugin: %v", f.BlocksByWorker, f.Calls)
	}
}

// centersNote says what of the centers is written of a fit, if not all.
func (w *Writer) centersNote(of string, r *result.Tables) {
	if n := job.CentersNote(r); n != "" {
		w.Note("note: %s%s", of, n)
	}
}

// tablesOf lists the tables of a fit.
func tablesOf(r *result.Tables) []string {
	all := []string{"assignments", "centers", "features", "clusters", "trace"}
	if r.Assignments.Elsewhere != "" {
		all = all[1:]
	}
	if r.Violations != nil {
		all = append(all, "violations")
	}
	if r.Limits != nil {
		all = append(all, "limits")
	}
	if r.Assignments.Distances != nil {
		all = append(all, "distances")
	}
	return append(all, "fit", "run")
}

func fitTable(r *result.Tables) render.Table {
	f := r.Fit
	t := render.Table{Name: "fit",
		Columns: []string{"run_id", "algorithm", "version", "n", "p", "k", "seed", "objective", "inertia", "iterations", "converged",
			"stop_reason", "approximate"},
		Rows: [][]any{{f.RunID, f.Algorithm, f.Version, f.N, f.P, f.K, f.Seed, f.Objective, f.Inertia, f.Iterations, f.Converged,
			f.StopReason, f.Approximate}}}
	if f.LabelGap != nil {
		t.Columns, t.Rows[0] = append(t.Columns, "label_gap"), append(t.Rows[0], *f.LabelGap)
	}
	return t
}

// limitTable has what NAME_limits has.
func limitTable(limits []result.Limit) render.Table {
	t := render.Table{Name: "limits", Columns: []string{"kind", "name", "cluster", "feature", "value", "amount", "lo", "hi", "slack", "price"}}
	for _, l := range limits {
		var cluster any // NULL: all of them together
		if l.Cluster >= 0 {
			cluster = l.Cluster
		}
		t.Rows = append(t.Rows, []any{l.Kind, text(l.Name), cluster, text(l.Column), text(l.Value), finite(l.Amount), finite(l.Lo), finite(l.Hi),
			finite(l.Slack), finite(l.Price)})
	}
	return t
}

func clusterTable(r *result.Tables, limit int) render.Table {
	t := render.Table{Name: "clusters", Columns: []string{"cluster", "size", "weight", "inertia"}}
	named := slices.ContainsFunc(r.Clusters, func(c result.Cluster) bool { return c.Class != "" })
	if named {
		t.Columns = slices.Insert(t.Columns, 1, "class")
	}
	for j, c := range r.Clusters[:min(limit, len(r.Clusters))] {
		row := []any{j, c.Size, c.Weight, c.Inertia}
		if named {
			row = slices.Insert(row, 1, text(c.Class))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
