package framework

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// A LabelKind is a kind of label sets that rows of a constraints relation can declare,
// as a [SetKind] is one of sets of centers. A plugin may serve it.
type LabelKind interface {
	// Describe says what rows of the kind may have. Its examples make sets of labels of
	// ExampleTable, and it says Labels.
	Describe() SetDescription

	// Make returns the set that the rows declare. All rows are of this kind and have the
	// same name. Clusters are from 0 to k−1, all numbers except Lo and Hi are finite, fields
	// that SetDescription.Uses does not name are nil, and each feature is a column of the
	// table. If the rows make no set, the error is a Fault of class Data whose summary
	// says why. That no labels obey is nothing to do with it: LabelSet.Feasible says so. Equal arguments must
	// give equal sets.
	Make(rows []ConstraintRow, t LabelTable) (LabelSet, error)
}

// A LabelTable is what a label set may depend on besides the rows that declare it.
type LabelTable struct {
	N, K    int           // rows and clusters
	Columns []LabelColumn // the columns of the relation that declaring rows name, clustered by or not
}

// A LabelColumn is a column of a relation, in its own units: one entry for each row, in
// the order of the keys.
type LabelColumn struct {
	Name    string
	Numbers []float64 // NaN: NULL; nil: the column has no numbers, or nobody asked for them
	Codes   []int32   // which of Values; −1: NULL; nil: nobody asked for them
	Values  []string  // different texts, ascending
}

// Column returns the column with the name, or nil.
func (t LabelTable) Column(name string) *LabelColumn {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// Check returns an error unless the table's columns have an entry for each row, and
// codes are those of values.
func (t LabelTable) Check() error {
	if t.N < 0 || t.K < 1 {
		return fmt.Errorf("there are %d rows and %d clusters", t.N, t.K)
	}
	for _, c := range t.Columns {
		if c.Numbers != nil && len(c.Numbers) != t.N || c.Codes != nil && len(c.Codes) != t.N {
			return fmt.Errorf("column %s has %d numbers and %d codes for %d rows", c.Name, len(c.Numbers), len(c.Codes), t.N)
		}
		for i, v := range c.Codes {
			if v < -1 || int(v) >= len(c.Values) {
				return fmt.Errorf("row %d of column %s has the code %d, of %d values", i, c.Name, v, len(c.Values))
			}
		}
	}
	return nil
}

// ExampleTable returns the table of LabelKind examples: 9 rows, 3 clusters, and the
// columns f1 to f5 of ExampleColumns. Each has numbers and values: f1 has 1 to 9,
// f2 halves, f3 is 0 or 1, f4 has three values, f5 as well, and a NULL.
func ExampleTable() LabelTable {
	t := LabelTable{N: 9, K: ExampleClusters}
	for l, numbers := range [][]float64{
		{1, 2, 3, 4, 5, 6, 7, 8, 9},
		{0.5, 2.5, 1.5, 0.5, 3.5, 1, 2, 0.5, 3},
		{0, 1, 0, 1, 0, 1, 0, 1, 0},
		{1, 1, 1, 2, 2, 2, 3, 3, 3},
		{3, 1, 2, 3, 1, 2, 3, 1, math.NaN()},
	} {
		t.Columns = append(t.Columns, NewLabelColumn(fmt.Sprintf("f%d", l+1), numbers))
	}
	return t
}

// NewLabelColumn returns a column of numbers, whose values are their texts. NaN is NULL.
func NewLabelColumn(name string, numbers []float64) LabelColumn {
	c := LabelColumn{Name: name, Numbers: numbers, Codes: []int32{}}
	seen := map[string]int32{}
	for _, v := range numbers {
		if v == v {
			seen[fmt.Sprint(v)] = 0
		}
	}
	c.Values = slices.Sorted(maps.Keys(seen))
	for code, text := range c.Values {
		seen[text] = int32(code)
	}
	for _, v := range numbers {
		code := int32(-1)
		if v == v {
			code = seen[fmt.Sprint(v)]
		}
		c.Codes = append(c.Codes, code)
	}
	return c
}
