package store

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// WriteGroups creates the tables of run name as Write does, with the rows of all groups,
// which they begin with the values of, and the models.
func (db *DB) WriteGroups(ctx context.Context, name string, replace bool, r *result.Grouped[*result.Tables]) error {
	return writeGroups(ctx, db, name, replace, r, fitTable, func(r *result.Tables) (string, input.Keys) {
		return r.Assignments.KeyName, r.Assignments.Keys
	})
}

// WritePaths is WriteGroups for paths.
func (db *DB) WritePaths(ctx context.Context, name string, replace bool, r *result.Grouped[*result.Path]) error {
	return writeGroups(ctx, db, name, replace, r, among(pathTables), func(r *result.Path) (string, input.Keys) { return r.KeyName, r.Keys })
}

// WriteTunings is WriteGroups for tunings.
func (db *DB) WriteTunings(ctx context.Context, name string, replace bool, r *result.Grouped[*result.Tune]) error {
	return writeGroups(ctx, db, name, replace, r, among(tuneTables), func(r *result.Tune) (string, input.Keys) { return r.KeyName, r.Keys })
}

// among returns one table of several.
func among[T any](tablesOf func(T) []newTable) func(T, string) (newTable, bool) {
	return func(r T, what string) (newTable, bool) {
		all := tablesOf(r)
		if i := slices.IndexFunc(all, func(t newTable) bool { return t.result == what }); i >= 0 {
			return all[i], true
		}
		return newTable{}, false
	}
}

// writeGroups creates the tables of runs of groups. Only the functions that write one
// table are there at a time: those of many groups take much memory.
func writeGroups[T any](ctx context.Context, db *DB, name string, replace bool, r *result.Grouped[T], tableOf func(T, string) (newTable, bool),
	keysOf func(T) (name string, keys input.Keys),
) error {
	key := keyed{groups: groupColumns(r.Groups)}
	for g, fault := range r.Faults {
		if fault == nil {
			var keys input.Keys
			key.name, keys = keysOf(r.Of[g])
			key.typ = keys.Type()
			break
		}
	}
	var tables []newTable
	for _, what := range schema.Names() {
		if what == schema.Models {
			tables = append(tables, modelTable(r.Groups, r.Models))
		} else if t, has := joined(r, what, tableOf); has {
			tables = append(tables, t)
		}
	}
	return db.writeRun(ctx, name, replace, tables, key)
}

// joined returns a table with the rows of all groups, if one of them has it.
func joined[T any](r *result.Grouped[T], what string, tableOf func(T, string) (newTable, bool)) (all newTable, has bool) {
	ends := make([]int, r.Groups.Len()) // of the rows of each group
	for g, fault := range r.Faults {
		if fault == nil {
			if t, ofGroup := tableOf(r.Of[g], what); ofGroup {
				ends[g], has, all.comment = t.rows, true, cmp.Or(all.comment, t.comment)
			}
		}
		all.rows += ends[g]
		ends[g] = all.rows
	}
	all.result = what
	all.grouped = func() []duck.Cells {
		columns := make([][]duck.Cells, len(schema.AllColumns(what)))
		for c := range columns {
			columns[c] = make([]duck.Cells, len(ends))
		}
		for g, fault := range r.Faults {
			if fault != nil {
				continue
			}
			if t, ofGroup := tableOf(r.Of[g], what); ofGroup {
				for c, cells := range t.cells() {
					columns[c][g] = cells
				}
			}
		}
		cells := groupCells(r.Groups, ends)
		for c := range columns {
			cells = append(cells, duck.Joined(ends, columns[c]))
		}
		return cells
	}
	return all, has
}

// groupColumns are those of groups in result tables.
func groupColumns(g *input.Groups) []schema.Column {
	var all []schema.Column
	for _, c := range g.Columns {
		all = append(all, schema.Column{Name: c.Name, Type: c.Values.Type()})
	}
	return all
}

// groupCells write the values of the group of each row.
func groupCells(g *input.Groups, ends []int) []duck.Cells {
	var all []duck.Cells
	for _, c := range g.Columns {
		all = append(all, duck.KeysOrNull(duck.KeysOf(c.Values), func(i int) (int, bool) {
			group := sort.SearchInts(ends, i+1)
			return group, !c.Null[group]
		}))
	}
	return all
}

// modelTable is the table of the models, with a row for each group.
func modelTable(g *input.Groups, rows []result.Model) newTable {
	ends := make([]int, len(rows))
	for i := range ends {
		ends[i] = i + 1
	}
	return newTable{result: schema.Models, rows: len(rows), grouped: func() []duck.Cells {
		return append(groupCells(g, ends), modelCells(rows).of(schema.Models)...)
	}}
}

func modelCells(rows []result.Model) cellWriters {
	return cellWriters{
		"status":     duck.Texts(func(i int) string { return rows[i].Status }),
		"message":    duck.Texts(func(i int) string { return rows[i].Message }),
		"rows":       duck.Bigints(func(i int) int { return rows[i].Rows }),
		"p":          duck.Integers(1, func(i int) int { return rows[i].P }),
		"k":          duck.Integers(1, func(i int) int { return rows[i].K }),
		"objective":  duck.Doubles(func(i int) float64 { return rows[i].Objective }),
		"iterations": duck.Integers(0, func(i int) int { return rows[i].Iterations }),
		"converged": duck.Fixed(func(i int) (bool, bool) {
			c := rows[i].Converged
			return c != nil && *c, c != nil
		}),
		"notes": duck.Texts(func(i int) string { return strings.Join(rows[i].Notes, "; ") }),
	}
}
