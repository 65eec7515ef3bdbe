package summary

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// selects reports whether the algorithm says of features whether they are
// selected.
func selects(r *result.Tables) bool { return len(r.Features) > 0 && r.Features[0].Selected != nil }

// chosen returns the features that people are shown: those that are selected, or all if the
// algorithm does not select.
func chosen(r *result.Tables) []result.Feature {
	return slices.DeleteFunc(slices.Clone(r.Features), func(f result.Feature) bool { return f.Selected != nil && !*f.Selected })
}

// everyFeature is NAME_features for programs, the most useful features first.
func everyFeature(r *result.Tables) render.Table {
	t := render.Table{Name: schema.Features, Columns: schema.ColumnNames(schema.Features)}
	for _, f := range byUse(r.Features) {
		t.Rows = append(t.Rows, []any{f.Feature, value(f.Category), text(f.Group), index(f.Cluster), value(f.Selected),
			f.Weight, f.Norm, f.Gain, rank(f.Rank), f.Location, f.Scale})
	}
	return t
}

// rank is a cell of a rank, which 0 is not.
func rank(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// byUse returns the features in the order of clusters and ranks, and of gains where
// there are no ranks.
func byUse(features []result.Feature) []result.Feature {
	order := make([]int, len(features)) // a feature is large, and takes long to move
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &features[i], &features[j]
		return cmp.Or(cmp.Compare(a.Cluster, b.Cluster), cmp.Compare(a.Rank, b.Rank), cmp.Compare(b.Gain, a.Gain), cmp.Compare(i, j))
	})
	sorted := make([]result.Feature, len(features))
	for at, i := range order {
		sorted[at] = features[i]
	}
	return sorted
}

// featureTable lists for people the features that are selected (or all where
// nothing is selected) by rank, and beside each, if asked for, the centers in its own
// units.
func featureTable(b *job.Job, r *result.Tables, limit int, centers bool) render.Table {
	features := byUse(chosen(r))
	if len(features) == 0 {
		return render.Table{}
	}
	one := features[0] // the others have values of the same
	features = features[:min(limit, len(features))]
	t := render.Table{Name: schema.Features, Rows: make([][]any, len(features))}
	add := func(name string, cell func(result.Feature) any) {
		t.Columns = append(t.Columns, name)
		for i, f := range features {
			t.Rows[i] = append(t.Rows[i], cell(f))
		}
	}
	add("feature", func(f result.Feature) any { return nameOf(f) })
	if one.Cluster >= 0 {
		add("cluster", func(f result.Feature) any { return f.Cluster })
	}
	if !math.IsNaN(one.Weight) {
		add("weight", func(f result.Feature) any { return f.Weight })
	}
	if !math.IsNaN(one.Gain) {
		add("gain", func(f result.Feature) any { return f.Gain })
	}
	if !centers {
		return t
	}
	of := centersOf(r, features)
	for j := range b.Problem.K {
		add(fmt.Sprintf("center %d", j), func(f result.Feature) any { return of[nameOf(f)][j] })
	}
	return t
}

// topIndent is how much of a line the column cluster takes, and the gaps of both columns.
const topIndent = len("cluster") + 2 + 2

// topFeatures writes the features that name each cluster, as many as a line has room for;
// top is nil where there are few features, which are shown with their centers.
func (w *Writer) topFeatures(top [][]string) error {
	if top == nil {
		return nil
	}
	t := render.Table{Name: "top_features", Columns: []string{"cluster", "furthest above the mean of all rows"}, Prose: true}
	room := 0
	if width := render.WidthOf(w.Out); width > 0 {
		room = max(1, width-topIndent)
	}
	for j, names := range top[:min(shownClusters, len(top))] {
		t.Rows = append(t.Rows, []any{j, text(render.List(names, room))})
	}
	if err := w.Write(t); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w.Out)
	return err
}

// nameOf returns the name of a feature in the recipe.
func nameOf(f result.Feature) string {
	if f.Category == nil {
		return f.Feature
	}
	return f.Feature + "=" + *f.Category
}

// centersOf returns the centers of all clusters in some features, in their own units, by
// the name of the feature. One without a row is 0.
func centersOf(r *result.Tables, features []result.Feature) map[string][]float64 {
	of := map[string][]float64{}
	for _, f := range features {
		of[nameOf(f)] = make([]float64, len(r.Clusters))
	}
	for _, c := range r.Centers {
		if all := of[nameOf(result.Feature{Feature: c.Feature, Category: c.Category})]; all != nil {
			all[c.Cluster] = c.Center
		}
	}
	return of
}
