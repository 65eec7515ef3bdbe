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
		clusters.Rows = append(clusters.Rows, []any{c.Cluster, c.Size, number(c.Jaccard), finite(c.Error),
			number(c.Dissolved), number(c.Recovered)})
	}
	features := render.Table{Name: schema.StabilityFeatures, Columns: schema.ColumnNames(schema.StabilityFeatures)}
	for _, f := range r.Features {
		features.Rows = append(features.Rows, []any{f.Feature, value(f.Category), index(f.Cluster), f.Selected, number(f.Frequency)})
	}
	switch w.Flags.Output {
	case "csv", "jsonl":
		return w.Write(clusters)
	case "json":
		return w.Write(clusters, features)
	}
	w.Notes(s.Notes)
	fmt.Fprintf(w.Out, "%s of run %s: %s, each fitted to %s of %s (seed %d)\n",
		s.Algorithm.Name, s.Of, input.Counted(len(r.Draws), "draw", "draws"),
		map[string]string{job.Subsample: "half", job.Bootstrap: "a bootstrap sample"}[s.Resample], s.Size(), s.Problem.Seed)
	if failed := failedDraws(r); failed > 0 {
		w.Note("note: %s; the column status of NAME_stability_draws says why",
			input.Counted(failed, "draw could not be fitted", "draws could not be fitted"))
	}
	fmt.Fprintln(w.Out)
	left := len(clusters.Rows) - shownClusters
	clusters.Rows = clusters.Rows[:min(len(clusters.Rows), shownClusters)]
	if err := w.Write(clusters); err != nil {
		return err
	}
	w.more(left, "cluster", "")
	fmt.Fprintln(w.Out, "\nA jaccard of 0.85 and more: the cluster is very stable; 0.75: it is there; below 0.6: do not trust it.")
	often := oftenSelected(r)
	differ := slices.ContainsFunc(r.Features, func(f result.StabilityFeature) bool { return !f.Selected || f.Frequency < 1 })
	if len(often.Rows) > 0 && differ {
		fmt.Fprintln(w.Out)
		left := len(often.Rows) - shownFeatures
		often.Rows = often.Rows[:min(len(often.Rows), shownFeatures)]
		if err := w.Write(often); err != nil {
			return err
		}
		w.more(left, "feature", "")
	}
	fmt.Fprintln(w.Out)
	if w.Flags.Into == "" {
		w.Note("nothing was stored; add --into NAME to keep the results as tables")
		return nil
	}
	w.written(schema.Stability, schema.Stability, schema.StabilityFeatures, schema.StabilityClusters, schema.StabilityDraws,
		schema.Fit, schema.Run)
	return nil
}

func failedDraws(r *result.Stability) (n int) {
	for _, d := range r.Draws {
		if d.Iterations < 0 {
			n++
		}
	}
	return n
}

// oftenSelected lists the features that are selected in the run or in a draw, of each
// cluster the most frequent first.
func oftenSelected(r *result.Stability) render.Table {
	t := render.Table{Name: schema.StabilityFeatures, Columns: []string{"feature", "cluster", "selected", "frequency"}}
	features := slices.DeleteFunc(slices.Clone(r.Features), func(f result.StabilityFeature) bool { return !f.Selected && !(f.Frequency > 0) })
	slices.SortStableFunc(features, func(a, b result.StabilityFeature) int {
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(b.Frequency, a.Frequency))
	})
	local := len(features) > 0 && features[0].Cluster >= 0
	if !local {
		t.Columns = slices.Delete(t.Columns, 1, 2)
	}
	for _, f := range features {
		row := []any{nameOf(result.Feature{Feature: f.Feature, Category: f.Category}), f.Cluster, f.Selected, number(f.Frequency)}
		if !local {
			row = slices.Delete(row, 1, 2)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
