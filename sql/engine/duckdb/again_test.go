package duckdb_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// Sums are exact, so that their bits do not depend on the order of the rows, nor on threads.
func TestAFitThatWasKilledGoesOnToTheSameBits(t *testing.T) {
	c := enginetest.Cases["weights and missing cells"]
	p := c.Bind(t, where)
	centers := p.Start(false)
	want := must.Get(fit.Elsewhere(t.Context(), p.Other, p.Distant, p.From(centers), c.Settings(), nil))(t)
	ctx, kill := context.WithCancel(t.Context())
	var last fit.Stand
	d := p.From(centers)
	d.Keep = func(s fit.Stand) error {
		if last = s; s.Iteration == 3 {
			kill()
		}
		return nil
	}
	if _, err := fit.Elsewhere(ctx, p.Other, p.Distant, d, c.Settings(), nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	d = p.From(centers)
	d.From = &last
	got := must.Get(fit.Elsewhere(t.Context(), p.Other, p.Distant, d, c.Settings(), nil))(t)
	must.Equal(t, want.Model.Centers, got.Model.Centers)
	must.Equal(t, want.Iterations, got.Iterations)
}

func TestTheOrderOfTheRowsChangesNoBit(t *testing.T) {
	one, other := enginetest.Cases["kmeans of wine"], enginetest.Cases["kmeans of wine"]
	other.Relation = "FROM 'examples/wine.csv' ORDER BY hash(id)"
	var models [2]*framework.Model
	var samples [2]framework.Matrix
	for i, c := range []enginetest.Case{one, other} {
		p := c.Bind(t, where)
		must.Do(t, p.DB.Exec(t.Context(), fmt.Sprintf("SET threads = %d", 1+3*i)))
		var err error
		if samples[i], _, err = p.Bound.Sample(t.Context(), 50, 3); err != nil {
			t.Fatal(err)
		}
		models[i] = must.Get(fit.Elsewhere(t.Context(), p.Other, p.Distant, p.From(p.Start(false)), c.Settings(), nil))(t).Model
	}
	must.Equal(t, models[0].Centers, models[1].Centers)
	must.Equal(t, samples[0], samples[1])
}

func TestBadRelationsAreRefusedWithThePlaceAndTheReason(t *testing.T) {
	for name, c := range map[string]struct {
		relation, code string
		spec           input.Spec
	}{
		"no key":          {"SELECT 1 AS a", "id-missing", input.Spec{}},
		"unknown key":     {"SELECT 1 AS a", "column-not-found", input.Spec{ID: "id"}},
		"keys twice":      {"SELECT i // 2 AS id, i AS a FROM range(9) t(i)", "duplicate-keys", input.Spec{ID: "id"}},
		"a key is NULL":   {"SELECT nullif(i, 3) AS id, i AS a FROM range(9) t(i)", "null-keys", input.Spec{ID: "id"}},
		"no key, no cell": {"SELECT nullif(i, 3) AS id, nullif(i, 3) AS a FROM range(9) t(i)", "null-keys", input.Spec{ID: "id"}},
		"infinite":        {"SELECT i AS id, if(i = 3, 'inf'::DOUBLE, i) AS a FROM range(9) t(i)", "cell-not-finite", input.Spec{ID: "id"}},
		"NaN":             {"SELECT i AS id, if(i = 3, 'nan'::DOUBLE, i) AS a FROM range(9) t(i)", "cell-not-finite", input.Spec{ID: "id"}},
		"text":            {"SELECT i AS id, i::VARCHAR AS a FROM range(9) t(i)", "columns-not-numeric", input.Spec{ID: "id"}},
		"negative weight": {"SELECT i AS id, i AS a, i - 4 AS w FROM range(9) t(i)", "bad-weights", input.Spec{ID: "id", Weight: "w"}},
		"NULL weight": {"SELECT i AS id, i AS a, nullif(i, 4) AS w FROM range(9) t(i)", "bad-weights",
			input.Spec{ID: "id", Weight: "w"}},
		"weights of 0": {"SELECT i AS id, i AS a, 0 AS w FROM range(9) t(i)", "bad-weights", input.Spec{ID: "id", Weight: "w"}},
		"NULL":         {"SELECT i AS id, nullif(i, 3) AS a FROM range(9) t(i)", "null-cells", input.Spec{ID: "id", Nulls: "error"}},
		"no rows":      {"SELECT i AS id, i AS a FROM range(0) t(i)", "empty-relation", input.Spec{ID: "id"}},
		"only NULLs":   {"SELECT i AS id, NULL::DOUBLE AS a FROM range(9) t(i)", "empty-relation", input.Spec{ID: "id"}},
		"many categories": {"SELECT i AS id, i::VARCHAR AS a FROM range(1001) t(i)", "too-many-categories",
			input.Spec{ID: "id", Categorical: []string{"a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			must.Equal(t, c.code, refused(t, c.relation, c.spec))
		})
	}
}

// refused returns the code of the fault of a relation.
func refused(t *testing.T, relation string, spec input.Spec) string {
	t.Helper()
	e := must.Get(duckdb.Open(t.Context(), "", duck.ReadWrite))(t)
	defer func() { _ = e.Close() }()
	spec.Relation, spec.MissingOK = relation, true
	_, _, _, _, err := engine.On(e).Learn(t.Context(), spec, matrix.Scaling{Center: "mean", Scale: "sd"})
	f := framework.AsFault(err)
	if f == nil {
		t.Fatalf("not refused: %v", err)
	}
	return f.Code
}
