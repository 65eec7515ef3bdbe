package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// CheckNotRead refuses to replace a table that a relation is read from: the rows
// would be gone. where is the flag that names the relation; whole says that name
// is that of a run, and not of one table.
func (db *DB) CheckNotRead(ctx context.Context, relation, where, name string, whole bool) error {
	schemaName, base, err := db.target(ctx, name)
	if err != nil {
		return err
	}
	r, err := db.resolve(ctx, relation, where)
	if err != nil {
		return err
	}
	defer db.release(r)
	read, err := db.scanned(ctx, r)
	if err != nil {
		return readFault(err, r, 0)
	}
	replaced := []newTable{{name: base}}
	if whole {
		replaced = runTables(base)
	}
	for _, t := range read {
		if t.schema == schemaName && slices.ContainsFunc(replaced, func(r newTable) bool { return strings.EqualFold(r.name, t.name) }) {
			return framework.Faultf(framework.Data, "replaces-its-input", "table %s would be replaced, but %s is read from it", t.name, r.label).
				At("into").WithHint("choose another name")
		}
	}
	return nil
}

// A plan is a node of DuckDB's plan for a query.
type plan struct {
	Name     string         `json:"name"`
	Children []plan         `json:"children"`
	Info     map[string]any `json:"extra_info"`
}

// scanned returns the tables that DuckDB would read for a relation, whatever
// views, subqueries and names stand between.
func (db *DB) scanned(ctx context.Context, r *relation) (all []table, err error) {
	err = db.planned(ctx, r, func(n plan) error {
		name, _ := n.Info["Table"].(string) // database.schema.table
		if parts := splitName(name); len(parts) == 3 && parts[0] != "temp" {
			all = append(all, table{schema: parts[1], name: parts[2]})
		}
		return nil
	})
	return all, err
}

// planned shows each node of DuckDB's plan for a relation, until one is refused.
func (db *DB) planned(ctx context.Context, r *relation, look func(plan) error) error {
	rows, err := db.rows(ctx, "EXPLAIN (FORMAT JSON) SELECT * FROM "+r.from)
	if err != nil {
		return err
	}
	for _, row := range rows {
		var nodes []plan
		text, _ := row[len(row)-1].(string)
		if err := json.Unmarshal([]byte(text), &nodes); err != nil {
			return framework.Faultf(framework.Internal, "internal", "DuckDB's plan cannot be read: %v", err)
		}
		for len(nodes) > 0 {
			n := nodes[0]
			if err := look(n); err != nil {
				return err
			}
			nodes = append(nodes[1:], n.Children...)
		}
	}
	return nil
}
