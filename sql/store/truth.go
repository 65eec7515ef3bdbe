package store

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// ReadTruth reads a column of any type as classes of the rows of a run, which it
// finds by their key. "" as relation is the one that the run was fitted to, and
// "" as column is none: there are no cells then. A NULL, and a row that the
// relation does not have, is not a class.
func (db *DB) ReadTruth(ctx context.Context, run, relation, column string) (*input.Truth, error) {
	assigned, err := db.tableOf(ctx, run, schema.Assignments)
	if err != nil {
		return nil, err
	}
	columns, err := db.ColumnsOf(ctx, assigned)
	if err != nil {
		return nil, err
	}
	t := &input.Truth{KeyName: columns[0]}
	if column == "" {
		return t, nil
	}
	r, err := db.Resolve(ctx, relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	defer db.Release(r)
	key, c, err := truthColumns(r, t.KeyName, column)
	if err != nil {
		return nil, err
	}
	// One class a key: a key that is there twice has the least of its values.
	classes := "SELECT key, min(class) AS class FROM (SELECT " + key + " AS key, CAST(" +
		schema.Quote(c.Name) + " AS VARCHAR) AS class FROM " + r.From + ") GROUP BY key"
	rows, err := db.Rows(ctx, "SELECT CAST(a.cluster AS BIGINT), truth.class, count(*), count(truth.key), min(a.rowid) FROM "+
		assigned.Qualified()+
		" AS a LEFT JOIN ("+classes+") AS truth ON truth.key = a."+schema.Quote(t.KeyName)+" GROUP BY 1, 2")
	if err != nil {
		return nil, source.RelationFault(err, "the relation", framework.Setting("truth"))
	}
	return t, fillTruth(t, rows, run, column)
}

// truthColumns returns the SQL of the key of a relation, and the column with the classes.
func truthColumns(r *source.Relation, keyName, column string) (key string, c *source.Column, err error) {
	if c, err = r.Column(column, framework.Setting("truth")); err != nil || keyName == input.RowNumber {
		return "row_number() OVER ()", c, err
	}
	k, err := r.Column(keyName, "the key of the run")
	if err != nil {
		return "", nil, err
	}
	return schema.Quote(k.Name), c, nil
}

// fillTruth counts rows by cluster and class, which there must be.
func fillTruth(t *input.Truth, rows [][]any, run, column string) error {
	common, known := collect(t, rows)
	if common == 0 {
		return tooFewCommon(run, t.KeyName, 0)
	}
	if known == 0 {
		return framework.Faultf(framework.Data, "no-truth", "no row of run %q has a class: column %q is NULL for all of them", run, column).
			At("truth")
	}
	return nil
}

// collect adds counts of rows by cluster and class: all of them, those that the
// relation has, and the first of them. It returns how many the relation has, and
// the number of classes.
func collect(t *input.Truth, rows [][]any) (common, classes int) {
	first, number := map[string]int64{}, map[string]int32{}
	for _, row := range rows {
		n, _ := row[3].(int64)
		common += int(n)
		at, _ := row[4].(int64)
		if name, ok := row[1].(string); ok {
			if before, met := first[name]; !met || at < before {
				first[name] = at
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(first), func(a, b string) int { return cmp.Compare(first[a], first[b]) })
	for i, name := range names {
		number[name] = int32(i)
	}
	for _, row := range rows {
		cell := input.TruthCell{Class: -1, Cluster: -1}
		if n, ok := row[0].(int64); ok {
			cell.Cluster = storedCluster(n)
		}
		if name, ok := row[1].(string); ok {
			cell.Class = number[name]
		}
		n, _ := row[2].(int64)
		cell.Rows = int(n)
		t.Cells = append(t.Cells, cell)
	}
	return common, len(names)
}
