package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Shown is a table of a run, whose rows are read as they are asked for.
type Shown struct {
	Columns []string
	Rows    int

	db   *DB
	name string
	sql  string
}

// Shown returns one of a run's tables (see schema.Names). The rows are in the
// order in which they were written; those of the features by cluster, rank and gain.
func (db *DB) Shown(ctx context.Context, run, what string) (*Shown, error) {
	t, err := db.tableOf(ctx, run, what)
	if err != nil {
		return nil, err
	}
	choose := ""
	if what == schema.Models && db.chosen != nil {
		fit, err := db.findRun(ctx, run)
		if err != nil {
			return nil, err
		}
		where, _, err := db.chosenModels(ctx, fit)
		if err != nil {
			return nil, err
		}
		choose = " WHERE " + where
	}
	order, groups := "", db.groupList(ctx, t, what)
	if what == schema.Features {
		order = " ORDER BY " + groups + "coalesce(cluster, -1), coalesce(rank, -1), gain DESC NULLS LAST, rowid"
	}
	return db.shownRows(ctx, t, choose, order)
}

// tops are what the largest rows of a table are: what they are large by, and the order in
// which they are shown. All have a column cluster.
var tops = map[string]struct{ by, order string }{
	schema.Features: {"rank NULLS LAST, weight DESC NULLS LAST, gain DESC NULLS LAST",
		"coalesce(cluster, -1), rank NULLS LAST, weight DESC NULLS LAST, gain DESC NULLS LAST"},
	schema.Centers: {"center_scaled DESC NULLS LAST", "cluster, center_scaled DESC NULLS LAST"},
}

// ToppedTables lists the tables that ShownTop takes.
func ToppedTables() []string { return slices.Sorted(maps.Keys(tops)) }

// ShownTop returns the n largest rows of one of a run's ToppedTables, of each cluster if
// the table has rows of clusters, the largest first: the most important features, and
// the largest centers in the fitted space.
func (db *DB) ShownTop(ctx context.Context, run, what string, n int) (*Shown, error) {
	t, err := db.tableOf(ctx, run, what)
	if err != nil {
		return nil, err
	}
	top, groups := tops[what], db.groupList(ctx, t, what)
	return db.shownRows(ctx, t, fmt.Sprintf(" QUALIFY row_number() OVER (PARTITION BY %scluster ORDER BY %s, rowid) <= %d", groups, top.by, n),
		" ORDER BY "+groups+top.order+", rowid")
}

// ShownWritten returns a table that has its name from the user, and which of schema.Names it is; nil if the name is not that of one.
func (db *DB) ShownWritten(ctx context.Context, name string) (s *Shown, result string, err error) {
	known, err := db.Tables(ctx)
	if err != nil {
		return nil, "", err
	}
	t, found := duck.FindTable(known, name)
	if !found || t.Database != "" || t.View {
		return nil, "", nil
	}
	runs, err := db.fits(ctx)
	if err != nil || isMember(runs, t) {
		return nil, "", err
	}
	if result, err = db.resultOf(ctx, t); err != nil || result == "" {
		return nil, "", err
	}
	s, err = db.shownRows(ctx, t, "", "")
	return s, result, err
}

// ShownQuery returns the rows of a query, under the name of a table.
func (db *DB) ShownQuery(ctx context.Context, name, query string) (*Shown, error) {
	s := &Shown{db: db, name: name, sql: query}
	rows, err := db.Rows(ctx, "DESCRIBE "+query)
	if err != nil {
		return nil, duck.InternalFault("show-failed", "cannot read "+name, err)
	}
	for _, r := range rows {
		column, _ := r[0].(string)
		s.Columns = append(s.Columns, column)
	}
	if rows, err = db.Rows(ctx, "SELECT count(*) FROM ("+query+")"); err != nil {
		return nil, duck.InternalFault("show-failed", "cannot read "+name, err)
	}
	n, _ := rows[0][0].(int64)
	s.Rows = int(n)
	return s, nil
}

// shownRows returns the rows of a table that a clause chooses, in an order; "" stands for
// all, and for the order in which they were written.
func (db *DB) shownRows(ctx context.Context, t duck.Table, choose, order string) (*Shown, error) {
	s := &Shown{db: db, name: t.Name, sql: "SELECT * FROM " + t.Qualified() + choose + order}
	var err error
	if s.Columns, err = db.ColumnsOf(ctx, t); err != nil {
		return nil, err
	}
	rows, err := db.Rows(ctx, "SELECT count(*) FROM (SELECT 1 FROM "+t.Qualified()+choose+")")
	if err != nil {
		return nil, duck.InternalFault("show-failed", "cannot read "+t.Name, err)
	}
	n, _ := rows[0][0].(int64)
	s.Rows = int(n)
	return s, nil
}

// Each hands over the rows one after the other, at most limit of them; 0 is no
// limit. Values are as those of Show. A row is valid during the call only. The
// rows of a table come in their order without being sorted, so that they need
// not be held in memory; an error of use ends the reading.
func (s *Shown) Each(ctx context.Context, limit int, use func(row []any) error) error {
	sql := s.sql
	if limit > 0 {
		sql += fmt.Sprintf(" LIMIT %d", limit)
	}
	err := s.db.Stream(ctx, sql, func(c duck.Chunk) error { return c.Each(use) })
	return duck.InternalFault("show-failed", "cannot read "+s.name, err)
}
