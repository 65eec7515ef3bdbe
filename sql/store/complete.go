package store

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
)

// RunNames lists the names of the runs of the database.
func (db *DB) RunNames(ctx context.Context) ([]string, error) {
	found, err := db.fits(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(found))
	for i, t := range found {
		names[i] = runName(t)
	}
	return names, nil
}

// DropNames lists what Drop takes: the runs, and the tables that predictions or
// suggestions were written to.
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
	known, err := db.tables(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(known))
	for i, t := range known {
		names[i] = t.shown()
	}
	return names, nil
}

// ColumnNames lists the columns of a relation without reading its rows. A PIVOT
// whose columns are those of its rows is refused.
func (db *DB) ColumnNames(ctx context.Context, relation string) ([]string, error) {
	if isQuery(relation) && !isTable(relation) {
		body, _ := firstStatement(relation)
		if n, err := db.parse(ctx, body); err != nil || n != 1 {
			return nil, framework.Faultf(framework.Data, "columns-unknown", "the columns are known when the query has run")
		}
	}
	r, err := db.resolve(ctx, relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	defer db.release(r)
	names := make([]string, len(r.columns))
	for i, c := range r.columns {
		names[i] = c.name
	}
	return names, nil
}
