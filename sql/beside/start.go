package beside

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

var startPlace = framework.Setting("start")

// ReadStart reads a start for k clusters of table t. The columns of the
// relation say what it is: cluster, feature and center are centers; the key of
// t and cluster are labels; the key alone is k rows. With zeros, and in a table NAME_centers
// that was written without them, an entry of a center that has no row is 0; each cluster
// has some row.
func (db *DB) ReadStart(ctx context.Context, relation string, t *input.Table, k int, zeros bool) (input.Start, error) {
	r, err := db.Resolve(ctx, relation, startPlace)
	if err != nil {
		return input.Start{}, err
	}
	defer db.Release(r)
	switch {
	case r.Has("cluster") && r.Has("feature") && r.Has("center"):
		if written, err := db.withoutZeros(ctx, r); err != nil {
			return input.Start{}, err
		} else if written {
			zeros = true
		}
		return db.startCenters(ctx, r, t, k, zeros)
	case r.Has(t.KeyName) && r.Has("cluster"):
		return db.startLabels(ctx, r, t, k)
	case r.Has(t.KeyName):
		return db.startRows(ctx, r, t, k)
	}
	return input.Start{}, framework.Faultf(framework.Data, "start-columns",
		"%s cannot be a start: its columns match none of the three forms", r.Label).At("start").
		WithHint("it needs (%s, cluster) for labels, (cluster, feature, center) for centers, or (%s) for rows", t.KeyName, t.KeyName)
}

// A startLine is a row of a start with a key.
type startLine struct {
	row     int // as of a finder
	key     string
	cluster any // float64, or nil for NULL
}

// startCluster is the cluster of a row. Where the rows are the assignments of a run,
// those without a cell that tells clusters apart begin in the first one, and outliers
// in none, which is −1.
func startCluster(r *source.Relation) string {
	if !r.Has("status") {
		return "cluster"
	}
	return "CASE WHEN cluster IS NOT NULL THEN cluster WHEN CAST(status AS VARCHAR) = " + schema.Text(input.NoCells) +
		" THEN 0 WHEN CAST(status AS VARCHAR) = " + schema.Text(input.Outlier) + " THEN -1 END"
}

// startLines reads key and, if wanted, cluster.
func (db *DB) startLines(ctx context.Context, r *source.Relation, t *input.Table, cluster bool) ([]startLine, error) {
	key, err := r.Column(t.KeyName, startPlace)
	if err != nil {
		return nil, err
	}
	sql := "SELECT " + source.KeyList(t, *key)
	if cluster {
		sql += ", CAST(" + startCluster(r) + " AS DOUBLE)"
	}
	find := source.NewFinder(t)
	var lines []startLine
	err = db.Stream(ctx, sql+" FROM "+r.From, func(c duck.Chunk) error {
		keys := find.Rows(c, 0)
		var clusters duck.Vector
		if cluster {
			clusters = c.Column(source.KeyColumns)
		}
		for i := range c.Rows {
			var line startLine
			line.row, line.key = keys(i)
			if cluster && !clusters.Null(i) {
				line.cluster = duck.View[float64](clusters, c.Rows)[i]
			}
			lines = append(lines, line)
		}
		return nil
	})
	if err != nil {
		return nil, db.NumberFault(ctx, source.ReadFault(err, r, len(lines)), r, startPlace, "cluster")
	}
	return lines, nil
}

// startLabels reads one label a row.
func (db *DB) startLabels(ctx context.Context, r *source.Relation, t *input.Table, k int) (input.Start, error) {
	lines, err := db.startLines(ctx, r, t, true)
	if err != nil {
		return input.Start{}, err
	}
	const none = -2
	labels := slices.Repeat([]int32{none}, t.Keys.Len())
	var bad input.Tally
	for _, line := range lines {
		n, ok := clusterNumber(line.cluster, k)
		if line.cluster == -1.0 && r.Has("status") {
			n, ok = -1, true
		}
		switch {
		case line.row == -2: // the row is not fitted
		case line.row < 0:
			bad.Add("%s = %s: there is no such row", t.KeyName, line.key)
		case !ok:
			bad.Add("%s = %s: the cluster is %v; it must be a whole number from 0 to %d", t.KeyName, line.key, orNULL(line.cluster), k-1)
		case labels[line.row] != none:
			bad.Add("%s = %s: given twice", t.KeyName, line.key)
		default:
			labels[line.row] = n
		}
	}
	if bad.Count == 0 {
		for i, label := range labels {
			if label == none {
				bad.Add("%s = %s: has no label", t.KeyName, t.Keys.Text(i))
			}
		}
	}
	return input.Start{Labels: labels}, startFault(r, bad)
}

// clusterNumber returns the cluster that a DOUBLE stands for, if it is one of k.
func clusterNumber(v any, k int) (int32, bool) {
	x, ok := v.(float64)
	if !ok || x != math.Trunc(x) || x < 0 || x >= float64(k) {
		return 0, false
	}
	return int32(x), true
}

// startRows reads k keys.
func (db *DB) startRows(ctx context.Context, r *source.Relation, t *input.Table, k int) (input.Start, error) {
	lines, err := db.startLines(ctx, r, t, false)
	if err != nil {
		return input.Start{}, err
	}
	if len(lines) != k {
		return input.Start{}, framework.Faultf(framework.Data, "start-size",
			"%s has %s; a start of rows for %s has %d", r.Label, input.Plural(len(lines), "row"), input.Plural(k, "cluster"), k).At("start")
	}
	var bad input.Tally
	taken := map[int]bool{}
	rows := make([]int, 0, k)
	for _, line := range lines {
		switch {
		case line.row == -2:
			bad.Add("%s = %s: the row was dropped, since it has a NULL", t.KeyName, line.key)
		case line.row < 0:
			bad.Add("%s = %s: there is no such row", t.KeyName, line.key)
		case taken[line.row]:
			bad.Add("%s = %s: given twice", t.KeyName, line.key)
		}
		taken[line.row] = true
		rows = append(rows, line.row)
	}
	return input.Start{Rows: rows}, startFault(r, bad)
}

// byName returns a function that finds names; case decides only between names
// that are otherwise equal.
func byName(names []string) func(name string) (int, bool) {
	exact, folded := make(map[string]int, len(names)), make(map[string]int, len(names))
	for l, name := range slices.Backward(names) { // the first of equal names counts
		exact[name], folded[strings.ToLower(name)] = l, l
	}
	return func(name string) (int, bool) {
		l, ok := exact[name]
		if !ok {
			l, ok = folded[strings.ToLower(name)]
		}
		return l, ok
	}
}

// withoutZeros reports whether a relation is a table of centers of a run in which zeros
// have no row.
func (db *DB) withoutZeros(ctx context.Context, r *source.Relation) (bool, error) {
	tables, err := db.Rows(ctx, "SELECT database_name = current_database(), database_name, schema_name, table_name FROM duckdb_tables() "+
		"WHERE comment = "+schema.Text(schema.NonzeroCenters()))
	for _, t := range tables {
		database, in, name := t[1].(string), t[2].(string), t[3].(string)
		if r.From == schema.Qualified(database, in, name) || t[0] == true && r.From == schema.Qualified(in, name) {
			return true, err
		}
	}
	return false, err
}

// startCenters reads k×p centers. A center of a category is named by the column
// category.
func (db *DB) startCenters(ctx context.Context, r *source.Relation, t *input.Table, k int, zeros bool) (input.Start, error) {
	category := "NULL"
	if r.Has("category") {
		category = "category"
	}
	lines, err := db.Rows(ctx, "SELECT CAST(cluster AS DOUBLE), CAST(feature AS VARCHAR), CAST(center AS DOUBLE), "+
		"CAST("+category+" AS VARCHAR) FROM "+r.From)
	if err != nil {
		return input.Start{}, db.NumberFault(ctx, source.ReadFault(err, r, 0), r, startPlace, "cluster", "center")
	}
	names := t.Columns()
	find := byName(names)
	m := framework.NewMatrix(k, len(names))
	given := make([]bool, len(m.Data))
	var bad input.Tally
	for _, line := range lines {
		j, ok := clusterNumber(line[0], k)
		name, _ := line[1].(string)
		x, isNumber := line[2].(float64)
		if of, ok := line[3].(string); ok {
			name += "=" + of
		}
		l, known := find(name)
		if line[2] == nil && known && t.Empty(l) {
			isNumber = true // as NAME_centers has it; any number is as good as another
		}
		problem := ""
		switch {
		case !ok:
			problem = fmt.Sprintf("the cluster must be a whole number from 0 to %d", k-1)
		case !known:
			problem = unknownFeature(name, names)
		case !isNumber || x-x != 0: // infinite or NaN
			problem = fmt.Sprintf("the center is %v, not a number", orNULL(line[2]))
		case given[int(j)*m.Cols+l]:
			problem = "given twice"
		default:
			given[int(j)*m.Cols+l] = true
			m.Row(int(j))[l] = x
			continue
		}
		if line[1] == nil {
			name = "NULL"
		}
		bad.Add("cluster %v, feature %s: %s", orNULL(line[0]), name, problem)
	}
	if bad.Count > 0 {
		return input.Start{}, startFault(r, bad)
	}
	return input.Start{Centers: &m}, centersFault(r, given, k, names, zeros)
}

// centersFault reports the entries of k centers that are not given; with zeros only the
// clusters that have none.
func centersFault(r *source.Relation, given []bool, k int, names []string, zeros bool) error {
	var bad input.Tally
	absent, p := 0, len(names)
	for j := range k {
		of := given[j*p : (j+1)*p]
		if zeros && !slices.Contains(of, true) {
			bad.Add("cluster %d: has no center", j)
		}
		for l, ok := range of {
			if !ok && !zeros {
				bad.Add("cluster %d, feature %s: has no center", j, names[l])
				absent++
			}
		}
	}
	fault := startFault(r, bad)
	if f := framework.AsFault(fault); f != nil && !zeros && absent < k*p {
		f.Hint = "where entries without a row are to be 0: " + framework.SettingTo("center_rows", "nonzero")
	}
	return fault
}

// startFault reports all bad rows of a start together.
func startFault(r *source.Relation, bad input.Tally) error {
	if bad.Count == 0 {
		return nil
	}
	return framework.Faultf(framework.Data, "start-rows",
		"%s of the start in %s cannot be used", input.Plural(bad.Count, "row"), r.Label).At("start").WithDetails(bad.Details())
}

func orNULL(v any) any {
	if v == nil {
		return "NULL"
	}
	return v
}
