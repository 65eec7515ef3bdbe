package engine

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
)

// answered is the row that a database gives for sums, whose values are numbered from 1 in
// the order in which they were added; before it are other cells.
func answered(x *exact, before ...any) []any {
	row, sums := before, []float64{}
	for i, a := range x.list {
		if a.of != "" && x.together() {
			sums = append(sums, float64(i+1))
			continue
		}
		row = append(row, float64(i+1))
	}
	if len(sums) > 0 {
		row = append(row, sums)
	}
	return row
}

func TestSumsAreReadAsTheyWereAdded(t *testing.T) {
	for _, of := range []string{dialect.DuckDB, dialect.ClickHouse} {
		t.Run(of, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				d := dialect.Of(of)
				d.FewSums = rapid.SampledFrom([]int{0, 5, 100}).Draw(t, "few")
				x, want := newExact(d, 100), 0
				for _, kind := range rapid.SliceOfN(rapid.IntRange(0, 3), 0, 12).Draw(t, "kinds") {
					switch kind {
					case 0:
						x.add("a", 7)
					case 1:
						x.add("b", math.Inf(1)) // too large for a grid: one sum, and 0
					case 2:
						x.add("c", 0)
					case 3:
						x.plain("count(*)")
						want--
					}
					want += 2
				}
				must.Equal(t, want, len(x.list))
				before := []any{"x", nil, int64(3)}[:rapid.IntRange(0, 3).Draw(t, "before")]
				a := x.read(answered(x, before...), len(before))
				must.Equal(t, before, a.row[:len(before)])
				a.at = len(before)
				for i := range x.list {
					must.Equal(t, float64(i+1), a.number())
				}
				must.Equal(t, len(a.row), a.at)
			})
		})
	}
}

// Where no row is, databases answer with an empty array, or with NULLs.
func TestSumsOfNoRowsAreZero(t *testing.T) {
	d := dialect.Of(dialect.ClickHouse)
	d.FewSums = 0
	x := newExact(d, 0)
	x.add("a", 1)
	x.plain("count(*)")
	x.add("b", 1)
	a := x.read([]any{int64(0), []float64{}}, 0)
	must.Equal(t, []float64{0, 0, 0, 0, 0}, []float64{a.number(), a.number(), a.number(), a.number(), a.number()})
	x = newExact(dialect.Of(dialect.DuckDB), 0)
	x.add("a", 1)
	high, low := x.read([]any{nil, nil}, 0).sum()
	must.Equal(t, []float64{0, 0}, []float64{high, low})
}

// The list of a statement has as many items as an answer has cells.
func TestSumsAreOneArrayWhereADatabaseAddsUpArrays(t *testing.T) {
	d := dialect.Of(dialect.ClickHouse)
	d.FewSums = 0
	x := newExact(d, 10)
	x.plain("count(a)")
	x.add("b", 1)
	x.plain("count(c)")
	text := x.String()
	if !strings.HasPrefix(text, "count(a), count(c), sumForEach([") || strings.Count(text, "sumForEach") != 1 {
		t.Error(text)
	}
	must.Equal(t, 3, len(answered(x)))
}
