package store

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A newTable is a table to be created.
type newTable struct {
	result  string // which of schema.Names
	name    string
	rows    int
	columns cellWriters
	grouped func() []duck.Cells // in place of columns, those of groups first
	from    string              // SQL of the rows, in place of columns; "": columns
	absent  bool                // it is not created
	named   bool                // its whole name is the user's
	comment string              // in place of that of its .sql file; "": that
}

// cells write the columns, in their order.
func (t *newTable) cells() []duck.Cells {
	if t.grouped != nil {
		return t.grouped()
	}
	return t.columns.of(t.result)
}

// runTables lists all tables that a run of that name may have, without rows.
func runTables(base string) []newTable { return tablesNamed(base, schema.Names()) }

func tablesNamed(base string, results []string) []newTable {
	tables := make([]newTable, len(results))
	for i, result := range results {
		tables[i] = newTable{result: result, name: base + "_" + result}
	}
	return tables
}

// create makes all tables in one transaction, in the place of others.
func (db *DB) create(
	ctx context.Context, schemaName string, others, tables []newTable, replace bool, key keyed,
) error {
	most, known := 0, true
	for _, t := range tables {
		most, known = max(most, t.rows), known && t.from == ""
	}
	there := db.takePrepared(schemaName, tables, key)
	if known {
		defer db.Expect(ctx, most)()
	}
	return db.Transaction(ctx, func() error {
		if err := db.dropExisting(ctx, schemaName, others, replace); err != nil {
			return err
		}
		tables := slices.DeleteFunc(slices.Clone(tables), func(t newTable) bool { return t.absent })
		for _, t := range tables {
			if err := db.declare(ctx, schemaName, t, key, slices.Contains(there, t.name)); err != nil {
				return err
			}
		}
		there = nil // if the work is done again, it is in another database
		for _, t := range tables {
			if err := db.fill(ctx, schemaName, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropExisting drops those of some tables that are there, which must be results.
func (db *DB) dropExisting(ctx context.Context, schemaName string, tables []newTable, replace bool) error {
	if db.Unmade() {
		return nil
	}
	old, err := db.existing(ctx, schemaName, tables, replace)
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := db.Exec(ctx, "DROP TABLE "+schema.Qualified(schemaName, name)); err != nil {
			return duck.WriteFault(err, name)
		}
	}
	return nil
}

// declare creates a table without rows, unless it is there but for its own comment.
func (db *DB) declare(ctx context.Context, schemaName string, t newTable, key keyed, there bool) error {
	if !there {
		ddl := schema.DDL(t.result, schemaName, t.name, key.name, key.typ, key.groups...)
		if err := db.Exec(ctx, ddl); err != nil {
			return duck.WriteFault(err, t.name)
		}
	}
	if t.comment == "" {
		return nil
	}
	err := db.Exec(ctx, "COMMENT ON TABLE "+schema.Qualified(schemaName, t.name)+" IS "+schema.Text(t.comment))
	return duck.WriteFault(err, t.name)
}

// fill appends its rows to a table.
func (db *DB) fill(ctx context.Context, schemaName string, t newTable) error {
	if t.from != "" {
		return duck.WriteFault(db.Exec(ctx, "INSERT INTO "+schema.Qualified(schemaName, t.name)+" "+t.from), t.name)
	}
	return duck.WriteFault(db.Append(ctx, schemaName, t.name, t.rows, t.cells()), t.name)
}
