package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// nothing is the argument of a process that only starts.
const nothing = "nothing"

// start makes the tables of a fit of a small file.
func start(ctx context.Context, path string) (time.Duration, error) {
	began := time.Now()
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	other := exec.Command(self, nothing)
	if err := other.Start(); err != nil {
		return 0, err
	}
	target := path + ".duckdb"
	_ = os.Remove(target) // of the last time
	db, err := duck.Open(ctx, target, duck.ReadWrite, duck.Options{OneThread: true})
	if err != nil {
		return 0, err
	}
	rows, err := db.Rows(ctx, "SELECT * FROM "+schema.Quote(path))
	if err != nil {
		return 0, err
	}
	done := db.Expect(ctx, len(rows))
	err = db.Transaction(ctx, func() error { return create(ctx, db) })
	done()
	if closed := db.Close(); err == nil {
		err = closed
	}
	if ended := other.Wait(); err == nil {
		err = ended
	}
	return time.Since(began), err
}

// create makes the tables, and inserts a few rows into each.
func create(ctx context.Context, db *duck.DB) error {
	for _, t := range schema.Tables() {
		what := t.Name
		switch what {
		case schema.Assignments, schema.Centers, schema.Features, schema.Clusters, schema.Trace, schema.Fit, schema.Run:
		default:
			continue
		}
		name, rows := "bare_"+what, "5"
		if what == schema.Assignments {
			rows = "150"
		}
		if err := db.Exec(ctx, schema.DDL(what, "main", name, "id", "BIGINT")); err != nil {
			return err
		}
		if err := db.Exec(ctx, "INSERT INTO "+name+" SELECT "+values(t)+" FROM range("+rows+")"); err != nil {
			return err
		}
	}
	return nil
}

// values returns SQL of a row of a table.
func values(t schema.Table) string {
	var all []string
	for _, c := range t.Columns {
		value := "range"
		switch {
		case strings.HasPrefix(c.Type, "VARCHAR"):
			value = "'text'"
		case strings.HasPrefix(c.Type, "TIMESTAMP"):
			value = "TIMESTAMP '2020-01-01'"
		case c.Type == "BOOLEAN":
			value = "true"
		}
		all = append(all, value)
	}
	return strings.Join(all, ", ")
}
