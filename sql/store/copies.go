package store

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// WriteBoth writes a run by write, and hands the tables that it has then, but for those of
// rows, to hand before they are committed: if that fails, nothing has changed here. What
// hand has done is not undone any more, so that a cancellation does not come in between.
func (db *DB) WriteBoth(ctx context.Context, run string, write func() error,
	hand func(ctx context.Context, all []result.Copy) error) error {
	return db.Transaction(context.WithoutCancel(ctx), func() error {
		if err := write(); err != nil {
			return err
		}
		all, err := db.copies(ctx, run)
		if err != nil {
			return err
		}
		return hand(ctx, all)
	})
}

// copies returns the tables of a run that have no row keys.
func (db *DB) copies(ctx context.Context, run string) ([]result.Copy, error) {
	fit, err := db.findRun(ctx, run)
	if err != nil {
		return nil, err
	}
	var all []result.Copy
	for _, of := range schema.Tables() {
		keyed := slices.ContainsFunc(of.Columns, func(c schema.Column) bool { return c.Name == "{key}" })
		if keyed || !slices.Contains(schema.Names(), of.Name) {
			continue
		}
		t, err := db.member(ctx, fit, of.Name)
		if IsMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, db.copyOf(ctx, t, of))
	}
	return all, nil
}

// copyOf returns a table as another database gets it.
func (db *DB) copyOf(ctx context.Context, t duck.Table, of schema.Table) result.Copy {
	c := result.Copy{Result: of.Name}
	for _, column := range of.Columns {
		c.Columns = append(c.Columns, result.CopyColumn{Name: column.Name, Type: column.Type})
	}
	c.Each = func(use func(row []any) error) error {
		shown, err := db.shownRows(ctx, t, "", "")
		if err != nil {
			return err
		}
		if len(shown.Columns) != len(c.Columns) {
			return framework.Faultf(framework.Internal, "internal", "table %s has %d columns, and not %d",
				t.Name, len(shown.Columns), len(c.Columns))
		}
		return shown.Each(ctx, 0, use)
	}
	return c
}
