package duckdb_test

import (
	"context"
	"crypto/md5"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// asked is an engine that counts its statements.
type asked struct {
	*duckdb.Engine
	statements int
}

func (a *asked) Query(ctx context.Context, statement string) ([][]any, error) {
	a.statements++
	return a.Engine.Query(ctx, statement)
}

// a seeded is rows of an engine, bound to k-means with k clusters.
type seeded struct {
	*engine.Bound
	engine *asked
}

func seed(t *testing.T, relation string, k int) seeded {
	t.Helper()
	e := &asked{Engine: must.Get(duckdb.Open(t.Context(), "", duck.ReadWrite))(t)}
	t.Cleanup(func() { _ = e.Close() })
	table := engine.On(e)
	_, _, p, _, err := table.Learn(t.Context(), input.Spec{Relation: relation, ID: "id", MissingOK: true, Weight: weightOf(relation)},
		must.Get(matrix.ParseScale("sd", ""))(t))
	if err != nil {
		t.Fatal(err)
	}
	a := enginetest.Algorithm(t, "kmeans")
	p.K, p.Params = k, must.Get(a.Describe().Resolve(nil))(t)
	f := must.Get(means.FormulaOf(must.Get(a.New(p))(t), "kmeans"))(t)
	e.statements = 0
	return seeded{must.Get(table.Bind(f, p))(t), e}
}

func weightOf(relation string) string {
	if strings.Contains(relation, " AS w") {
		return "w"
	}
	return ""
}

// begin returns the centers of a start.
func (s seeded) begin(t *testing.T, space string, restart int) *framework.Matrix {
	t.Helper()
	return must.Get(s.Begin(t.Context(), "kmeans||", space, 3, restart))(t).Centers
}

var seedings = map[string]string{
	"wine":    "FROM 'examples/wine.csv'",
	"weights": "SELECT *, [0, 0.3, 1, 2][id % 4 + 1] AS w FROM 'examples/wine.csv'",
	"missing cells": "SELECT id, nullif(alcohol, 13) AS a, CASE WHEN id % 3 > 0 THEN hue END AS b, proline AS c " +
		"FROM 'examples/wine.csv'",
	"few rows that differ":      "SELECT i AS id, i % 5 AS x, i % 5 // 2 AS y FROM range(400) t(i)",
	"keys of text":              "SELECT 'no. ' || id AS id, alcohol, ash, hue FROM 'examples/wine.csv'",
	"one row far from the rest": "SELECT i AS id, if(i = 7, 1e9, i % 10) AS x, i % 7 AS y FROM range(500) t(i)",
}

// spaces alternate, as fits have them.
func spaces(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fit.Settings{InitSpace: fit.Both}.Space(i)
	}
	return all
}

func TestAStartThatIsMadeWithOthersIsTheOneThatItIsByItself(t *testing.T) {
	for name, relation := range seedings {
		for _, k := range []int{1, 4} {
			t.Run(fmt.Sprint(name, k), func(t *testing.T) {
				together, alone := seed(t, relation, k), seed(t, relation, k)
				together.Foresee(spaces(7))
				for restart, space := range spaces(7) {
					must.Equal(t, alone.begin(t, space, restart), together.begin(t, space, restart))
				}
			})
		}
	}
}

func TestTenStartsTakeThreeStatements(t *testing.T) {
	s := seed(t, seedings["wine"], 3)
	s.Foresee(spaces(10))
	for restart, space := range spaces(10) {
		s.begin(t, space, restart)
	}
	must.Equal(t, 3, s.engine.statements)
}

func TestTheOrderOfTheRowsChangesNoStart(t *testing.T) {
	for name, relation := range seedings {
		one, other := seed(t, relation, 4), seed(t, "FROM ("+relation+") ORDER BY hash(id)", 4)
		for restart, space := range spaces(2) {
			if a, b := one.begin(t, space, restart), other.begin(t, space, restart); !same(a, b) {
				t.Errorf("%s: %v and %v", name, a, b)
			}
		}
	}
}

// same reports whether centers are the same rows; recipes are the same bits, as sums are.
func same(a, b *framework.Matrix) bool { return fmt.Sprint(a.Data) == fmt.Sprint(b.Data) }

// Nine clusters far from each other: k-means|| has candidates in each, but for a chance that is nil here, and
// kmeans++ among them chooses one of each, as the others of a cluster are near.
func TestAStartHasARowOfEachClusterThatIsFarFromTheOthers(t *testing.T) {
	s := seed(t, "SELECT i AS id, i % 3 + hash(i) % 1000 * 1e-6 AS x, i // 3 % 3 + hash(-i) % 1000 * 1e-6 AS y FROM range(9000) t(i)", 9)
	s.Foresee(spaces(20))
	for restart, space := range spaces(20) {
		clusters := map[string]bool{}
		c := s.begin(t, space, restart)
		for j := range c.Rows {
			clusters[fmt.Sprintf("%.2f %.2f", c.Row(j)[0], c.Row(j)[1])] = true
		}
		if len(clusters) != 9 {
			t.Errorf("start %d has rows of %d clusters", restart, len(clusters))
		}
	}
}

// A row is in a sample of 10 of 100 with probability 1/10. Of 400 samples, the counts have χ² with 99
// degrees of freedom, times 0.9; it is above 150 with probability 0.0007, and the seeds are fixed.
func TestEachRowIsAsLikelyToBeDrawnAsAnother(t *testing.T) {
	s := seed(t, "SELECT i AS id, i AS x FROM range(100) t(i)", 3)
	counts := map[float64]float64{}
	for k := range uint64(400) {
		x, _, err := s.Sample(t.Context(), 10, k)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range x.Data {
			counts[math.Round(v*1e6)]++
		}
	}
	square := 0.0
	for _, n := range counts {
		square += (n - 40) * (n - 40) / 40 / 0.9
	}
	if square += float64(100-len(counts)) * 40 / 0.9; square > 150 || square < 60 {
		t.Errorf("χ² is %v", square)
	}
}

func TestDigestsAreHalvesOfMD5(t *testing.T) {
	e := must.Get(duckdb.Open(t.Context(), "", duck.ReadWrite))(t)
	defer func() { _ = e.Close() }()
	d := e.Dialect()
	for _, text := range []string{"", "1", "-77", "Größe \\ '"} {
		rows := must.Get(e.Query(t.Context(), "SELECT "+d.Text(d.Digest(d.Literal(text)))))(t)
		sum := md5.Sum([]byte(text))
		must.Equal(t, fmt.Sprint(binary.LittleEndian.Uint64(sum[:8])), rows[0][0].(string))
	}
}
