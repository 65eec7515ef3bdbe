//go:build campaign

package duckdb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
)

// large is a table of 2 million rows of 20 features in ten groups, whose cells come from hashes.
func large() enginetest.Case {
	cells := make([]string, 20)
	for l := range cells {
		cells[l] = fmt.Sprintf("((hash(i * 32 + %d) %% 1000003) / 1000003.0 + (hash(i * 32 + %d) %% 1000003) / 1000003.0 + "+
			"(hash(i) %% 10) * %d %% 7)::DOUBLE AS x%d", l, l+16, l+1, l)
	}
	return enginetest.Case{Setup: "CREATE TABLE t AS SELECT i AS id, " + strings.Join(cells, ", ") + " FROM range(2000000) r(i)", Relation: "t",
		Algorithm: "kmeans", K: 10}
}

// A hand would write each difference out, and count no moves.
func byHand(p *enginetest.Pair, centers framework.Matrix) string {
	var fitted, distances, when, sums, names []string
	for l, f := range p.Recipe.Features {
		fitted = append(fitted, fmt.Sprintf("(%s - %v) / %v AS x%d", f.Name, f.Location, f.Scale, l))
		names = append(names, fmt.Sprintf("x%d", l))
		sums = append(sums, fmt.Sprintf("sum(x%d)", l))
	}
	least := make([]string, centers.Rows)
	for j := range centers.Rows {
		terms := make([]string, centers.Cols)
		for l, v := range centers.Row(j) {
			terms[l] = fmt.Sprintf("(x%d - (%v::DOUBLE)) * (x%d - (%v::DOUBLE))", l, v, l, v)
		}
		least[j] = fmt.Sprintf("d%d", j)
		distances = append(distances, strings.Join(terms, " + ")+" AS "+least[j])
		when = append(when, fmt.Sprintf("WHEN d%d = least(%s) THEN %d", j, "%[1]s", j))
	}
	label := fmt.Sprintf("CASE "+strings.Join(when, " ")+" END", strings.Join(least, ", "))
	return fmt.Sprintf("SELECT j, count(*), %s FROM (SELECT %s, %s AS j FROM (SELECT %s, %s FROM (SELECT %s FROM t))) GROUP BY j",
		strings.Join(sums, ", "), strings.Join(names, ", "), label, strings.Join(names, ", "), strings.Join(distances, ", "),
		strings.Join(fitted, ", "))
}

// A pass takes at most half again as long as a statement that is written by hand, with the moves that it
// counts; the fit is that of rows here.
func TestALargeFitIsThatOfRowsHereAndItsPassesAreQuick(t *testing.T) {
	c := large()
	p := c.Bind(t, where)
	enginetest.Columns(t, p.Problem.Columns, p.Distant.Columns)
	centers := p.Start(false)
	m := p.Other.Begin()
	m.Centers.CopyFrom(centers)
	before := m.Clone()
	for i := range before.Centers.Data {
		before.Centers.Data[i] += 0.01
	}
	hand := byHand(p, centers)
	var ours, theirs []float64
	for range 3 {
		began := time.Now()
		must.Get(p.Bound.Assign(t.Context(), m, before))(t)
		ours = append(ours, time.Since(began).Seconds())
		began = time.Now()
		must.Get(p.DB.Rows(t.Context(), hand))(t)
		theirs = append(theirs, time.Since(began).Seconds())
	}
	t.Logf("a pass takes %.2f s, by hand %.2f s", slices.Min(ours), slices.Min(theirs))
	if slices.Min(ours) > 1.5*slices.Min(theirs) {
		t.Errorf("passes take %v s, by hand %v s", ours, theirs)
	}
	want, got := p.Fit(t, centers)
	enginetest.Results(t, c, want, got)
}
