package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// target is the schema and prefix of result tables.
type target struct{ schema, name string }

func (t target) table(suffix string) string {
	return schema.Quote(t.schema) + "." + schema.Quote(t.name+"_"+suffix)
}

// target finds the schema that NAME or SCHEMA.NAME means.
func (db *DB) target(ctx context.Context, name string) (target, error) {
	s, n := splitName(name)
	if n == "" {
		return target{}, framework.Faultf(framework.Usage, "bad-name", "the name of the run is empty").WithWhere("--into")
	}
	if s == "" {
		err := db.conn.QueryRowContext(ctx, "SELECT current_schema()").Scan(&s)
		return target{s, n}, err
	}
	var found int
	if err := db.conn.QueryRowContext(ctx, "SELECT count(*) FROM information_schema.schemata WHERE schema_name = ? AND catalog_name = current_database()", s).Scan(&found); err != nil {
		return target{}, err
	}
	if found == 0 {
		return target{}, framework.Faultf(framework.Data, "schema-not-found", "there is no schema %q in %s", s, db.path).
			WithWhere("--into").WithHint("create it first: CREATE SCHEMA %s", schema.Quote(s))
	}
	return target{s, n}, nil
}

// tables returns which of a run's tables there are.
func (db *DB) tables(ctx context.Context, t target, suffixes []string) ([]string, error) {
	var there []string
	for _, suffix := range suffixes {
		var n int
		if err := db.conn.QueryRowContext(ctx, "SELECT count(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ? AND table_catalog = current_database()",
			t.schema, t.name+"_"+suffix).Scan(&n); err != nil {
			return nil, err
		}
		if n > 0 {
			there = append(there, t.name+"_"+suffix)
		}
	}
	return there, nil
}

// CheckTarget returns a Fault if tables of the run exist and are not to be
// replaced.
func (db *DB) CheckTarget(ctx context.Context, name string, replace bool) error {
	t, err := db.target(ctx, name)
	if err != nil || replace {
		return err
	}
	there, err := db.tables(ctx, t, schema.Tables)
	if err != nil {
		return err
	}
	if len(there) == 0 {
		return nil
	}
	return framework.Faultf(framework.Data, "target-exists", "the database has tables of a run %q already: %s", name, strings.Join(there, ", ")).
		WithWhere("--into").WithHint("use --replace to replace them, another name, or: sqlcluster drop %s --db %s", name, db.path)
}

// Write writes all result tables of a run in one transaction: after an error,
// or when ctx is cancelled, nothing has changed.
func (db *DB) Write(ctx context.Context, name string, replace bool, r *Results) error {
	if err := db.CheckTarget(ctx, name, replace); err != nil {
		return err
	}
	t, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	return db.transaction(ctx, func(tx *sql.Tx) error {
		for _, table := range schema.Tables {
			qualified := t.table(table)
			if replace {
				if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS "+qualified); err != nil {
					return err
				}
			}
			key := schema.Key{Name: r.Keys.Name, Type: r.Keys.Type}
			if _, err := tx.ExecContext(ctx, schema.DDL(table, qualified, key)); err != nil {
				return err
			}
			if err := db.fill(ctx, tx, t, table, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// transaction runs work in a transaction.
func (db *DB) transaction(ctx context.Context, work func(tx *sql.Tx) error) error {
	tx, err := db.conn.BeginTx(ctx, nil)
	if err == nil {
		if err = work(tx); err == nil {
			if err = ctx.Err(); err == nil {
				err = tx.Commit()
			}
		} else {
			_ = tx.Rollback()
		}
	}
	if err == nil {
		db.stored = true
		return nil
	}
	_ = tx.Rollback()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if framework.AsFault(err) != nil {
		return err
	}
	return duckFault(framework.Internal, "write-failed", fmt.Sprintf("writing to %s failed; nothing was changed", db.path), err.Error())
}

// fill inserts the rows of one table.
func (db *DB) fill(ctx context.Context, tx *sql.Tx, t target, table string, r *Results) error {
	switch table {
	case "fit":
		f := r.Fit
		var sha any
		if f.PluginSHA256 != "" {
			sha = f.PluginSHA256
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO "+t.table(table)+" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
			f.RunID, f.Algorithm, f.Version, sha, f.Params, f.Seed, f.N, f.P, f.K, f.Objective, f.Maximize, f.Inertia,
			f.Restart, f.Iterations, f.Converged, f.StopReason, f.Source, f.ToolVersion, f.Model)
		return err
	case "run":
		u := r.Run
		_, err := tx.ExecContext(ctx, "INSERT INTO "+t.table(table)+" VALUES (?, ?, ?, ?, ?, ?, ?)",
			u.StartedAt, u.SecondsRead, u.SecondsFit, u.Threads, u.Driver, u.BlocksByWorker, u.StepCalls)
		return err
	case "assignments":
		return db.fillAssignments(ctx, tx, t.table(table), r)
	}
	return db.appendRows(t.schema, t.name+"_"+table, func(add func(...driver.Value) error) error { return r.each(table, add) })
}

// staging is a temporary table in which keys have a type that can be appended.
const staging = "sqlcluster_staging"

// fillAssignments goes through a staging table, since keys may be of any type:
// DuckDB casts them.
func (db *DB) fillAssignments(ctx context.Context, tx *sql.Tx, qualified string, r *Results) error {
	key := schema.Quote(r.Keys.Name)
	create := fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT * REPLACE (CAST(%s AS %s) AS %s) FROM %s LIMIT 0", staging, key, r.Keys.stagingType(), key, qualified)
	if _, err := tx.ExecContext(ctx, create); err != nil {
		return err
	}
	if err := db.appendTo("temp", "main", staging, func(add func(...driver.Value) error) error { return r.each("assignments", add) }); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO "+qualified+" SELECT * FROM temp."+staging); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DROP TABLE temp."+staging)
	return err
}

func (db *DB) appendRows(schemaName, table string, rows func(add func(...driver.Value) error) error) error {
	return db.appendTo("", schemaName, table, rows)
}

// appendTo appends rows through the connection's appender, within its
// transaction.
func (db *DB) appendTo(catalog, schemaName, table string, rows func(add func(...driver.Value) error) error) error {
	return db.conn.Raw(func(c any) error {
		a, err := duckdb.NewAppender(c.(driver.Conn), catalog, schemaName, table)
		if err != nil {
			return err
		}
		if err := rows(a.AppendRow); err != nil {
			_ = a.Close()
			return err
		}
		return a.Close()
	})
}

// WritePrediction writes assignments of new rows to one table of that name.
func (db *DB) WritePrediction(ctx context.Context, name string, replace bool, r *Results) error {
	t, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	_, kind, err := db.findTable(ctx, name)
	if err != nil {
		return err
	}
	if kind != "" && !replace {
		return framework.Faultf(framework.Data, "target-exists", "the database has a table %q already", name).
			WithWhere("--into").WithHint("use --replace to replace it, or another name")
	}
	qualified := schema.Quote(t.schema) + "." + schema.Quote(t.name)
	return db.transaction(ctx, func(tx *sql.Tx) error {
		if replace {
			if _, err := tx.ExecContext(ctx, "DROP TABLE IF EXISTS "+qualified); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, schema.DDL("assignments", qualified, schema.Key{Name: r.Keys.Name, Type: r.Keys.Type})); err != nil {
			return err
		}
		return db.fillAssignments(ctx, tx, qualified, r)
	})
}
