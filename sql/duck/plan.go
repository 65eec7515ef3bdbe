package duck

import (
	"context"
	"encoding/json"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A PlanNode is a node of the plan that DuckDB makes for a query.
type PlanNode struct {
	Name     string         `json:"name"`
	Children []PlanNode     `json:"children"`
	Info     map[string]any `json:"extra_info"`
}

// Scanned returns the tables that DuckDB would read for what follows FROM in a
// query, whatever views, subqueries and names stand between.
func (db *DB) Scanned(ctx context.Context, from string) (all []Table, err error) {
	err = db.Planned(ctx, from, func(n PlanNode) error {
		name, _ := n.Info["Table"].(string) // database.schema.table
		if parts := SplitName(name); len(parts) == 3 && parts[0] != "temp" {
			all = append(all, Table{Schema: parts[1], Name: parts[2]})
		}
		return nil
	})
	return all, err
}

// Planned hands over each node of DuckDB's plan for what follows FROM in a query,
// until one is refused.
func (db *DB) Planned(ctx context.Context, from string, look func(PlanNode) error) error {
	rows, err := db.Rows(ctx, "EXPLAIN (FORMAT JSON) SELECT * FROM "+from)
	if err != nil {
		return err
	}
	for _, row := range rows {
		var nodes []PlanNode
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
