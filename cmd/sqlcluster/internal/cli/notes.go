package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// shownNames bounds the names and numbers that a note lists.
const shownNames = 12

// keysNote names the features that look like row keys, and says what to do; ""
// if there are none. named says that there is a row key already.
func keysNote(like []input.KeyLike, named bool) string {
	if len(like) == 0 {
		return ""
	}
	names := make([]string, len(like))
	best, key := false, "" // the first that could be the key, or better one that is called so
	for i, k := range like {
		names[i] = k.Name
		if k.Unique && !named && (key == "" || k.Named && !best) {
			best, key = k.Named, k.Name
		}
	}
	note := fmt.Sprintf("column %s looks like a key, and rows are clustered by it: ", names[0])
	if len(like) > 1 {
		note = fmt.Sprintf("columns %s look like keys, and rows are clustered by them: ", joined(firstOf(names, shownNames)))
	}
	if key != "" {
		makes := "makes it"
		if len(like) > 1 {
			makes = "makes one"
		}
		note += fmt.Sprintf("--id %s %s the row key; ", shellWord(key), makes)
	}
	leaves := "leaves it out"
	if len(like) > 1 {
		leaves = "leaves them out"
	}
	return note + flagText("exclude", input.ColumnItems(names)) + " " + leaves
}

// clusterNotes says what is odd about clusters: those that have no row or one,
// and those that are the categories of a column.
func clusterNotes(p *prepared, d *finished, r *result.Tables) (notes []string) {
	for _, n := range []string{untoldNote(d.untold), withoutRows(p, d, r), singles(r.Clusters), categoriesNote(p, d.result.Labels)} {
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
	return counted(n, "row has", "rows have") + " NULL in all features that tell clusters apart, and so no cluster"
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
	return fmt.Sprintf("%d clusters have only one row each: %s", len(names), joined(firstOf(names, shownNames)))
}

// rowsOfCategory is the number of rows that each category must have on average
// before it says something that several of them share a cluster.
const rowsOfCategory = 5

// categoriesNote names the columns whose categories the clusters are: all rows of
// a category are in one cluster. It is "" if there is no such column.
func categoriesNote(p *prepared, labels []int32) string {
	var same, merged []string
	features := p.recipe.Features
	for first := 0; first < len(features); {
		end := first + 1
		for end < len(features) && features[end].IsCategory() && features[end].Source == features[first].Source {
			end++
		}
		if features[first].IsCategory() && end-first > 1 {
			switch clusters, categories := p.wholeCategories(first, end, labels); {
			case clusters < 2:
			case clusters == categories:
				same = append(same, features[first].Source)
			case len(labels) >= rowsOfCategory*categories:
				merged = append(merged, features[first].Source)
			}
		}
		first = end
	}
	try := func(names []string) string {
		return flagText("exclude", input.ColumnItems(names)) + " shows what the other columns tell"
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
func (p *prepared) wholeCategories(first, end int, labels []int32) (clusters, categories int) {
	of := make([]int32, end-first+1) // the cluster of each category, from 1
	has := make([]float64, end-first)
	for l := range has {
		has[l] = p.recipe.Fitted(first+l, 0.5) // above it, a fitted cell stands for 1
	}
	x := p.data.Matrix()
	for i, j := range labels {
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
