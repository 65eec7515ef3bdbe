package store

import (
	"context"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// CheckNotRead refuses to replace a table that a relation is read from: the rows
// would be gone. where is the flag that names the relation. name is that of a run, of
// which the given tables are written, or of one table.
func (db *DB) CheckNotRead(ctx context.Context, relation, where, name string, tables ...string) error {
	schemaName, base, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	r, err := db.Resolve(ctx, relation, where)
	if err != nil {
		return err
	}
	defer db.Release(r)
	read, err := db.Scanned(ctx, r.From)
	if err != nil {
		return source.ReadFault(err, r, 0)
	}
	replaced := tablesNamed(base, tables)
	if tables == nil {
		replaced = []newTable{{name: base}}
	}
	for _, t := range read {
		if t.Schema == schemaName && slices.ContainsFunc(replaced, func(r newTable) bool { return strings.EqualFold(r.name, t.Name) }) {
			return framework.Faultf(framework.Data, "replaces-its-input", "table %s would be replaced, but %s is read from it", t.Name, r.Label).
				At("into").WithHint("choose another name")
		}
	}
	return nil
}
