package source

import (
	"context"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// takeEntries writes an array column to columns place… of the matrix.
func (in *reader) takeEntries(cells []float64, place int, s source, v duck.Vector, key *duck.Vector, rows int) {
	p := len(in.features)
	limit := exactUpTo(s.Type)
	e := v.Lists(rows, s.width, s.list)
	for i := range rows {
		dst := cells[i*p+place:][:s.width]
		from := e.From(i)
		if from < 0 {
			for l := range dst {
				dst[l] = math.NaN()
				in.missing[place+l]++
			}
			if from == -2 {
				in.badLists.Add("%s", in.rowName(key, i))
			}
			continue
		}
		for l, x := range e.Numbers(from) {
			switch {
			case e.Null(from + l):
				x = math.NaN()
				in.missing[place+l]++
			case x-x != 0:
				in.badCell(key, i, place+l, x)
			}
			dst[l] = x
			in.rounded[place+l] = in.rounded[place+l] || x > limit || x < -limit
		}
	}
}

// measure finds the length of list columns, which their type does not tell.
func (db *DB) measure(ctx context.Context, r *Relation, s *selection) error {
	for i := range s.sources {
		c := &s.sources[i]
		if !c.list {
			continue
		}
		name := schema.Quote(c.Name)
		rows, err := db.Rows(ctx, "SELECT min(len("+name+")), max(len("+name+")) FROM "+r.From)
		if err != nil {
			return ReadFault(err, r, 0)
		}
		low, _ := rows[0][0].(int64)
		high, _ := rows[0][1].(int64)
		if low != high {
			return framework.Faultf(framework.Data, "list-lengths-differ", "the lists in column %q have from %d to %d entries", c.Name, low, high).
				WithHint("all must have the same number, since each entry is a feature")
		}
		if high == 0 {
			return framework.Faultf(framework.Data, "list-empty", "the lists in column %q have no entries", c.Name)
		}
		c.width = int(high)
	}
	return nil
}
