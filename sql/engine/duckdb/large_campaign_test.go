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
	"github.com/sqlcluster/sqlcluster/sql/dialect"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
)

// large is the large table, and a fit of it.
func large() enginetest.Case {
	return enginetest.Case{Setup: fmt.Sprintf("CREATE TABLE t AS SELECT i AS id, %s FROM range(%d) r(i)",
		enginetest.LargeCells(dialect.Of(dialect.DuckDB), "i"), enginetest.LargeRows), Relation: "t", Algorithm: "kmeans", K: 10}
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

func TestLargeFitsAreThoseOfRowsHere(t *testing.T) {
	e := open(t)
	must.Do(t, e.Exec(t.Context(), large().Setup))
	enginetest.Large(t, e, "t")
}

// A pass takes at most half again as long as a statement that is written by hand, with the moves that it
// counts; the fit is that of rows that are read.
func TestPassesOfALargeFitAreQuick(t *testing.T) {
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
