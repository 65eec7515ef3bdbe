package store

import (
	"context"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// RunNames lists the names of the runs of the database.
func (db *DB) RunNames(ctx context.Context) ([]string, error) {
	found, err := db.fits(ctx)
	if err != nil {
		return nil, err
	}
	return input.NamesOf(found, runName), nil
}

// DropNames lists what Drop takes: the runs, and the tables that have their name from
// the user.
func (db *DB) DropNames(ctx context.Context) ([]string, error) {
	names, err := db.RunNames(ctx)
	if err != nil {
		return nil, err
	}
	written, err := db.Written(ctx)
	for _, w := range written {
		names = append(names, w.Name)
	}
	return names, err
}

// RelationNames lists the names of the tables and views of the database.
func (db *DB) RelationNames(ctx context.Context) ([]string, error) {
	known, err := db.Tables(ctx)
	if err != nil {
		return nil, err
	}
	return input.NamesOf(known, duck.Table.Shown), nil
}
