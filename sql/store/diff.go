package store

import (
	"context"
	"math"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// Overlap counts the rows of two fits, which it finds by their keys, by cluster. Keys
// must have the same type, or be whole numbers.
func (db *DB) Overlap(ctx context.Context, first, second string) (*input.Overlap, error) {
	o := &input.Overlap{}
	from, err := db.bothRuns(ctx, o, first, second, "FULL JOIN")
	if err != nil {
		return nil, err
	}
	rows, err := db.Rows(ctx, "SELECT CAST(a.cluster AS BIGINT), CAST(b.cluster AS BIGINT), a.key IS NULL, b.key IS NULL, count(*)"+
		from+" GROUP BY ALL")
	if err != nil {
		return nil, duck.InternalFault("diff-failed", "cannot compare the rows of the runs", err)
	}
	for _, row := range rows {
		n, _ := row[4].(int64)
		switch {
		case row[2] == true:
			o.Only[1] += int(n)
		case row[3] == true:
			o.Only[0] += int(n)
		default:
			o.Cells = append(o.Cells, input.TruthCell{Class: clusterOf(row[0]), Cluster: clusterOf(row[1]), Rows: int(n)})
		}
	}
	return o, nil
}

// EachInBoth hands over the key of each row that two fits have, in the order of keys,
// with its cluster in each, −1 for none. An error of use ends the reading.
func (db *DB) EachInBoth(ctx context.Context, first, second string, use func(key any, first, second int32) error) error {
	from, err := db.bothRuns(ctx, &input.Overlap{}, first, second, "JOIN")
	if err != nil {
		return err
	}
	sql := "SELECT a.key, CAST(a.cluster AS BIGINT), CAST(b.cluster AS BIGINT)" + from + " ORDER BY a.key"
	return db.Stream(ctx, sql, func(c duck.Chunk) error {
		return c.Each(func(row []any) error { return use(row[0], clusterOf(row[1]), clusterOf(row[2])) })
	})
}

// bothRuns is the FROM of the assignments of two fits, a and b, each with columns key
// and cluster. It sets the names of the keys.
func (db *DB) bothRuns(ctx context.Context, o *input.Overlap, first, second, join string) (string, error) {
	var from, types [2]string
	for i, run := range []string{first, second} {
		t, err := db.tableOf(ctx, run, schema.Assignments)
		if err != nil {
			return "", err
		}
		columns, err := db.ColumnsOf(ctx, t)
		if err != nil {
			return "", err
		}
		o.KeyNames[i] = columns[0]
		from[i] = "(SELECT " + schema.Quote(columns[0]) + " AS key, cluster FROM " + t.Qualified() + ")"
		rows, err := db.Rows(ctx, "SELECT typeof(key) FROM "+from[i]+" LIMIT 1")
		if err != nil {
			return "", duck.InternalFault("diff-failed", "cannot read "+t.Name, err)
		}
		if len(rows) > 0 {
			types[i], _ = rows[0][0].(string)
		}
	}
	whole := strings.HasSuffix(types[0], "INT") || types[0] == "INTEGER" || types[0] == "UINTEGER"
	wholes := whole && (strings.HasSuffix(types[1], "INT") || types[1] == "INTEGER" || types[1] == "UINTEGER")
	if types[0] != types[1] && types[0] != "" && types[1] != "" && !wholes {
		return "", framework.Faultf(framework.Data, "keys-differ",
			"the key %s of run %q has the type %s, and %s of run %q has %s: rows cannot be matched",
			o.KeyNames[0], first, types[0], o.KeyNames[1], second, types[1]).WithHint("fit both with the same key")
	}
	return " FROM " + from[0] + " AS a " + join + " " + from[1] + " AS b ON a.key = b.key", nil
}

// clusterOf is a cluster as SQL has it, −1 for NULL.
func clusterOf(v any) int32 {
	if n, ok := v.(int64); ok {
		return storedCluster(n)
	}
	return -1
}

// Features returns the features of a fit, in the order in which they were written. One
// that is selected by cluster is there once: selected if any cluster selects it, with
// its best rank and its largest weight and gain.
func (db *DB) Features(ctx context.Context, run string) ([]result.Feature, error) {
	t, err := db.tableOf(ctx, run, schema.Features)
	if err != nil {
		return nil, err
	}
	rows, err := db.Rows(ctx, "SELECT feature, category, bool_or(selected), max(weight), max(gain), CAST(min(rank) AS BIGINT), "+
		"any_value(location), any_value(scale) FROM "+t.Qualified()+" GROUP BY feature, category ORDER BY min(rowid)")
	if err != nil {
		return nil, duck.InternalFault("diff-failed", "cannot read "+t.Name, err)
	}
	number := func(v any) float64 {
		if x, ok := v.(float64); ok {
			return x
		}
		return math.NaN()
	}
	all := make([]result.Feature, 0, len(rows))
	for _, row := range rows {
		f := result.Feature{Cluster: -1, Norm: math.NaN(), Weight: number(row[3]), Gain: number(row[4]),
			Location: number(row[6]), Scale: number(row[7])}
		f.Feature, _ = row[0].(string)
		if category, ok := row[1].(string); ok {
			f.Category = &category
		}
		if selected, ok := row[2].(bool); ok {
			f.Selected = &selected
		}
		rank, _ := row[5].(int64)
		f.Rank = int(rank)
		all = append(all, f)
	}
	return all, nil
}
