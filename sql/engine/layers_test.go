package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// An asked engine has a table of these columns, notes statements and answers none.
type asked struct {
	dialect    dialect.Dialect
	statements []string
}

func (a *asked) Dialect() dialect.Dialect { return a.dialect }

func (a *asked) Resolve(context.Context, string) (Relation, error) {
	return Relation{From: a.dialect.Quote("t"), Columns: []Column{
		{Name: "id", Kind: Number}, {Name: "w", Kind: Number}, {Name: "x", Kind: Number}, {Name: "y", Kind: Number, Nullable: true},
		{Name: "c", Kind: Label, Type: "String"}}}, nil
}

func (a *asked) Query(_ context.Context, statement string) ([][]any, error) {
	a.statements = append(a.statements, statement)
	return nil, nil
}

func (a *asked) Exec(context.Context, string) error { return nil }

func (a *asked) Close() error { return nil }

// bound returns a table that is bound, as if it had been learned.
func (a *asked) bound(t *testing.T, missing bool, norm string) (*Bound, *framework.Model) {
	t.Helper()
	of := On(a)
	_, err := of.open(t.Context(), input.Spec{Relation: "t", ID: "id", Weight: "w", Exclude: []string{"c"}, MissingOK: true})
	must.Do(t, err)
	of.rows.recipe = unscaled(of.rows.selected)
	of.rows.recipe.Scaling = matrix.Scaling{Norm: norm}
	of.counted.n, of.counted.largest = 100, 2
	of.missing, of.ranges = []bool{false, missing}, [][2]float64{{-3, 3}, {-2, 2}}
	k, p := 3, 2
	b := must.Get(of.Bind(means.Formula{
		Distance: func(*framework.Model) means.Distance { return means.Distance{} },
		Sums:     means.Sums{K: k, P: p, Weighted: true, Missing: missing},
	}, framework.Problem{N: 100, P: p, K: k, Weighted: true}))(t)
	m := &framework.Model{Centers: framework.NewMatrix(k, p)}
	for i := range m.Centers.Data {
		m.Centers.Data[i] = float64(i * i)
	}
	return b, m
}

// ask makes each statement over all rows.
func ask(t *testing.T, b *Bound, m *framework.Model) {
	t.Helper()
	ctx := t.Context()
	before := m.Clone()
	before.Centers.Data[0]++
	_, _ = b.Assign(ctx, m, nil)
	_, _ = b.Assign(ctx, m, before)
	_, _ = b.Farthest(ctx, m, m, 1)
	_, _ = b.Summarise(ctx, m)
	_, _ = b.Spread(ctx, m, m.Centers)
	_, _ = b.Crosstab(ctx, m, before)
	_, _ = b.Classes(ctx, m, "c")
	_, _, _ = b.Sample(ctx, 3, 1)
	for _, init := range []string{"random", "maximin", "kmeans||"} {
		_, _ = b.Begin(ctx, init, fit.Raw, 1, 0)
	}
	_, _ = b.first(ctx, b.from, input.Spec{})
	_, _ = b.second(ctx, make([]matrix.Moments, 2))
}

// Servers share out what one SELECT does, and fetch the rows of a subquery.
func TestAStatementIsOneSelectWhereServersShareItOut(t *testing.T) {
	for _, missing := range []bool{false, true} {
		for _, norm := range []string{"", "l2"} {
			a := &asked{dialect: dialect.Of(dialect.ClickHouse)}
			b, m := a.bound(t, missing, norm)
			ask(t, b, m)
			if len(a.statements) < 12 {
				t.Fatalf("%d statements", len(a.statements))
			}
			for _, s := range a.statements {
				if strings.Count(s, "SELECT") != 1 || strings.Count(s, "FROM `t`") != 1 {
					t.Errorf("not one SELECT: %s", s)
				}
				eachNameIsMadeOnce(t, s)
			}
		}
	}
}

// eachNameIsMadeOnce checks the aliases of a WITH: each is made once, and before it is used by another.
func eachNameIsMadeOnce(t *testing.T, statement string) {
	t.Helper()
	var names []string
	for _, piece := range strings.Split(statement, " AS r_")[1:] {
		name := "r_" + piece[:strings.IndexAny(piece+" ", " ,)")]
		if slices.Contains(names, name) {
			t.Errorf("%s is made twice: %s", name, statement)
		}
		names = append(names, name)
	}
	for i, name := range names {
		made := strings.Index(statement, " AS "+name)
		for _, later := range names[i+1:] {
			for _, form := range []string{"(%s ", "(%s,", "[%s,", " %s,", "(%s)"} {
				if at := strings.Index(statement, fmt.Sprintf(form, later)); at >= 0 && at < made {
					t.Errorf("%s uses %s before it is made: %s", name, later, statement)
				}
			}
		}
	}
}

func TestLayersAreSubqueriesElsewhere(t *testing.T) {
	a := &asked{dialect: dialect.Of(dialect.DuckDB)}
	b, m := a.bound(t, false, "")
	ask(t, b, m)
	for _, s := range a.statements {
		if strings.Contains(s, "WITH") || strings.Count(s, "SELECT") < 2 {
			t.Error(s)
		}
	}
}

func TestOnlyWhatIsNeededIsInAStatement(t *testing.T) {
	a := &asked{dialect: dialect.Of(dialect.ClickHouse)}
	b, m := a.bound(t, false, "")
	for j := range 3 {
		m.Centers.Row(j)[1] = 5 // which does not tell centers apart
	}
	before := m.Clone()
	before.Centers.Data[0]++
	_, _ = b.Crosstab(t.Context(), m, before)
	if s := a.statements[0]; strings.Contains(s, "`y`") || strings.Contains(s, "`w`") || !strings.Contains(s, "`x`") {
		t.Error(s)
	}
}
