package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A RunInfo is one line of the list of runs.
type RunInfo struct {
	Name      string
	RunID     string
	Algorithm string
	N, P, K   int
	Objective float64
	Converged bool
	Source    string
}

// Runs lists the runs in the database by name: every NAME_fit table with our
// columns.
func (db *DB) Runs(ctx context.Context) ([]RunInfo, error) {
	rows, err := db.conn.QueryContext(ctx, `SELECT table_schema, table_name FROM information_schema.columns
		WHERE table_name LIKE '%\_fit' ESCAPE '\' AND column_name IN ('run_id', 'algorithm', 'model') AND table_catalog = current_database()
		GROUP BY ALL HAVING count(*) = 3 ORDER BY ALL`)
	if err != nil {
		return nil, err
	}
	var found []target
	for rows.Next() {
		var t target
		if err := rows.Scan(&t.schema, &t.name); err != nil {
			_ = rows.Close()
			return nil, err
		}
		t.name = strings.TrimSuffix(t.name, "_fit")
		found = append(found, t)
	}
	_ = rows.Close()
	if err := rows.Err(); err != nil {
		return nil, err
	}
	var current string
	if err := db.conn.QueryRowContext(ctx, "SELECT current_schema()").Scan(&current); err != nil {
		return nil, err
	}
	var all []RunInfo
	for _, t := range found {
		r := RunInfo{Name: t.name}
		if t.schema != current {
			r.Name = t.schema + "." + t.name
		}
		err := db.conn.QueryRowContext(ctx, "SELECT run_id, algorithm, n, p, k, objective, converged, source FROM "+t.table("fit")).
			Scan(&r.RunID, &r.Algorithm, &r.N, &r.P, &r.K, &r.Objective, &r.Converged, &r.Source)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// find returns where a run is, or a Fault.
func (db *DB) findRun(ctx context.Context, name string) (target, error) {
	t, err := db.target(ctx, name)
	if err != nil {
		return t, err
	}
	there, err := db.tables(ctx, t, []string{"fit"})
	if err != nil {
		return t, err
	}
	if len(there) == 1 {
		return t, nil
	}
	f := framework.Faultf(framework.Data, "run-not-found", "there is no run %q in %s", name, db.path)
	f.Hint = "sqlcluster runs --db " + db.path + " lists the runs"
	runs, err := db.Runs(ctx)
	if err != nil {
		return t, f
	}
	var names []string
	for _, r := range runs {
		names = append(names, r.Name)
	}
	f.Similar = framework.Closest(name, names)
	return t, f
}

// A Listing is any table: its columns and rows.
type Listing struct {
	Columns []string
	Rows    [][]any
}

// order is how each table is listed.
var order = map[string]string{
	"assignments": "rowid", "centers": "rowid", "features": "cluster NULLS FIRST, rank", "clusters": "cluster",
	"trace": "restart, iteration", "fit": "rowid", "run": "rowid",
}

// Show returns a result table of a run (one of schema.Tables).
func (db *DB) Show(ctx context.Context, run, table string) (*Listing, error) {
	if !slices.Contains(schema.Tables, table) {
		return nil, framework.Faultf(framework.Usage, "table-not-found", "a run has no table %q", table).
			WithHint("its tables: %s", strings.Join(schema.Tables, ", "))
	}
	t, err := db.findRun(ctx, run)
	if err != nil {
		return nil, err
	}
	columns, err := db.describe(ctx, relation{text: run, from: t.table(table)})
	if err != nil {
		return nil, err
	}
	rows, err := db.conn.QueryContext(ctx, fmt.Sprintf("SELECT %s FROM %s AS r ORDER BY %s", plain(columns), t.table(table), order[table]))
	if err != nil {
		return nil, duckFault(framework.Data, "run-damaged", fmt.Sprintf("the table %s of run %q cannot be read", table, run), err.Error())
	}
	return listing(rows)
}

// plain selects columns, of which those that are no plain number, boolean or
// text come as text.
func plain(columns []column) string {
	var parts []string
	for _, c := range columns {
		name := "r." + schema.Quote(c.name)
		if !slices.Contains([]string{"DOUBLE", "FLOAT", "BOOLEAN", "VARCHAR", "UBIGINT"}, c.kind) && !isInteger(c.kind) {
			name = "CAST(" + name + " AS VARCHAR) AS " + schema.Quote(c.name)
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, ", ")
}

func listing(rows *sql.Rows) (*Listing, error) {
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	l := &Listing{Columns: columns}
	for rows.Next() {
		values, pointers := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			pointers[i] = &values[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return nil, err
		}
		l.Rows = append(l.Rows, values)
	}
	return l, rows.Err()
}

// A Stored model is what predict reads of a run.
type Stored struct {
	Algorithm, Version string
	Params, Model      string // JSON
	Seed               uint64
	K                  int
}

// LoadModel returns the stored model of a run.
func (db *DB) LoadModel(ctx context.Context, run string) (*Stored, error) {
	t, err := db.findRun(ctx, run)
	if err != nil {
		return nil, err
	}
	var m Stored
	err = db.conn.QueryRowContext(ctx, "SELECT algorithm, version, params::VARCHAR, model::VARCHAR, seed, k FROM "+t.table("fit")).
		Scan(&m.Algorithm, &m.Version, &m.Params, &m.Model, &m.Seed, &m.K)
	if err != nil {
		return nil, duckFault(framework.Data, "run-damaged", fmt.Sprintf("the model of run %q cannot be read", run), err.Error())
	}
	return &m, nil
}

// Drop removes the tables of a run, in one transaction, and returns their names.
func (db *DB) Drop(ctx context.Context, run string) ([]string, error) {
	t, err := db.findRun(ctx, run)
	if err != nil {
		return nil, err
	}
	there, err := db.tables(ctx, t, schema.Tables)
	if err != nil {
		return nil, err
	}
	return there, db.transaction(ctx, func(tx *sql.Tx) error {
		for _, name := range there {
			if _, err := tx.ExecContext(ctx, "DROP TABLE "+schema.Quote(t.schema)+"."+schema.Quote(name)); err != nil {
				return err
			}
		}
		return nil
	})
}
