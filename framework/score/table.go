package score

import (
	"cmp"
	"fmt"
	"slices"
)

// A Table counts rows by class and cluster. Make it with NewTable.
type Table struct {
	n        int
	cells    []cell // the cells that have rows, by class and then cluster
	classes  []cell // size of each class; cluster is 0
	clusters []cell // size of each cluster, by number; class is 0
}

type cell struct {
	class, cluster int32
	rows           int
}

// NewTable counts the rows by their class and their label. Both have one number
// a row, any number but −1, which leaves the row out. It panics if the lengths
// differ. The memory is of the order of the rows.
func NewTable(classes, labels []int32) Table {
	if len(classes) != len(labels) {
		panic(fmt.Sprintf("score: %d classes and %d labels", len(classes), len(labels)))
	}
	rows := make([]cell, 0, len(labels))
	for i, b := range labels {
		if a := classes[i]; a != -1 && b != -1 {
			rows = append(rows, cell{a, b, 1})
		}
	}
	return Table{
		n: len(rows), cells: sizes(rows),
		classes:  sizes(mapped(rows, func(c cell) cell { return cell{class: c.class, rows: 1} })),
		clusters: sizes(mapped(rows, func(c cell) cell { return cell{cluster: c.cluster, rows: 1} })),
	}
}

func mapped(rows []cell, do func(cell) cell) []cell {
	out := make([]cell, len(rows))
	for i, c := range rows {
		out[i] = do(c)
	}
	return out
}

// sizes sorts cells of one row each and adds up the equal ones.
func sizes(rows []cell) []cell {
	slices.SortFunc(rows, func(x, y cell) int {
		return cmp.Or(cmp.Compare(x.class, y.class), cmp.Compare(x.cluster, y.cluster))
	})
	var out []cell
	for _, c := range rows {
		if last := len(out) - 1; last >= 0 && out[last].class == c.class && out[last].cluster == c.cluster {
			out[last].rows++
		} else {
			out = append(out, c)
		}
	}
	return out
}

// Rows returns n, the number of rows that have both a class and a cluster.
func (t Table) Rows() int { return t.n }

// Classes returns the number of classes that have rows.
func (t Table) Classes() int { return len(t.classes) }

// Clusters returns the number of clusters that have rows.
func (t Table) Clusters() int { return len(t.clusters) }
