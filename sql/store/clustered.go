package store

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/source"
)

// KeepClustered leaves in a table the rows that have a cluster in a run, and
// returns their clusters. Rows are found by their key. There must be two rows at
// least.
func (db *DB) KeepClustered(ctx context.Context, run string, t *input.Table) (*input.Common, error) {
	assigned, err := db.tableOf(ctx, run, schema.Assignments)
	if err != nil {
		return nil, err
	}
	r, err := db.Resolve(ctx, "FROM "+assigned.Qualified(), framework.Setting("run"))
	if err != nil {
		return nil, err
	}
	defer db.Release(r)
	sql := "SELECT " + source.KeyList(t, r.Columns[0]) + ", CAST(cluster AS BIGINT) FROM " + r.From
	m, find := match(t), source.NewFinder(t)
	err = db.Stream(ctx, sql, func(in duck.Chunk) error {
		keys, clusters := find.Rows(in, 0), in.Column(source.KeyColumns)
		for i := range in.Rows {
			row, _ := keys(i)
			m.add(row, clusterAt(clusters, in.Rows, i))
		}
		return nil
	})
	if err != nil {
		return nil, source.ReadFault(err, r, 0)
	}
	return m.keep(run)
}

// A matching finds out which rows a table and a run have in common.
type matching struct {
	table  *input.Table
	labels []int32 // of its rows; −1: none
	common input.Common
}

func match(t *input.Table) *matching {
	return &matching{t, slices.Repeat([]int32{-1}, t.Keys.Len()), input.Common{NotInRun: t.Keys.Len() + t.DroppedKeys.Len()}}
}

// add takes a row of the run, by its row in the table (−1: it is not there, −2: it was
// dropped) and its cluster, −1 for none.
func (m *matching) add(row int, cluster int32) {
	c := &m.common
	if row == -1 {
		c.NotInTable++
		return
	}
	c.NotInRun--
	switch {
	case cluster < 0:
		c.Unclustered++
	case row < 0:
		c.Dropped++
	default:
		m.labels[row] = cluster
	}
}

// keep leaves the rows in the table that have a cluster.
func (m *matching) keep(run string) (*input.Common, error) {
	var err error
	if m.common.Labels, err = keepLabelled(m.table, m.labels); err != nil {
		return nil, err
	}
	if n := len(m.common.Labels); n < 2 {
		return nil, tooFewCommon(run, m.table.KeyName, n)
	}
	return &m.common, nil
}

// clusterAt is entry i of a column of clusters: −1 for NULL.
func clusterAt(clusters duck.Vector, rows, i int) int32 {
	if clusters.Null(i) {
		return -1
	}
	return storedCluster(duck.View[int64](clusters, rows)[i])
}

// storedCluster is a cluster of a table that somebody may have changed: the
// largest number stands for all that cannot be one.
func storedCluster(n int64) int32 {
	if n < 0 || n > math.MaxInt32 {
		return math.MaxInt32
	}
	return int32(n)
}

// keepLabelled drops the rows whose label is −1, and returns the other labels.
func keepLabelled(t *input.Table, labels []int32) ([]int32, error) {
	var order, rest []int
	var kept []int32
	for i, label := range labels {
		if label < 0 {
			rest = append(rest, i)
			continue
		}
		order, kept = append(order, i), append(kept, label)
	}
	if rest == nil {
		return kept, nil
	}
	weights := input.Permuted(t.Weights, order) // before the builder permutes them, in place
	if err := t.Builder.Permute(append(order[:len(order):len(order)], rest...)); err != nil {
		return nil, err
	}
	t.Builder.Truncate(len(order))
	t.Keys = duck.KeysOf(t.Keys).Permuted(order)
	dropLevels(t)
	if t.Weights == nil || len(order) == 0 {
		return kept, nil
	}
	t.Weights = weights
	return kept, t.Builder.SetWeights(weights)
}

// dropLevels forgets the categories that no row has, in their order, so that
// those of rows that have been dropped are not asked for.
func dropLevels(t *input.Table) {
	if t.Builder.IsSparse() { // it has no categories
		return
	}
	v := t.Builder.Values()
	for l := range t.Sources {
		s := &t.Sources[l]
		if !s.Categorical {
			continue
		}
		place := make([]int, len(s.Levels))
		for i := range v.Rows {
			if x := v.Row(i)[l]; x == x {
				place[int(x)] = 1
			}
		}
		var left []string
		for code, used := range place {
			if used > 0 {
				place[code] = len(left)
				left = append(left, s.Levels[code])
			}
		}
		s.Levels = left
		for i := range v.Rows {
			if x := v.Row(i)[l]; x == x {
				v.Row(i)[l] = float64(place[int(x)])
			}
		}
	}
}

// tooFewCommon is the fault of a relation that has none of a run's rows, or one.
func tooFewCommon(run, key string, n int) error {
	what := "no row of the relation has"
	if n > 0 {
		what = "only 1 row of the relation has"
	}
	f := framework.Faultf(framework.Data, "too-few-common-rows", "%s a cluster in run %q; at least 2 are needed", what, run).At("relation")
	if key == input.RowNumber {
		return f.WithHint("the run has no key, so its rows are found by their number: give the relation that it was fitted to")
	}
	return f.WithHint("rows are found by the key of the run, column %q: give a relation with the same keys", key)
}
