package source

import (
	"context"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/query"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// effects are DuckDB's table functions that do more than read, or that run what
// a plan does not show. A transaction that cannot write does not stop them.
var effects = map[string]string{
	"checkpoint":                  "it writes the database file",
	"force_checkpoint":            "it writes the database file",
	"enable_logging":              "it can write files",
	"disable_logging":             "it changes settings",
	"truncate_duckdb_logs":        "it deletes logs",
	"enable_profiling":            "it can write files",
	"disable_profiling":           "it changes settings",
	"enable_peg_parser":           "it changes settings",
	"disable_peg_parser":          "it changes settings",
	"json_execute_serialized_sql": "it hides a query",
	"arrow_scan":                  "it reads any memory",
	"arrow_scan_dumb":             "it reads any memory",
}

// effectFault refuses a relation that calls one of these functions.
func effectFault(label, function string) error {
	return framework.Faultf(framework.Data, "query-has-effects", "%s calls %s, and a relation is only read: %s",
		label, function, effects[function]).
		WithHint("leave out the call, and make the change in DuckDB itself")
}

// checkEffects refuses a relation that does more than read, whatever views,
// macros and subqueries stand between. Planning it runs nothing.
func (db *DB) checkEffects(ctx context.Context, r *Relation) error {
	if r.ordered || r.drop != "" {
		return nil // a table or a file; checkPivot has looked at the others
	}
	return db.Planned(ctx, r.From, func(n duck.PlanNode) error {
		for _, name := range []any{n.Name, n.Info["Function"], n.Info["Name"]} {
			text, _ := name.(string)
			text = strings.ToLower(strings.TrimSpace(text))
			if _, bad := effects[text]; bad {
				return effectFault(r.Label, text)
			}
		}
		return nil
	})
}

// checkPivot refuses a PIVOT without a list of values that might do more than
// read. DuckDB shows no plan for one: each word could be a call.
func (db *DB) checkPivot(ctx context.Context, body string) error {
	known, err := db.Tables(ctx)
	if err != nil {
		return err
	}
	hidden := map[string]bool{"query": true, "query_table": true}
	macros, err := db.Rows(ctx, "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE NOT internal")
	if err != nil {
		return err
	}
	for _, m := range macros {
		hidden[m[0].(string)] = true
	}
	for _, w := range query.Words(body) {
		w = strings.ToLower(w)
		if _, bad := effects[w]; bad {
			return effectFault("the query", w)
		}
		if hidden[w] {
			return framework.Faultf(framework.Data, "query-has-effects",
				"a PIVOT without a list of values cannot be checked when it has %s in it", w).
				WithHint("list the values: PIVOT … ON column IN (…)")
		}
		for _, t := range known {
			if !t.View || !strings.EqualFold(t.Name, w) {
				continue
			}
			view := &Relation{From: schema.Qualified(t.Schema, t.Name), Label: "view " + t.Name}
			if err := db.checkEffects(ctx, view); err != nil {
				return err
			}
		}
	}
	return nil
}
