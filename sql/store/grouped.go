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
// which they begin with the values of, and the models. The results are made while they are
// written, if they come in more than one batch: then nothing else may use the database.
func (db *DB) WriteGroups(ctx context.Context, name string, replace bool, b result.Batches[*result.Tables]) error {
	return writeGroups(ctx, db, name, replace, b, fitTable, func(r *result.Tables) (string, input.Keys) {
		return r.Assignments.KeyName, r.Assignments.Keys
	})
}

// WritePaths is WriteGroups for paths.
func (db *DB) WritePaths(ctx context.Context, name string, replace bool, b result.Batches[*result.Path]) error {
	return writeGroups(ctx, db, name, replace, b, among(pathTables), func(r *result.Path) (string, input.Keys) { return r.KeyName, r.Keys })
}

// WriteTunings is WriteGroups for tunings.
func (db *DB) WriteTunings(ctx context.Context, name string, replace bool, b result.Batches[*result.Tune]) error {
	return writeGroups(ctx, db, name, replace, b, among(tuneTables), func(r *result.Tune) (string, input.Keys) { return r.KeyName, r.Keys })
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

// writeGroups creates the tables of runs of groups.
func writeGroups[T any](ctx context.Context, db *DB, name string, replace bool, b result.Batches[T], tableOf func(T, string) (newTable,
	bool),
	keysOf func(T) (name string, keys input.Keys),
) error {
	r, from, to, err := b.Next(ctx)
	if err != nil {
		return err
	}
	n := r.Groups.Len()
	key := keyed{groups: groupColumns(r.Groups)}
	learn := func() {
		for g := from; g < to && key.typ == ""; g++ {
			if r.Faults[g] == nil {
				var keys input.Keys
				key.name, keys = keysOf(r.Of[g])
				key.typ = keys.Type()
			}
		}
	}
	if learn(); to == n {
		tables := append(batchTables(r, from, to, tableOf), modelTable(r.Groups, r.Models))
		return db.writeRun(ctx, name, replace, tables, key)
	}
	return db.fillRun(ctx, name, replace, func(add func(newTable, keyed) error) error {
		for {
			for _, t := range batchTables(r, from, to, tableOf) {
				if err := add(t, key); err != nil {
					return err
				}
			}
			b.Release(from, to)
			if to == n {
				return add(modelTable(r.Groups, r.Models), key)
			}
			if _, from, to, err = b.Next(ctx); err != nil {
				return err
			}
			learn()
		}
	})
}

// fillRun creates the tables of a run in one transaction, while work adds rows to them.
func (db *DB) fillRun(ctx context.Context, name string, replace bool, work func(add func(newTable, keyed) error) error) error {
	schemaName, base, err := db.runTarget(ctx, name)
	if err != nil {
		return err
	}
	return db.Transaction(ctx, func() error {
		if err := db.dropExisting(ctx, schemaName, runTables(base), replace); err != nil {
			return err
		}
		declared := map[string]bool{}
		return work(func(t newTable, key keyed) error {
			if t.name = base + "_" + t.result; !declared[t.result] {
				declared[t.result] = true
				if err := db.declare(ctx, schemaName, t, key, false); err != nil {
					return err
				}
			}
			return db.fill(ctx, schemaName, t)
		})
	})
}

// batchTables are the tables that the results of groups have, but for the models. The
// functions that write the cells of one are there only while it is written: those of many
// groups take much memory.
func batchTables[T any](r *result.Grouped[T], from, to int, tableOf func(T, string) (newTable, bool)) (tables []newTable) {
	for _, what := range schema.Names() {
		if t, has := joined(r, from, to, what, tableOf); has {
			tables = append(tables, t)
		}
	}
	return tables
}

// joined returns a table with the rows of the groups from a number to before another, if
// one of them has it.
func joined[T any](r *result.Grouped[T], from, to int, what string, tableOf func(T, string) (newTable, bool)) (all newTable, has bool) {
	ends := make([]int, to-from) // of the rows of each group
	for g := range ends {
		if r.Faults[from+g] == nil {
			if t, ofGroup := tableOf(r.Of[from+g], what); ofGroup {
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
		for g := range ends {
			if r.Faults[from+g] != nil {
				continue
			}
			if t, ofGroup := tableOf(r.Of[from+g], what); ofGroup {
				for c, cells := range t.cells() {
					columns[c][g] = cells
				}
			}
		}
		cells := groupCells(r.Groups, from, ends)
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

// groupCells write the values of the group of each row; from is the first group.
func groupCells(g *input.Groups, from int, ends []int) []duck.Cells {
	var all []duck.Cells
	for _, c := range g.Columns {
		all = append(all, duck.KeysOrNull(duck.KeysOf(c.Values), func(i int) (int, bool) {
			group := from + sort.SearchInts(ends, i+1)
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
		return append(groupCells(g, 0, ends), modelCells(rows).of(schema.Models)...)
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
