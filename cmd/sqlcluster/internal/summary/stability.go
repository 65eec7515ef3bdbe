package summary

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// ShowStability writes how well clusters and features are found again.
func (w *Writer) ShowStability(s *job.Stability, r *result.Stability) error {
	clusters := render.Table{Name: schema.Stability, Columns: schema.ColumnNames(schema.Stability)}
	for _, c := range r.Clusters {
		clusters.Rows = append(clusters.Rows, []any{c.Cluster, c.Size, number(c.Jaccard), finite(c.Error), number(c.Dissolved), number(c.Recovered)})
	}
	features := render.Table{Name: schema.StabilityFeatures, Columns: schema.ColumnNames(schema.StabilityFeatures)}
	for _, f := range r.Features {
		features.Rows = append(features.Rows, []any{f.Feature, value(f.Category), f.Selected, number(f.Frequency)})
	}
	switch w.Flags.Output {
	case "csv", "jsonl":
		return w.Write(clusters)
	case "json":
		return w.Write(clusters, features)
	}
	w.Notes(s.Notes)
	fmt.Fprintf(w.Out, "%s of run %s: %s, each fitted to %s of %s (seed %d)\n", s.Algorithm.Name, s.Of, input.Counted(len(r.Draws), "draw", "draws"),
		map[string]string{job.Subsample: "half", job.Bootstrap: "a bootstrap sample"}[s.Resample], s.Size(), s.Problem.Seed)
	if failed := failedDraws(r); failed > 0 {
		w.Note("note: %s; the column status of NAME_stability_draws says why", input.Counted(failed, "draw could not be fitted", "draws could not be fitted"))
	}
	fmt.Fprintln(w.Out)
	left := len(clusters.Rows) - shownClusters
	clusters.Rows = clusters.Rows[:min(len(clusters.Rows), shownClusters)]
	if err := w.Write(clusters); err != nil {
		return err
	}
	w.more(left, "cluster", "")
	fmt.Fprintln(w.Out, "\nA jaccard of 0.85 and more: the cluster is very stable; 0.75: it is there; below 0.6: do not trust it.")
	if slices.ContainsFunc(r.Features, func(f result.StabilityFeature) bool { return !f.Selected || f.Frequency < 1 }) && selectsFeatures(r) {
		fmt.Fprintln(w.Out)
		if err := w.Write(w.oftenSelected(features, r)); err != nil {
			return err
		}
		w.more(len(r.Features)-shownFeatures, "feature", "")
	}
	fmt.Fprintln(w.Out)
	if w.Flags.Into == "" {
		w.Note("nothing was stored; add --into NAME to keep the results as tables")
		return nil
	}
	w.written(schema.Stability, schema.Stability, schema.StabilityFeatures, schema.StabilityClusters, schema.StabilityDraws, schema.Fit, schema.Run)
	return nil
}

// selectsFeatures reports whether the run selects features.
func selectsFeatures(r *result.Stability) bool {
	return slices.ContainsFunc(r.Features, func(f result.StabilityFeature) bool { return f.Selected || f.Frequency > 0 })
}

func failedDraws(r *result.Stability) (n int) {
	for _, d := range r.Draws {
		if d.Iterations < 0 {
			n++
		}
	}
	return n
}

// oftenSelected lists the features that are selected most often.
func (w *Writer) oftenSelected(t render.Table, r *result.Stability) render.Table {
	order := make([]int, len(r.Features))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Features[b].Frequency, r.Features[a].Frequency) })
	rows := t.Rows
	t.Rows = nil
	for _, i := range order[:min(len(order), shownFeatures)] {
		t.Rows = append(t.Rows, rows[i])
	}
	if slices.ContainsFunc(r.Features, func(f result.StabilityFeature) bool { return f.Category != nil }) {
		return t
	}
	t.Columns = slices.Delete(slices.Clone(t.Columns), 1, 2)
	for i, row := range t.Rows {
		t.Rows[i] = slices.Delete(slices.Clone(row), 1, 2)
	}
	return t
}
