//go:build engines

package clickhouse

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// An odd relation is bound to kmeans, and every statement is made of it.
type odd struct {
	setup    []string
	relation string
	spec     input.Spec
	scale    string
	k        int
	rows     int // without those that are left out
}

// numbers40 are 40 rows.
const numbers40 = " FROM (SELECT toInt64(number) AS i, sin(i) AS s, cos(i) AS c FROM numbers(40))"

// keyed returns a relation whose key has an expression of i.
func keyed(key string) odd {
	return odd{relation: "SELECT " + key + " AS id, s, c" + numbers40, k: 3, rows: 40}
}

var odds = map[string]odd{
	"keys beyond 63 bits":   keyed("toUInt64(18446744073709551615 - i)"),
	"keys of text":          keyed(`concat('it\'s \\ größe 😀 "` + "`" + `', toString(i))`),
	"keys of few bytes":     keyed("toFixedString(toString(10 + i), 3)"),
	"keys of UUID":          keyed("toUUID(concat('00000000-0000-0000-0000-0000000000', toString(10 + i)))"),
	"keys of dates":         keyed("toDate('2020-01-01') + i"),
	"keys of times":         keyed("toDateTime('2020-01-01 00:00:00') + i"),
	"keys that are DECIMAL": keyed("toDecimal64(i, 3)"),
	"keys that may be NULL": keyed("toNullable(i)"),
	"keys of ENUM": {relation: "SELECT CAST(['a', 'b', 'c'][i + 1] AS Enum8('a' = 3, 'b' = 2, 'c' = 1)) AS id, s, c" +
		strings.Replace(numbers40, "40", "3", 1),
		k: 2, rows: 3},
	"types of numbers": {relation: "SELECT i AS id, toDecimal64(s, 4) AS a, toDecimal128(c, 20) AS b, " +
		"toUInt64(9007199254740993 + 2 * i) AS u64, " +
		"toFloat32(s) AS f, toInt8(i - 20) AS i8, toNullable(toUInt8(i)) AS u8, toNullable(toDecimal32(i, 2)) AS d32" + numbers40, k: 4,
		rows: 40},
	"missing cells": {relation: "SELECT i AS id, if(i % 5 = 0, NULL, s) AS a, if(i % 7 = 0, NULL, toDecimal64(c, 5)) AS b, " +
		"if(i % 35 = 0, NULL, 0.1 * i) AS d" + numbers40, k: 3, rows: 38},
	"weights and missing cells": {relation: "SELECT i AS id, if(i % 5 = 0, NULL, s) AS a, if(i % 7 = 0, NULL, c) AS b, i % 3 AS w" + numbers40,
		spec: input.Spec{Weight: "w"}, k: 3, rows: 38},
	"weights that are DECIMAL": {relation: "SELECT i AS id, s, c, toDecimal64(i % 3, 2) / 2 AS w" + numbers40,
		spec: input.Spec{Weight: "w"}, k: 3, rows: 40},
	"NULLs that drop rows": {relation: "SELECT i AS id, if(i % 5 = 0, NULL, s) AS distance, " +
		"if(i % 7 = 0, NULL, c) AS status, c AS cluster" + numbers40,
		spec: input.Spec{Nulls: "drop"}, k: 3, rows: 28},
	"names of the results": {relation: "SELECT i AS id, if(i % 5 = 0, NULL, s) AS distance, if(i % 7 = 0, NULL, c) AS status, " +
		"if(i % 35 = 0, NULL, c) AS `x IS NULL`" + numbers40, k: 3, rows: 38},
	"names of parts of statements": {relation: "SELECT i AS id, s AS d0, c AS c, s * c AS n, s + c AS u, s - c AS v, 2 * s AS r_x0, " +
		"3 * c AS r1_c0, i AS j, -s AS x0, c / 2 AS i, s / 2 AS r_z" +
		numbers40, k: 3, rows: 40},
	"odd names": {setup: []string{
		"CREATE TABLE `o'd \\`t\\\\` (`the \"key\\`` Int64, `a\\\\b` Float64, `größe '1` Float64, `a.b` Float64, " +
			"`select` Float64, `%s %d` Float64) ENGINE = Log",
		"INSERT INTO `o'd \\`t\\\\` SELECT number, sin(number), cos(number), number, -number, number * number FROM numbers(40)",
	},
		relation: "`o'd \\`t\\\\`", spec: input.Spec{ID: "the \"key`"}, k: 3, rows: 40},
	"categories": {relation: `SELECT i AS id, s, ['it\'s', 'a\\b', 'größe "', '', '` + "`" +
		`NULL'][i % 5 + 1] AS t, if(i % 4 = 0, NULL, toString(i % 3)) AS n, ` +
		`CAST(['x', 'y', 'z'][i % 3 + 1] AS Enum8('z' = -1, 'y' = 2, 'x' = 5)) AS e, i % 2 AS b` + numbers40,
		spec: input.Spec{Categorical: []string{"t", "n", "e", "b"}, NullLevel: true}, k: 3, rows: 40},
	"offsets of 1e8":   {relation: "SELECT i AS id, s + 1e8 AS a, c - 1e8 AS b" + numbers40, scale: "raw", k: 3, rows: 40},
	"small numbers":    {relation: "SELECT i AS id, s * 1e-300 AS a, c * 1e-305 AS b" + numbers40, k: 3, rows: 40},
	"large numbers":    {relation: "SELECT i AS id, s * 1e300 AS a, c * 1.7e308 AS b" + numbers40, k: 3, rows: 40},
	"one cluster":      {relation: "SELECT i AS id, s, c" + numbers40, k: 1, rows: 40},
	"as many as rows":  {relation: "SELECT i AS id, s, c" + numbers40, k: 40, rows: 40},
	"one row":          {relation: "SELECT 1 AS id, 2 AS a, 3 AS b", k: 1, rows: 1},
	"constant columns": {relation: "SELECT i AS id, s, 7 AS a, 0 AS b, -0.0 AS z" + numbers40, k: 2, rows: 40},
	"ties":             {relation: "SELECT i AS id, i % 4 AS x, intDiv(i, 4) % 4 AS y" + numbers40, scale: "raw", k: 4, rows: 40},
	"a semicolon":      {relation: "SELECT i AS id, s, c" + numbers40 + " ; -- the end", k: 2, rows: 40},
	"a comment":        {relation: "-- a comment\nSELECT i AS id, s, c, length('a\\';') AS l" + numbers40 + " -- the end", k: 2, rows: 40},
	"parentheses":      {relation: "(SELECT i AS id, s, c" + numbers40 + ")", k: 2, rows: 40},
	"a view with order": {setup: []string{"CREATE VIEW ordered AS SELECT i AS id, s, c" + numbers40 + " ORDER BY s LIMIT 30"},
		relation: "default.ordered", k: 2, rows: 30},
	"norm": {relation: "SELECT i AS id, s + 2 AS s, c, if(i = 0, 1e200, 3) AS l" + numbers40, spec: input.Spec{ID: "id"},
		scale: "norm", k: 2, rows: 40},
}

func TestEveryStatementIsRightForOddRelations(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, e *Engine) {
		for name, o := range odds {
			t.Run(name, func(t *testing.T) { o.exercise(t, e) })
		}
	})
}

func TestEveryStatementIsRightForShards(t *testing.T) {
	t.Parallel()
	servers := clickhousetest.Start(t, 2)
	for i, s := range servers {
		s.Do("CREATE TABLE part (id UInt64, a Float64, b Nullable(Float64), w UInt8, t String) ENGINE = Log")
		s.Do(fmt.Sprintf("INSERT INTO part SELECT number * 2 + %d AS id, sin(id), if(id %% 5 = 0, NULL, cos(id)), id %% 3, "+
			"toString(id %% 4) FROM numbers(30)", i))
		s.Do("CREATE TABLE points AS part ENGINE = Distributed(" + clickhousetest.Cluster + ", default, part)")
	}
	e := opened(t, servers[0].URL(""), 0)
	odd{relation: "points", spec: input.Spec{Weight: "w", Categorical: []string{"t"}}, k: 3, rows: 60}.exercise(t, e)
}

func TestWideAndLongStatementsAreTaken(t *testing.T) {
	t.Parallel()
	versions(t, func(t *testing.T, e *Engine) {
		columns := make([]string, 60)
		for l := range columns {
			columns[l] = fmt.Sprintf("sin(i * %d) AS x%d", l+1, l)
		}
		odd{relation: "SELECT i AS id, " + strings.Join(columns, ", ") + numbers40, k: 3, rows: 40}.exercise(t, e)
		odd{relation: "SELECT toInt64(number) AS id, sin(id) AS s, cos(id * 7) AS c FROM numbers(300)", k: 100, rows: 300}.exercise(t, e)
	})
}

// exercise makes every statement of a relation, and compares the answers with those for the rows that come
// home as a sample of all.
func (o odd) exercise(t *testing.T, e *Engine) {
	t.Helper()
	for _, s := range o.setup {
		must.Do(t, e.Exec(t.Context(), s))
	}
	spec := o.spec
	spec.Relation, spec.MissingOK = o.relation, true
	if spec.ID == "" {
		spec.ID = "id"
	}
	s := matrix.Scaling{Center: "mean", Scale: "sd"}
	switch o.scale {
	case "raw":
		s = matrix.Scaling{Center: "none", Scale: "none"}
	case "norm":
		s = matrix.Scaling{Center: "none", Scale: "none", Norm: "l2"}
	}
	table := engine.On(e)
	_, recipe, p, fingerprint, err := table.Learn(t.Context(), spec, s)
	must.Do(t, err)
	_, _, _, again, err := engine.On(e).Learn(t.Context(), spec, s)
	must.Do(t, err)
	must.Equal(t, fingerprint, again)
	must.Equal(t, o.rows, p.N)
	b := o.bind(t, table, p)

	x, weights := allRows(t, b, o.rows)
	var models []*framework.Model
	for _, init := range []string{"kmeans||", "random", "maximin"} {
		if init == "maximin" && o.k > 100 {
			continue
		}
		begun := must.Get(b.Begin(t.Context(), init, fit.Fitted, 1, 0))(t)
		must.Equal(t, o.k, begun.Centers.Rows)
		for j := range o.k {
			if !slices.ContainsFunc(x, func(row []float64) bool { return sameOrZero(row, begun.Centers.Row(j)) }) {
				t.Errorf("%s: center %d is no row: %v", init, j, begun.Centers.Row(j))
			}
		}
		models = append(models, &framework.Model{Centers: *begun.Centers})
	}
	one, two := models[0], models[1]
	was, is := nearestOf(one, x), nearestOf(two, x)
	pass := must.Get(b.Assign(t.Context(), two, one))(t)
	sizes, moved, cross := make([]int, o.k), 0, make([][]int, o.k)
	for j := range cross {
		cross[j] = make([]int, o.k)
	}
	for i, j := range is {
		sizes[j]++
		cross[was[i]][j]++
		if was[i] != j {
			moved++
		}
	}
	if weights == nil { // the sample has rows of positive weight
		must.Equal(t, sizes, pass.Sizes)
		must.Equal(t, moved, pass.Moved)
		must.Equal(t, cross, must.Get(b.Crosstab(t.Context(), one, two))(t))
		must.Equal(t, sizes, must.Get(b.Summarise(t.Context(), two))(t).Sizes)
	}
	must.Get(b.Spread(t.Context(), two, one.Centers))(t)
	must.Get(b.Farthest(t.Context(), two, one, 2))(t)
	must.Get(b.Classes(t.Context(), two, spec.ID))(t)
	n := must.Get(b.WriteAssignments(t.Context(), two, "labels", true))(t)
	rows := asked(t, e, "SELECT toInt64(count()), toInt64(countIf(cluster IS NOT NULL)), toInt64(countIf(status IS NOT NULL)) FROM labels")
	if diff := cmp.Diff([][]any{{int64(n), int64(o.rows), int64(n - o.rows)}}, rows); diff != "" {
		t.Error(diff)
	}

	used := engine.On(e)
	want := spec
	want.Want, want.WantCategories = nil, map[string]bool{}
	for _, f := range recipe.Features {
		if name := f.Column(); !slices.Contains(want.Want, name) {
			want.Want = append(want.Want, name)
		}
		if f.IsCategory() {
			want.WantCategories[f.Source] = want.WantCategories[f.Source] || f.Null
		}
	}
	must.Get(used.Use(t.Context(), want, recipe, ""))(t)
	must.Equal(t, pass.Sizes, must.Get(o.bind(t, used, p).Assign(t.Context(), two, one))(t).Sizes)
}

func (o odd) bind(t *testing.T, table *engine.Table, p framework.Problem) *engine.Bound {
	t.Helper()
	for _, built := range plugins.BuiltIns() {
		for _, a := range built.Algorithms {
			if a.Describe().Name == "kmeans" {
				p.K, p.Params = o.k, must.Get(a.Describe().Resolve(nil))(t)
				return must.Get(table.Bind(must.Get(means.FormulaOf(must.Get(a.New(p))(t), "kmeans"))(t), p))(t)
			}
		}
	}
	t.Fatal("no kmeans")
	return nil
}

func allRows(t *testing.T, b *engine.Bound, n int) ([][]float64, []float64) {
	t.Helper()
	x, weights, err := b.Sample(t.Context(), n, 1)
	must.Do(t, err)
	rows := make([][]float64, x.Rows)
	for i := range rows {
		rows[i] = x.Row(i)
	}
	return rows, weights
}

// nearestOf labels rows by the first of the nearest centers.
func nearestOf(m *framework.Model, x [][]float64) []int {
	labels := make([]int, len(x))
	for i, row := range x {
		least := math.Inf(1)
		for j := range m.Centers.Rows {
			d := 0.0
			for l, v := range m.Centers.Row(j) {
				if row[l] == row[l] {
					d += (row[l] - v) * (row[l] - v)
				}
			}
			if d < least {
				least, labels[i] = d, j
			}
		}
	}
	return labels
}

// sameOrZero reports whether a center is a row, with 0 where the row has no cell.
func sameOrZero(row, center []float64) bool {
	return slices.EqualFunc(row, center, func(a, b float64) bool { return a == b || a != a && b == 0 })
}

func TestBadRelationsAreRefusedWithTheReason(t *testing.T) {
	versions(t, func(t *testing.T, e *Engine) {
		for name, c := range map[string]struct {
			relation, code string
			spec           input.Spec
		}{
			"NaN":                  {"SELECT i AS id, s, if(i = 3, nan, c) AS a" + numbers40, "cell-not-finite", input.Spec{}},
			"infinite":             {"SELECT i AS id, s, if(i = 3, -inf, c) AS a" + numbers40, "cell-not-finite", input.Spec{}},
			"NaN that may be NULL": {"SELECT i AS id, s, if(i = 3, nan, if(i = 4, NULL, c)) AS a" + numbers40, "cell-not-finite", input.Spec{}},
			"a weight is NaN":      {"SELECT i AS id, s, if(i = 3, nan, 1) AS w" + numbers40, "bad-weights", input.Spec{Weight: "w"}},
			"a weight is negative": {"SELECT i AS id, s, i - 4 AS w" + numbers40, "bad-weights", input.Spec{Weight: "w"}},
			"a weight is NULL":     {"SELECT i AS id, s, if(i = 3, NULL, 1) AS w" + numbers40, "bad-weights", input.Spec{Weight: "w"}},
			"weights are 0":        {"SELECT i AS id, s, 0 AS w" + numbers40, "bad-weights", input.Spec{Weight: "w"}},
			"a key is NULL":        {"SELECT if(i = 3, NULL, i) AS id, s" + numbers40, "null-keys", input.Spec{}},
			"no key and no cell":   {"SELECT if(i = 3, NULL, i) AS id, if(i = 3, NULL, s) AS a" + numbers40, "null-keys", input.Spec{}},
			"keys twice":           {"SELECT intDiv(i, 2) AS id, s" + numbers40, "duplicate-keys", input.Spec{}},
			"no rows":              {"SELECT i AS id, s" + numbers40 + " WHERE i < 0", "empty-relation", input.Spec{}},
			"only NULLs":           {"SELECT i AS id, if(i < 0, s, NULL) AS a" + numbers40, "empty-relation", input.Spec{}},
			"only NULL":            {"SELECT i AS id, NULL AS a" + numbers40, "columns-not-numeric", input.Spec{}},
			"a category is no text": {"SELECT i AS id, s, unhex('FF') AS a" + numbers40, "category-not-text",
				input.Spec{Categorical: []string{"a"}}},
			"many categories": {"SELECT number AS id, toString(number) AS a FROM numbers(1001)", "too-many-categories",
				input.Spec{Categorical: []string{"a"}}},
			"two statements":         {"SELECT 1 AS id, 2 AS a; SELECT 3", "query-not-one-select", input.Spec{}},
			"nothing of such a name": {"`no such; table`", "table-not-found", input.Spec{}},
			"a NULL in a category": {"SELECT i AS id, s, if(i = 3, NULL, 'x') AS a" + numbers40, "null-cells",
				input.Spec{Categorical: []string{"a"}}},
			"a column of two numbers": {"SELECT i AS id, [s, c] AS a" + numbers40, "columns-not-numeric", input.Spec{}},
		} {
			t.Run(name, func(t *testing.T) {
				c.spec.Relation, c.spec.ID, c.spec.MissingOK = c.relation, "id", true
				_, _, _, _, err := engine.On(e).Learn(t.Context(), c.spec, matrix.Scaling{Center: "mean", Scale: "sd"})
				must.Fault(t, err, c.code)
			})
		}
	})
}

// A model may do without columns that have no weight in it.
func TestColumnsThatAreNotThereAreNULL(t *testing.T) {
	versions(t, func(t *testing.T, e *Engine) {
		table := engine.On(e)
		_, recipe, p, _, err := table.Learn(t.Context(), input.Spec{Relation: "SELECT i AS id, s, c, toString(i % 2) AS t" + numbers40, ID: "id",
			Categorical: []string{"t"}}, matrix.Scaling{Center: "mean", Scale: "sd"})
		must.Do(t, err)
		used := engine.On(e)
		got := must.Get(used.Use(t.Context(), input.Spec{Relation: "SELECT i AS id, s" + numbers40, ID: "id", Want: []string{"s", "c",
			"t"}, MissingOK: true,
			WantCategories: map[string]bool{"t": false}, Optional: map[string]bool{"c": true, "t": true}}, recipe, ""))(t)
		must.Equal(t, []string{"c", "t"}, got.Absent)
		o := odd{k: 2}
		b := o.bind(t, used, p)
		m := &framework.Model{Centers: framework.Matrix{Rows: 2, Cols: 4, Data: []float64{-1, 0, 0, 0, 1, 0, 0, 0}}}
		must.Equal(t, 40, must.Get(b.Assign(t.Context(), m, nil))(t).Moved)
		must.Equal(t, 40, must.Get(b.WriteAssignments(t.Context(), m, "absent", true))(t))
	})
}
