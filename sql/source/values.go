package source

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// values are those of the columns by which rows are grouped, one entry a group, in the
// order in which they are found.
type values struct {
	columns []*Column
	keys    []*duck.Keys
	null    [][]bool
	sizes   []int
	index   map[string]int // of the group with these bytes
	bad     error          // values cannot be of a column's type

	one  []*duck.Keys // values of a row
	last []byte       // bytes of the row before, and its group
	at   int
}

func newValues(columns []*Column) *values {
	v := &values{columns: columns, index: map[string]int{}, null: make([][]bool, len(columns))}
	for range columns {
		v.keys, v.one = append(v.keys, duck.RowNumbers(0)), append(v.one, duck.RowNumbers(0))
	}
	return v
}

// place tells the group of each row of a chunk, which is a new one if no row had its
// values before.
func (v *values) place(vectors []duck.Vector, rows int, to func(group int)) {
	if v.last == nil {
		for c, column := range v.columns {
			if !v.keys[c].Become(vectors[c], column.Type) || !v.one[c].Become(vectors[c], column.Type) {
				v.bad = framework.Faultf(framework.Data, "group-type-unsupported", "rows cannot be grouped by column %q, which is %s", column.Name,
					shortType(column.Type)).At("by").WithHint("CAST it AS VARCHAR in a query")
			}
		}
	}
	var bytes []byte
	for i := range rows {
		if v.bad != nil {
			to(-1)
			continue
		}
		bytes = bytes[:0]
		for c := range vectors {
			if bytes = append(bytes, 0); vectors[c].Null(i) {
				bytes[len(bytes)-1] = 1
				continue
			}
			v.one[c].Clear()
			v.one[c].Add(vectors[c], i)
			bytes = v.one[c].Append(bytes, 0)
		}
		if v.last == nil || string(v.last) != string(bytes) {
			v.at = v.find(bytes, vectors, i)
			v.last = append(v.last[:0], bytes...)
		}
		v.sizes[v.at]++
		to(v.at)
	}
}

// find returns the group with these bytes, which are those of entries i.
func (v *values) find(bytes []byte, vectors []duck.Vector, i int) int {
	g, known := v.index[string(bytes)]
	if known {
		return g
	}
	g = len(v.sizes)
	v.index[string(bytes)], v.sizes = g, append(v.sizes, 0)
	for c := range vectors {
		null := vectors[c].Null(i)
		if v.null[c] = append(v.null[c], null); null {
			v.keys[c].AddNull()
		} else {
			v.keys[c].Add(vectors[c], i)
		}
	}
	return g
}

// key returns the bytes of a group.
func (v *values) key(group int) string {
	var bytes []byte
	for c := range v.keys {
		if bytes = append(bytes, 0); v.null[c][group] {
			bytes[len(bytes)-1] = 1
		} else {
			bytes = v.keys[c].Append(bytes, group)
		}
	}
	return string(bytes)
}

// order returns the numbers of the groups in the order of their values, NULL last.
func (v *values) order() []int {
	order := make([]int, len(v.sizes))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		for c := range v.keys {
			switch nullA, nullB := v.null[c][a], v.null[c][b]; {
			case nullA && nullB:
			case nullA:
				return 1
			case nullB:
				return -1
			default:
				if d := v.keys[c].Compare(a, b); d != 0 {
					return d
				}
			}
		}
		return 0
	})
	return order
}

// inOrder returns the groups in an order.
func (v *values) inOrder(order []int) *input.Groups {
	g := &input.Groups{Sizes: input.Permuted(v.sizes, order)}
	for c, column := range v.columns {
		g.Columns = append(g.Columns, input.GroupColumn{Name: column.Name, Values: v.keys[c].Permuted(order), Null: input.Permuted(v.null[c],
			order)})
	}
	return g
}

// ListedGroups returns groups that a query lists: their values in columns, and their sizes.
func (db *DB) ListedGroups(ctx context.Context, query string, columns []Column) (*input.Groups, error) {
	of := make([]*Column, len(columns))
	for i := range columns {
		of[i] = &columns[i]
	}
	v, sizes := newValues(of), []int(nil)
	err := db.Stream(ctx, query, func(c duck.Chunk) error {
		vectors := make([]duck.Vector, len(of))
		for i := range vectors {
			vectors[i] = c.Column(i)
		}
		v.place(vectors, c.Rows, func(int) {})
		for _, n := range duck.View[int64](c.Column(len(of)), c.Rows) {
			sizes = append(sizes, int(n))
		}
		return v.bad
	})
	if err != nil || len(sizes) != len(v.sizes) { // or somebody has listed one twice
		return nil, err
	}
	v.sizes = sizes
	order := make([]int, len(sizes))
	for i := range order {
		order[i] = i
	}
	return v.inOrder(order), nil
}

// sorted is a copy of a relation whose rows are sorted by group, and within a group as
// they come.
type sorted struct {
	db     *DB
	values *values // of its groups, in their order
	table  string
	number string // column with the number of the group
}

// sort makes a copy of a relation that is sorted by columns.
func (db *DB) sort(ctx context.Context, r *Relation, by []*Column) (*sorted, error) {
	name := func(wanted string) string {
		for r.Has(wanted) {
			wanted += "_"
		}
		return schema.Quote(wanted)
	}
	s := &sorted{db: db, values: newValues(by), table: "temp." + schema.Quote("sqlcluster_sorted"), number: name("sqlcluster_group")}
	row := name("sqlcluster_row")
	columns := input.NamesOf(by, func(c *Column) string { return schema.Quote(c.Name) })
	err := db.ExecReading(ctx, fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT * EXCLUDE (%s) FROM "+
		"(SELECT *, dense_rank() OVER (ORDER BY %s) - 1 AS %s FROM (SELECT *, row_number() OVER () AS %s FROM %s)) ORDER BY %s, %[2]s",
		s.table, row, strings.Join(columns, " ASC NULLS LAST, ")+" ASC NULLS LAST", s.number, row, r.From, s.number))
	if err != nil {
		return nil, RelationFault(err, r.Label, framework.Setting("relation"))
	}
	list := strings.Join(columns, ", ")
	err = db.Stream(ctx, fmt.Sprintf("SELECT %s FROM (SELECT %[1]s, %s FROM %s GROUP BY ALL) ORDER BY %[2]s", list, s.number, s.table),
		func(c duck.Chunk) error {
			vectors := make([]duck.Vector, len(by))
			for i := range vectors {
				vectors[i] = c.Column(i)
			}
			s.values.place(vectors, c.Rows, func(int) {})
			return s.values.bad
		})
	if err != nil {
		s.drop()
		return nil, RelationFault(err, r.Label, framework.Setting("relation"))
	}
	return s, nil
}

// count counts the rows of the groups, or what else is counted in SQL.
func (s *sorted) count(ctx context.Context, what string) error {
	at := 0
	return s.db.Stream(ctx, fmt.Sprintf("SELECT count(%s) FROM %s GROUP BY %s ORDER BY %[3]s", what, s.table, s.number),
		func(c duck.Chunk) error {
			for _, n := range duck.View[int64](c.Column(0), c.Rows) {
				s.values.sizes[at] = int(n)
				at++
			}
			return nil
		})
}

// query returns the query of the rows of a group, without the columns by which they are
// grouped.
func (s *sorted) query(group int) string {
	columns := append(input.NamesOf(s.values.columns, func(c *Column) string { return schema.Quote(c.Name) }), s.number)
	return fmt.Sprintf("SELECT * EXCLUDE (%s) FROM %s WHERE %s = %d", strings.Join(columns, ", "), s.table, s.number, group)
}

func (s *sorted) drop() {
	_ = s.db.Exec(context.Background(), "DROP TABLE IF EXISTS "+s.table) // temporary: it ends with the connection in any case
}
