package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/query"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// listRuns makes cluster_runs what it is now, if a statement has it: only a look at the
// catalog finds the runs, and a function cannot look.
func (s *Session) listRuns(ctx context.Context, text string) {
	if !slices.ContainsFunc(query.Words(text), func(w string) bool { return strings.EqualFold(w, "cluster_runs") }) {
		return
	}
	runs, err := store.On(s.db).Runs(ctx)
	if err != nil {
		return // in a failed transaction, say: the statement tells
	}
	rows := []string{"(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"} // for the types
	for _, r := range runs {
		rows = append(rows, fmt.Sprintf("(%s, %s, %d, %d, %d, %s, %t, make_timestamp(%d), %s)", schema.Text(r.Name), schema.Text(r.Fit.Algorithm),
			r.Fit.N, r.Fit.P, r.Fit.K, schema.Text(fmt.Sprint(r.Fit.Objective)), r.Fit.Converged, r.StartedAt.UnixMicro(),
			schema.Text(r.Fit.Source)))
	}
	_ = s.db.Exec(ctx, `CREATE OR REPLACE TEMP MACRO cluster_runs() AS TABLE
		SELECT run::VARCHAR AS run, algorithm::VARCHAR AS algorithm, n::BIGINT AS n, p::INTEGER AS p, k::INTEGER AS k,
			CASE WHEN isfinite(objective::DOUBLE) THEN objective::DOUBLE END AS objective, converged::BOOLEAN AS converged,
			started_at::TIMESTAMP AS started_at, source::VARCHAR AS source
		FROM (VALUES `+strings.Join(rows, ", ")+`) AS t(run, algorithm, n, p, k, objective, converged, started_at, source)
		WHERE run IS NOT NULL`)
}

// Store writes the fit in a table, as cluster_fit returns one, to the tables of a run,
// as the command fit does. It is part of the transaction that is under way, if one is.
func (s *Session) Store(ctx context.Context, table, run string, replace bool) error {
	if s.readOnly != nil {
		return s.readOnly
	}
	from := schema.Qualified(duck.SplitName(table)...)
	var params, keyType string
	n, withoutPairs, withoutLimits := 0, false, false
	look := "SELECT json_extract_string(params, '$.id.value'), typeof(assignments[1].key), error, violations IS NULL, limits IS NULL FROM " +
		from
	_, err := s.db.Run(ctx, look,
		func(r duck.Result) error {
			return r.Each(func(row []any) error {
				n++
				params, _ = row[0].(string)
				keyType, _ = row[1].(string)
				withoutPairs, _ = row[3].(bool)
				withoutLimits, _ = row[4].(bool)
				if why, failed := row[2].(string); failed {
					return framework.Faultf(framework.Data, "no-fit", "%s has no fit: %s", table, why)
				}
				return nil
			})
		})
	switch {
	case framework.AsFault(err) != nil || ctx.Err() != nil:
		return err
	case err != nil:
		f := framework.Faultf(framework.Data, "not-a-fit", "there is no table %s with a fit", table)
		return f.WithHint("make one: CREATE TABLE m AS FROM cluster_fit(customers, 'id', k := 3)")
	case n != 1:
		return framework.Faultf(framework.Data, "not-one-fit", "%s has %d fits, and one can be stored as a run", table, n).
			WithHint("choose one: CREATE TEMP TABLE one AS FROM %s WHERE …", table)
	}
	return store.On(s.db).WriteFrom(ctx, run, replace, params, keyType, func(what string) string {
		if what == schema.Violations && withoutPairs || what == schema.Limits && withoutLimits {
			return ""
		}
		return storedRows(from, what)
	})
}

// storedRows is the query of the rows of a result table.
func storedRows(from, what string) string {
	switch what {
	case schema.Fit:
		return "SELECT " + strings.Join(schema.AllColumns(what), ", ") + " FROM " + from
	case schema.Run:
		columns := []string{"run_id", "now()::TIMESTAMP"}
		for range len(schema.AllColumns(what)) - len(columns) {
			columns = append(columns, "NULL")
		}
		return "SELECT " + strings.Join(columns, ", ") + " FROM " + from
	}
	return "SELECT unnest(" + what + ", recursive := true) FROM " + from
}
