//go:build engines

package clickhouse

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
)

// Sums of one term, of as many as one lambda has, of one more, and of several lambdas.
func TestDistancesByFeatureHaveTheBitsOfThoseByPoint(t *testing.T) {
	versions(t, func(t *testing.T, e *Engine) {
		d, r := e.Dialect(), rand.New(rand.NewPCG(1, 2))
		for _, features := range []int{1, 7, 8, 50} {
			const points = 3
			var terms []dialect.Term
			cells := make([]string, features)
			at := make([][]float64, points)
			for l := range features {
				cells[l] = fmt.Sprintf("sin(number * %d)", l+1)
				of := make([]float64, points)
				for j := range of {
					of[j] = r.NormFloat64()
					at[j] = append(at[j], of[j])
				}
				terms = append(terms, dialect.Term{Row: []string{cells[l]}, Points: [][]float64{of}, Of: func(row, point []string) string {
					return fmt.Sprintf("(%s - %s) * (%[1]s - %[2]s)", point[0], row[0])
				}})
			}
			each := make([]string, points)
			for j := range each {
				each[j] = d.Apart(d.Array(cells), d.Numbers(at[j]))
			}
			rows := asked(t, e, fmt.Sprintf("SELECT %s AS a, [%s] AS b FROM numbers(20)", d.Lists.Sum(terms, "r_z"), strings.Join(each, ", ")))
			for _, row := range rows {
				must.Equal(t, row[1], row[0])
			}
			must.Equal(t, 20, len(rows))
		}
	})
}

// pointwise writes no distances by feature, as for rows in the millions.
type pointwise struct{ *Engine }

func (e pointwise) Dialect() dialect.Dialect {
	d := e.Engine.Dialect()
	d.ByFeature = nil
	return d
}

// places are where fits are compared.
var places = map[string]func(*testing.T) *loader{
	"two servers": func(t *testing.T) *loader { return newLoader(t, clickhousetest.Start(t, 2)...) },
	"chdb":        func(t *testing.T) *loader { return newLoader(t, clickhousetest.StartChDB(t)) },
}

// The rows of other tests are few, and so measured by feature.
func TestFitsWhoseDistancesAreWrittenByPointAreThoseOfRowsHere(t *testing.T) {
	t.Parallel()
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := place(t)
			open := func(t *testing.T, db *duck.DB, c enginetest.Case) (engine.Engine, string) {
				_, relation := l.open(t, db, c)
				return pointwise{l.e}, relation
			}
			enginetest.LawsOf(t, open, "kmeans of wine")
			c := enginetest.Case{Name: "missing cells", Algorithm: "kmeans", K: 2, MaxIter: 3, // in each row one at most
				Relation: "SELECT i AS id, if(i % 5 = 0, NULL, sin(i)) AS x, if(i % 5 = 1, NULL, cos(i)) AS y, sin(i * 3.7) AS z FROM range(100) t(i)"}
			p := c.Bind(t, open)
			want, got := p.Fit(t, p.Start(false))
			enginetest.Results(t, c, want, got)
			p.Labels(t, got.Model)
		})
	}
}

func TestFitsOfManyClustersAreThoseOfRowsHere(t *testing.T) {
	t.Parallel()
	const rows, features = 2000, 20
	cells := make([]string, features)
	for l := range cells {
		cells[l] = fmt.Sprintf("sin(i * %d.37) AS x%d", l+1, l)
	}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := place(t)
			for _, c := range []struct {
				of   enginetest.Case
				more string // columns
			}{
				{enginetest.Case{Name: "many", K: 1000, MaxIter: 2}, ""},
				{enginetest.Case{Name: "weights and missing cells", K: 60, MaxIter: 3}, ", if(i % 5 = 0, NULL, cos(i)) AS last, i % 3 AS w"},
			} {
				c.of.Algorithm = "kmeans"
				c.of.Relation = fmt.Sprintf("SELECT i AS id, %s%s FROM range(%d) t(i)", strings.Join(cells, ", "), c.more, rows)
				if c.more != "" {
					c.of.Spec.Weight = "w"
				}
				t.Run(c.of.Name, func(t *testing.T) {
					p := c.of.Bind(t, l.open)
					want, got := p.Fit(t, p.Start(false))
					enginetest.Results(t, c.of, want, got)
					p.Labels(t, got.Model)
				})
			}
		})
	}
}
