package store

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// A Measure is a column of numbers, or a category of one, which counts as 1.
type Measure struct {
	Column   string
	Category *string
}

// Means are those of some measures over the rows of a cluster.
type Means struct {
	Cluster int // −1: all rows that have a cluster
	Rows    int
	Mean    []float64 // NaN: no row has a value
	SD      []float64 // standard deviations; NaN: less than two
}

// PathMeans returns the means of the clusters at a point of a path, and of all rows
// last. The rows of the relation are found by the key of the run. A measure whose
// column the relation does not have is NaN.
func (db *DB) PathMeans(ctx context.Context, run, relation string, point int, of []Measure) ([]Means, error) {
	assigned, err := db.tableOf(ctx, run, schema.PathAssignments)
	if err != nil {
		return nil, err
	}
	columns, err := db.ColumnsOf(ctx, assigned)
	if err != nil {
		return nil, err
	}
	r, err := db.Resolve(ctx, relation, framework.Setting("relation"))
	if err != nil {
		return nil, err
	}
	defer db.Release(r)
	key := "row_number() OVER ()"
	if columns[1] != input.RowNumber {
		k, err := r.Column(columns[1], "the key of the run")
		if err != nil {
			return nil, err
		}
		key = schema.Quote(k.Name)
	}
	inner, outer := []string{key + " AS key"}, []string{"a.cluster::BIGINT", "count(*)"}
	for i, m := range of {
		value := "NULL::DOUBLE"
		if c, err := r.Column(m.Column, ""); err == nil && m.Category == nil {
			value = "TRY_CAST(" + schema.Quote(c.Name) + " AS DOUBLE)"
		} else if err == nil { // a category of NULL has this name
			value = "(coalesce(CAST(" + schema.Quote(c.Name) + " AS VARCHAR), 'NULL') = " + schema.Text(*m.Category) + ")::DOUBLE"
		}
		inner = append(inner, fmt.Sprintf("%s AS m%d", value, i))
		outer = append(outer, fmt.Sprintf("avg(m%d), stddev_samp(m%[1]d)", i))
	}
	rows, err := db.Rows(ctx, fmt.Sprintf("SELECT %s FROM %s AS a JOIN (SELECT %s FROM %s) AS r ON r.key = a.%s WHERE a.point = %d "+
		"AND a.cluster IS NOT NULL GROUP BY GROUPING SETS ((a.cluster), ()) ORDER BY a.cluster NULLS LAST", strings.Join(outer, ", "),
		assigned.Qualified(), strings.Join(inner, ", "), r.From, schema.Quote(columns[1]), point))
	if err != nil {
		return nil, source.ReadFault(err, r, 0)
	}
	number := func(v any) float64 {
		if x, ok := v.(float64); ok {
			return x
		}
		return math.NaN()
	}
	all := make([]Means, len(rows))
	for i, row := range rows {
		all[i].Cluster = -1
		if j, ok := row[0].(int64); ok {
			all[i].Cluster = int(storedCluster(j))
		}
		n, _ := row[1].(int64)
		all[i].Rows = int(n)
		for m := range of {
			all[i].Mean, all[i].SD = append(all[i].Mean, number(row[2+2*m])), append(all[i].SD, number(row[3+2*m]))
		}
	}
	return all, nil
}
