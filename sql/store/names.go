package store

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
)

// ColumnNames lists the columns of a relation without reading its rows. A PIVOT
// whose columns are those of its rows is refused.
func (db *DB) ColumnNames(ctx context.Context, relation string) ([]string, error) {
	if IsQuery(relation) && !isTable(relation) {
		body, _ := firstStatement(relation)
		if n, err := db.Parse(ctx, body); err != nil || n != 1 {
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
