package summary

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

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
		var rank any
		if f.Rank > 0 {
			rank = f.Rank
		}
		t.Rows = append(t.Rows, []any{f.Feature, value(f.Category), text(f.Group), index(f.Cluster), value(f.Selected),
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
