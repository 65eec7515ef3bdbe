package job

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// shownNames bounds the names and numbers that a note lists.
const shownNames = 12

// noteKeys names the features that look like row keys, and says what to do.
func (b *Job) noteKeys() {
	like := b.Table.KeyLike
	if len(like) == 0 {
		return
	}
	names := make([]string, len(like))
	best, key := false, "" // the first that could be the key, or better one that is called so
	for i, k := range like {
		names[i] = k.Name
		if k.Unique && b.Settings.ID == "" && (key == "" || k.Named && !best) {
			best, key = k.Named, k.Name
		}
	}
	note, makes, leaves := fmt.Sprintf("column %s looks like a key, and rows are clustered by it: ", names[0]), "makes it", "leaves it out"
	if len(like) > 1 {
		note = fmt.Sprintf("columns %s look like keys, and rows are clustered by them: ", strings.Join(input.FirstOf(names, shownNames), ", "))
		makes, leaves = "makes one", "leaves them out"
	}
	if key != "" {
		note += fmt.Sprintf("%s %s the row key; ", framework.SettingTo("id", key), makes)
	}
	b.note("%s%s %s", note, framework.SettingTo("exclude", input.ColumnItems(names)), leaves)
}

// clusterNotes says what is odd about clusters: those that have no row or one,
// and those that are the categories of a column.
func (b *Job) clusterNotes(f *Fitted, r *result.Tables) (notes []string) {
	all := []string{b.batchNote(f), b.outliersNote(f), untoldNote(f.untold), b.withoutRows(f, r), singles(r.Clusters),
		b.categoriesNote(f)}
	for _, n := range all {
		if n != "" {
			notes = append(notes, n)
		}
	}
	return notes
}

// untoldNote says how many rows have no cell that tells clusters apart; "" if all
// have one.
func untoldNote(n int) string {
	if n == 0 {
		return ""
	}
	return input.Counted(n, "row has", "rows have") + " NULL in all features that tell clusters apart, and so no cluster"
}

// outliersNote says how many rows were left out as outliers, of which the algorithm
// may find some itself; "" if none could be.
func (b *Job) outliersNote(f *Fitted) string {
	n := 0
	for i, j := range f.Labels {
		if j < 0 && f.Distance[i] >= 0 {
			n++
		}
	}
	switch {
	case f.Stop == framework.AllZero || b.Settings.Trim == 0 && n == 0:
		return ""
	case b.Settings.Trim == 0:
		return fmt.Sprintf("%s: %s gives %s no cluster", input.Counted(n, "row is an outlier", "rows are outliers"), b.Algorithm.Name,
			input.Agreed(n, "it", "them"))
	}
	farthest := 0.0
	for i, j := range f.Labels {
		if j >= 0 {
			farthest = max(farthest, f.Distance[i])
		}
	}
	note := fmt.Sprintf("%s left out, farther than %.4g from all centers", input.Counted(n, "outlier is", "outliers are"), farthest)
	if p := f.Part; p != nil {
		note += fmt.Sprintf("; row %v counts with %.4g of its weight of %.4g", b.Table.Keys.Value(p.Row), p.Weight, b.Data.Weights()[p.Row])
	}
	return note
}

// withoutRows says how many clusters have no rows, and what to do; "" if all have
// some.
func (b *Job) withoutRows(f *Fitted, r *result.Tables) string {
	empty, byLimits := 0, 0
	var only []bool
	if set := b.declaredLabels(); set != nil {
		only = set.OnlyEmpty()
	}
	for _, c := range r.Clusters {
		if c.Size == 0 {
			empty++
			if c.Cluster < len(only) && only[c.Cluster] {
				byLimits++
			}
		}
	}
	if empty == 0 || f.Stop == framework.AllZero {
		return ""
	}
	what := fmt.Sprintf("%d of %s %s no rows", empty, input.Counted(b.Problem.K, "cluster", "clusters"), input.Agreed(empty, "has", "have"))
	if byLimits == empty {
		return what + ": the limits leave " + input.Agreed(empty, "it", "them") + " none"
	}
	if b.Settings.Empty == string(framework.Reseed) && len(b.Problem.Links) == 0 && f.Converged {
		return what + ": most likely there are fewer different rows, in the selected features, than clusters; " +
			"choose a smaller k, or select more features"
	}
	return what + "; choose a smaller k, or give them rows with " + framework.SettingTo("empty", framework.Reseed)
}

// singles names the clusters of one row; "" if there are none.
func singles(clusters []result.Cluster) string {
	var names []string
	for _, c := range clusters {
		if c.Size == 1 {
			names = append(names, strconv.Itoa(c.Cluster))
		}
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return fmt.Sprintf("cluster %s has only one row", names[0])
	}
	return fmt.Sprintf("%d clusters have only one row each: %s", len(names), strings.Join(input.FirstOf(names, shownNames), ", "))
}

// rowsOfCategory is the number of rows that each category must have on average
// before it says something that several of them share a cluster.
const rowsOfCategory = 5

// categoriesNote names the columns whose categories the clusters are: all rows of
// a category are in one cluster. It is "" if there is no such column.
func (b *Job) categoriesNote(f *Fitted) string {
	var same, merged []string
	features := b.Recipe.Features
	for first := 0; first < len(features); {
		end := first + 1
		for end < len(features) && features[end].IsCategory() && features[end].Source == features[first].Source {
			end++
		}
		if features[first].IsCategory() && end-first > 1 {
			switch clusters, categories := b.wholeCategories(first, end, f); {
			case clusters < 2:
			case clusters == categories:
				same = append(same, features[first].Source)
			case b.Problem.N >= rowsOfCategory*categories:
				merged = append(merged, features[first].Source)
			}
		}
		first = end
	}
	try := func(names []string) string {
		return framework.SettingTo("exclude", input.ColumnItems(names)) + " shows what the other columns tell"
	}
	switch {
	case len(same) > 0:
		return fmt.Sprintf("the clusters are just the categories of column %s; %s", strings.Join(same, " and of column "), try(same))
	case len(merged) > 0:
		return fmt.Sprintf("each cluster is just some of the categories of column %s; %s", strings.Join(merged, " and of column "), try(merged))
	}
	return ""
}

// wholeCategories returns the number of clusters and of categories that have
// rows, if all rows of each category of a column are in one cluster; else no
// clusters. The column's features are those from first up to end. Rows that have
// no category are one more category.
func (b *Job) wholeCategories(first, end int, f *Fitted) (clusters, categories int) {
	if f.sums != nil {
		return b.wholeOf(first, end, f.sums)
	}
	of := make([]int32, end-first+1) // the cluster of each category, from 1
	has := make([]float64, end-first)
	for l := range has {
		has[l] = b.Recipe.Fitted(first+l, 0.5) // above it, a fitted cell stands for 1
	}
	x := b.Data.Matrix()
	for i, j := range f.Labels {
		if j < 0 {
			continue
		}
		at := len(has)
		for l, v := range x.Row(i)[first:end] {
			if v > has[l] {
				at = l
				break
			}
		}
		if of[at] == 0 {
			of[at] = j + 1
			categories++
		}
		if of[at] != j+1 {
			return 0, 0
		}
	}
	seen := map[int32]bool{}
	for _, j := range of {
		seen[j] = true
	}
	delete(seen, 0)
	return len(seen), categories
}
