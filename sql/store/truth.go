package store

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Truth is the clusters of a run's rows beside the classes of a column, in
// the order of the assignments. Where there is none, it is −1.
type Truth struct {
	KeyName         string
	Labels, Classes []int32
	Names           []string // of the classes, as text
}

// ReadTruth reads a column of any type as classes of the rows of a run, which it
// finds by their key. "" as relation is the one that the run was fitted to, and
// "" as column is none: all classes are −1. A NULL, and a row that the relation
// does not have, is no class.
func (db *DB) ReadTruth(ctx context.Context, run, relation, column string) (*Truth, error) {
	fit, err := db.findRun(ctx, run)
	if err != nil {
		return nil, err
	}
	assigned, err := db.member(ctx, fit, schema.Assignments)
	if err != nil {
		return nil, err
	}
	columns, err := db.columnNames(ctx, assigned)
	if err != nil {
		return nil, err
	}
	t := &Truth{KeyName: columns[0]}
	from, class := "", "NULL"
	if column != "" {
		r, err := db.resolve(ctx, relation, "RELATION")
		if err != nil {
			return nil, err
		}
		defer db.release(r)
		c, err := r.column(column, "--truth")
		if err != nil {
			return nil, err
		}
		key := "row_number() OVER ()"
		if t.KeyName != RowNumber {
			k, err := r.column(t.KeyName, "the key of the run")
			if err != nil {
				return nil, err
			}
			key = schema.Quote(k.name)
		}
		// One class a key: a key that is there twice has the least of its values.
		from = " LEFT JOIN (SELECT key, min(class) AS class FROM (SELECT " + key + " AS key, CAST(" + schema.Quote(c.name) + " AS VARCHAR) AS class FROM " + r.from + ") GROUP BY key) AS truth ON truth.key = a." + schema.Quote(t.KeyName)
		class = "truth.class"
	}
	found := "true"
	if column != "" {
		found = "truth.key IS NOT NULL"
	}
	rows, err := db.rows(ctx, "SELECT CAST(a.cluster AS BIGINT), "+class+", "+found+" FROM "+assigned.qualified()+" AS a"+from+" ORDER BY a.rowid")
	if err != nil {
		return nil, relationFault(err, "the relation", "--truth")
	}
	common := t.collect(rows)
	if column != "" && common == 0 {
		return nil, tooFewCommon(run, t.KeyName, 0)
	}
	if column != "" && len(t.Names) == 0 {
		return nil, framework.Faultf(framework.Data, "no-truth", "no row of run %q has a class: column %q is NULL for all of them", run, column).
			WithWhere("--truth")
	}
	return t, nil
}

// collect takes rows of cluster, class and whether the relation has the row. It
// returns how many it has.
func (t *Truth) collect(rows [][]any) (common int) {
	number := map[string]int32{}
	for _, row := range rows {
		if row[2] == true {
			common++
		}
		label, known := int32(-1), int32(-1)
		if n, ok := row[0].(int64); ok {
			label = storedCluster(n)
		}
		if name, ok := row[1].(string); ok {
			at, met := number[name]
			if !met {
				at = int32(len(t.Names))
				number[name] = at
				t.Names = append(t.Names, name)
			}
			known = at
		}
		t.Labels, t.Classes = append(t.Labels, label), append(t.Classes, known)
	}
	return common
}
