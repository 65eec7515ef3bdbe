package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// What the scores of many models need is read of all groups at once: how many groups
// there are does not decide how often a table is read.

// numberedRows are the rows of the assignments of a run with groups.
type numberedRows struct {
	sql     string // with the columns groupNumber and rowNumber behind those of the table
	key     source.Column
	columns []source.Column // of the groups
}

// Columns that are added, with names that no other has.
const (
	groupNumber = "sqlcluster_group"
	rowNumber   = "sqlcluster_row"
	truthKey    = "sqlcluster_key"
	truthClass  = "sqlcluster_class"
)

// numbered finds the assignments of a run with groups.
func (db *DB) numbered(ctx context.Context, run string) (n numberedRows, err error) {
	fit, err := db.findRun(ctx, run)
	if err != nil {
		return n, err
	}
	assigned, err := db.member(ctx, fit, schema.Assignments)
	if err != nil {
		return n, err
	}
	models, err := db.member(ctx, fit, schema.Models)
	if err != nil {
		return n, err
	}
	r, err := db.Resolve(ctx, "FROM "+assigned.Qualified(), framework.Setting("run"))
	if err != nil {
		return n, err
	}
	defer db.Release(r)
	if n.columns, err = db.groupColumnsOf(ctx, models, schema.Models); err != nil {
		return n, err
	}
	n.key = r.Columns[len(n.columns)]
	names := input.NamesOf(n.columns, func(c source.Column) string { return schema.Quote(c.Name) })
	n.sql = fmt.Sprintf("SELECT a.*, a.rowid AS %s, m.%s FROM %s AS a JOIN (SELECT %s, row_number() OVER (ORDER BY rowid) - 1 AS %[2]s "+
		"FROM %[5]s) "+
		"AS m ON %[6]s", rowNumber, groupNumber, assigned.Qualified(), strings.Join(names, ", "), models.Qualified(), alike("a", "m", names))
	return n, nil
}

// alike is the SQL that is true where two tables have the same values in columns.
func alike(a, b string, names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = fmt.Sprintf("%s.%s IS NOT DISTINCT FROM %s.%[2]s", a, name, b)
	}
	return strings.Join(all, " AND ")
}

// ClusteredGroups reads the rows of a run with groups. The function that it returns is
// KeepClustered for the table of one group, the number of which is that in the models; t
// is one of these tables. Several goroutines may call it.
func (db *DB) ClusteredGroups(ctx context.Context, run string, t *input.Table) (
	keep func(group int, t *input.Table) (*input.Common, error), err error) {
	n, err := db.numbered(ctx, run)
	if err != nil {
		return nil, err
	}
	keys, clusters, ends := source.NewListed(t), []int32(nil), []int{0}
	sql := fmt.Sprintf("SELECT %s, CAST(cluster AS BIGINT), %s FROM (%s) ORDER BY %[2]s, %[4]s", source.KeyList(t, n.key), groupNumber,
		n.sql, rowNumber)
	err = db.Stream(ctx, sql, func(c duck.Chunk) error {
		keys.Add(c, 0)
		of := c.Column(source.KeyColumns)
		for i, group := range duck.View[int64](c.Column(source.KeyColumns+1), c.Rows) {
			for len(ends) < int(group)+2 {
				ends = append(ends, len(clusters))
			}
			clusters = append(clusters, clusterAt(of, c.Rows, i))
			ends[group+1] = len(clusters)
		}
		return nil
	})
	if err != nil {
		return nil, duck.InternalFault("model-unreadable", "cannot read the rows of run "+run, err)
	}
	return func(group int, t *input.Table) (*input.Common, error) {
		m, find := match(t), source.NewFinder(t)
		if group+1 < len(ends) {
			for i := ends[group]; i < ends[group+1]; i++ {
				m.add(find.Row(keys, i), clusters[i])
			}
		}
		return m.keep(run)
	}, nil
}

// TruthOfGroups is ReadTruth for all groups of a run at once: of a relation with the
// columns of the groups. The function that it returns has the truth of one group.
func (db *DB) TruthOfGroups(ctx context.Context, run, relation, column string) (of func(group int) (*input.Truth, error), err error) {
	n, err := db.numbered(ctx, run)
	if err != nil {
		return nil, err
	}
	key := n.key.Name
	if column == "" {
		return func(int) (*input.Truth, error) { return &input.Truth{KeyName: key}, nil }, nil
	}
	r, err := db.Resolve(ctx, relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	defer db.Release(r)
	keySQL, c, err := truthColumns(r, key, column)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(n.columns))
	for i, g := range n.columns {
		if _, err := r.Column(g.Name, framework.Setting("relation")); err != nil {
			return nil, err
		}
		names[i] = schema.Quote(g.Name)
	}
	list, from := strings.Join(names, ", "), r.From
	if key == input.RowNumber { // within the group
		from = "(SELECT *, row_number() OVER () AS " + rowNumber + " FROM " + from + ")"
		keySQL = "row_number() OVER (PARTITION BY " + list + " ORDER BY " + rowNumber + ")"
	}
	classes := fmt.Sprintf("SELECT %s, %s, min(%s) AS %[3]s FROM (SELECT %[1]s, %[4]s AS %[2]s, CAST(%[5]s AS VARCHAR) AS %[3]s FROM "+
		"%[6]s) GROUP BY ALL",
		list, truthKey, truthClass, keySQL, schema.Quote(c.Name), from)
	rows, err := db.Rows(ctx, fmt.Sprintf("SELECT CAST(a.cluster AS BIGINT), truth.%s, count(*), count(truth.%s), min(a.%s), a.%s "+
		"FROM (%s) AS a LEFT JOIN (%s) AS truth ON truth.%[2]s = a.%[7]s AND %s GROUP BY 1, 2, 6",
		truthClass, truthKey, rowNumber, groupNumber, n.sql, classes, schema.Quote(key), alike("truth", "a", names)))
	if err != nil {
		return nil, source.RelationFault(err, "the relation", framework.Setting("truth"))
	}
	byGroup := map[int64][][]any{}
	for _, row := range rows {
		group, _ := row[len(row)-1].(int64)
		byGroup[group] = append(byGroup[group], row)
	}
	return func(group int) (*input.Truth, error) {
		t := &input.Truth{KeyName: key}
		return t, fillTruth(t, byGroup[int64(group)], run, column)
	}, nil
}
