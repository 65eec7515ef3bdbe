package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Start is a given start, of which exactly one field is set.
type Start struct {
	Labels  []int32     // one a row, in fitted order
	Centers [][]float64 // k × features, original units
	Rows    []int       // k rows, by their place in fitted order
}

// ReadStart reads a start: rows of (key, cluster) are labels, rows of (cluster,
// feature, center) are centers in original units, and rows of the key alone are
// the rows that become the first centers. Clusters count from 0.
func (db *DB) ReadStart(ctx context.Context, relation string, t *Table, k int) (Start, error) {
	r, err := db.resolve(ctx, relation)
	if err != nil {
		return Start{}, err
	}
	columns, err := db.describe(ctx, r)
	if err != nil {
		return Start{}, err
	}
	_, hasCluster := find(columns, "cluster")
	_, hasFeature := find(columns, "feature")
	_, hasCenter := find(columns, "center")
	key, hasKey := find(columns, t.Keys.Name)
	switch {
	case hasFeature && hasCenter && hasCluster:
		return db.startCenters(ctx, r, t, k)
	case hasKey && hasCluster:
		return db.startLabels(ctx, r, key, t, k)
	case hasKey:
		return db.startRows(ctx, r, key, t, k)
	}
	return Start{}, badStart("%s has the columns %s", short(relation), strings.Join(names(columns), ", ")).
		WithHint("a start has the columns (%s, cluster), (cluster, feature, center) or (%s)", t.Keys.Name, t.Keys.Name)
}

func badStart(format string, args ...any) *framework.Fault {
	return framework.Faultf(framework.Data, "bad-start", format, args...).WithWhere("--start")
}

// keyText is the SQL that writes the key column as Keys.Text does.
func keyText(key column, t *Table) string {
	if isInteger(t.Keys.Type) {
		return "CAST(CAST(r." + schema.Quote(key.name) + " AS BIGINT) AS VARCHAR)"
	}
	return "CAST(r." + schema.Quote(key.name) + " AS VARCHAR)"
}

// clusterNumber is the SQL of the cluster column, and cluster the check.
const clusterNumber = "CAST(r.cluster AS BIGINT)"

func (db *DB) startLabels(ctx context.Context, r relation, key column, t *Table, k int) (Start, error) {
	index := t.Keys.index()
	labels := make([]int32, t.Keys.Len())
	for i := range labels {
		labels[i] = -1
	}
	query := fmt.Sprintf("SELECT %s, coalesce(%s, -1) FROM %s AS r", keyText(key, t), clusterNumber, r.from)
	err := db.stream(ctx, query, func(c chunk) error {
		keys, _ := c.texts(nil, 0)
		clusters, _ := c.integers(1)
		for i, text := range keys {
			at, ok := index[text]
			if !ok {
				continue // the start may know more rows than the relation
			}
			if clusters[i] < 0 || clusters[i] >= int64(k) {
				return badStart("row %s = %s has cluster %d; clusters are 0 to %d", t.Keys.Name, text, clusters[i], k-1)
			}
			if labels[at] >= 0 {
				return badStart("row %s = %s occurs twice", t.Keys.Name, text)
			}
			labels[at] = int32(clusters[i])
		}
		return nil
	})
	if err != nil {
		return Start{}, err
	}
	for i, l := range labels {
		if l < 0 {
			return Start{}, badStart("row %s = %s has no cluster in the start; every row needs one", t.Keys.Name, t.Keys.Text(i))
		}
	}
	return Start{Labels: labels}, nil
}

func (db *DB) startRows(ctx context.Context, r relation, key column, t *Table, k int) (Start, error) {
	index := t.Keys.index()
	var rows []int
	err := db.stream(ctx, fmt.Sprintf("SELECT %s FROM %s AS r", keyText(key, t), r.from), func(c chunk) error {
		keys, _ := c.texts(nil, 0)
		for _, text := range keys {
			at, ok := index[text]
			if !ok {
				return badStart("there is no row %s = %s", t.Keys.Name, text)
			}
			rows = append(rows, at)
		}
		return nil
	})
	if err == nil && len(rows) != k {
		err = badStart("the start has %d rows for %d clusters", len(rows), k).WithHint("to give every row its cluster, add a column cluster")
	}
	return Start{Rows: rows}, err
}

func (db *DB) startCenters(ctx context.Context, r relation, t *Table, k int) (Start, error) {
	place := map[string]int{}
	for l, name := range t.Features {
		place[strings.ToLower(name)] = l
	}
	centers, seen := make([][]float64, k), make([][]bool, k)
	for j := range centers {
		centers[j], seen[j] = make([]float64, len(t.Features)), make([]bool, len(t.Features))
	}
	query := fmt.Sprintf("SELECT coalesce(%s, -1), CAST(r.feature AS VARCHAR), CAST(r.center AS DOUBLE) FROM %s AS r", clusterNumber, r.from)
	err := db.stream(ctx, query, func(c chunk) error {
		clusters, _ := c.integers(0)
		features, _ := c.texts(nil, 1)
		values, mask := c.doubles(2)
		for i, name := range features {
			j := clusters[i]
			l, ok := place[strings.ToLower(name)]
			switch {
			case j < 0 || j >= int64(k):
				return badStart("a center has cluster %d; clusters are 0 to %d", j, k-1)
			case !ok:
				f := badStart("there is no feature %q", name)
				f.Similar = framework.Closest(name, t.Features)
				return f
			case isNull(mask, i) || values[i]-values[i] != 0:
				return badStart("the center of cluster %d and feature %q is not a number", j, name)
			case seen[j][l]:
				return badStart("cluster %d and feature %q occur twice", j, name)
			}
			centers[j][l], seen[j][l] = values[i], true
		}
		return nil
	})
	if err != nil {
		return Start{}, err
	}
	for j := range seen {
		for l, ok := range seen[j] {
			if !ok {
				return Start{}, badStart("cluster %d has no center for feature %q", j, t.Features[l])
			}
		}
	}
	return Start{Centers: centers}, nil
}
