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
// differ.
func NewTable(classes, labels []int32) Table {
	if len(classes) != len(labels) {
		panic(fmt.Sprintf("score: %d classes and %d labels", len(classes), len(labels)))
	}
	var counts Counts
	for i, b := range labels {
		counts.Add(classes[i], b, 1)
	}
	return counts.Table()
}

// Counts are numbers of rows by class and cluster, in any order. The zero value
// has none.
type Counts struct {
	n     int
	cells map[[2]int32]int
}

// Add counts rows of a class and a cluster; −1 as one of them leaves them out.
func (c *Counts) Add(class, cluster int32, rows int) {
	if class == -1 || cluster == -1 || rows == 0 {
		return
	}
	if c.cells == nil {
		c.cells = map[[2]int32]int{}
	}
	c.n += rows
	c.cells[[2]int32{class, cluster}] += rows
}

// Table returns the table of what was counted.
func (c *Counts) Table() Table {
	cells := make([]cell, 0, len(c.cells))
	for of, rows := range c.cells {
		cells = append(cells, cell{of[0], of[1], rows})
	}
	return Table{
		n: c.n, cells: sizes(cells),
		classes:  sizes(mapped(cells, func(c cell) cell { return cell{class: c.class, rows: c.rows} })),
		clusters: sizes(mapped(cells, func(c cell) cell { return cell{cluster: c.cluster, rows: c.rows} })),
	}
}

func mapped(rows []cell, do func(cell) cell) []cell {
	out := make([]cell, len(rows))
	for i, c := range rows {
		out[i] = do(c)
	}
	return out
}

// sizes sorts cells and adds up the equal ones.
func sizes(rows []cell) []cell {
	slices.SortFunc(rows, func(x, y cell) int {
		return cmp.Or(cmp.Compare(x.class, y.class), cmp.Compare(x.cluster, y.cluster))
	})
	var out []cell
	for _, c := range rows {
		if last := len(out) - 1; last >= 0 && out[last].class == c.class && out[last].cluster == c.cluster {
			out[last].rows += c.rows
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
