package declare_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// renamed is a built-in kind under another name, as a plugin would serve it.
type renamed struct{ kind string }

func (r renamed) Describe() framework.SetDescription {
	return framework.SetDescription{Kind: "their_" + r.kind, Uses: []string{"cluster", "feature", "lo", "hi", "value"}}
}

func (r renamed) Make(rows []framework.ConstraintRow, k int, columns []framework.Column) (framework.Set, error) {
	own := make([]framework.ConstraintRow, len(rows))
	for i := range rows {
		own[i] = rows[i]
		own[i].Kind = r.kind
	}
	return declare.Rows(own, framework.Problem{K: k, Columns: columns})
}

// theirs turns rows into rows of renamed kinds.
func theirs(rows []framework.ConstraintRow) []framework.ConstraintRow {
	out := make([]framework.ConstraintRow, len(rows))
	for i, r := range rows {
		out[i] = r
		out[i].Kind = "their_" + r.Kind
	}
	return out
}

// scripted is a kind whose set does as it is told.
type scripted struct {
	uses      []string
	declares  framework.Properties
	makes     error
	project   func(y, x float64) float64
	violation float64
}

func (s scripted) Describe() framework.SetDescription {
	return framework.SetDescription{Kind: "scripted", Uses: s.uses}
}

func (s scripted) Make([]framework.ConstraintRow, int, []framework.Column) (framework.Set, error) {
	return s, s.makes
}
func (s scripted) Properties() framework.Properties { return s.declares }
func (s scripted) Project(dst framework.Matrix, at framework.Point) error {
	for i, x := range at.X.Data {
		dst.Data[i] = s.project(dst.Data[i], x)
	}
	return nil
}
func (s scripted) Violation(framework.Matrix) float64 { return s.violation }
func (s scripted) Penalty(framework.Matrix) float64   { return 0 }

func asIs(_, x float64) float64 { return x }

func TestASetOfAnotherKindIsTheOneThatItsKindMakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 3).Draw(t, "k")
		kind := rapid.SampledFrom([]string{"box", "fixed", "monotone"}).Draw(t, "kind")
		rows := drawRows(t, kind, k, people())
		want, err := declare.Rows(rows, framework.Problem{K: k, Columns: people()})
		got, theirErr := declare.Rows(theirs(rows), framework.Problem{K: k, Columns: people()}, renamed{kind})
		if err != nil || theirErr != nil {
			if (err == nil) != (theirErr == nil) {
				t.Fatalf("%v as a kind of our own, and %v as another's", err, theirErr)
			}
			discardExcluded(t, err)
		}
		if diff := cmp.Diff([]string{"their_" + kind}, got.Foreign); diff != "" || want.Foreign != nil {
			t.Errorf("foreign kinds %v and %v", got.Foreign, want.Foreign)
		}
		at := framework.Point{X: framework.NewMatrix(k, 3), RowMass: settest.Masses(t, k, "mass")}
		for i := range at.X.Data {
			at.X.Data[i] = settest.Number(t, "x")
		}
		if a, b := settest.Project(t, want, at), settest.Project(t, got, at); !settest.SameBits(a, b) {
			t.Errorf("%s: %v is projected to %v, and by another's kind to %v", show(rows), at.X.Data, a.Data, b.Data)
		}
	})
}

func TestConvexSetsOfAnotherKindAreCombinedWithOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 3).Draw(t, "k")
		box := []framework.ConstraintRow{{Kind: "box", Lo: new(-60.0), Hi: new(60.0)}} // which all drawn orders meet
		order := drawRows(t, "monotone", k, people())
		want := must.Get(declare.Rows(append(box, order...), framework.Problem{K: k, Columns: people()}))(t)
		at := framework.Point{X: framework.NewMatrix(k, 3), RowMass: settest.Masses(t, k, "mass")}
		for i := range at.X.Data {
			at.X.Data[i] = 3 * settest.Number(t, "x")
		}
		y := settest.Project(t, want, at)
		for name, rows := range map[string][]framework.ConstraintRow{
			"the box is another's":   append(theirs(box), order...),
			"the order is another's": append(theirs(order), box...),
			"both are":               append(theirs(order), theirs(box)...),
		} {
			got := must.Get(declare.Rows(rows, framework.Problem{K: k, Columns: people()}, renamed{"box"}, renamed{"monotone"}))(t)
			z := settest.Project(t, got, at)
			if off := want.Violation(z); off > 1e-6 {
				t.Errorf("%s: %v is %g from the set", name, z.Data, off)
			}
			// Both come from Dykstra's algorithm; this is its tolerance.
			d, least := settest.Minus(z, at.X), settest.Minus(y, at.X)
			if settest.Inner(at, d, d) > settest.Inner(at, least, least)*(1+1e-6)+1e-6 {
				t.Errorf("%s: %v is projected to %v, and to %v by our own", name, at.X.Data, z.Data, y.Data)
			}
		}
	})
}

func TestASetThatIsNotConvexStandsAlone(t *testing.T) {
	whole := scripted{project: func(_, x float64) float64 { return math.Round(x) },
		declares: framework.Properties{Kind: "whole numbers", Separable: true}}
	row := framework.ConstraintRow{Kind: "scripted"}
	set := must.Get(declare.Rows([]framework.ConstraintRow{row}, framework.Problem{K: 1, Columns: raw()}, whole))(t)
	at := framework.Point{X: framework.Matrix{Rows: 1, Cols: 3, Data: []float64{0.2, 0.7, -3}}}
	if y := settest.Project(t, set, at); !cmp.Equal(y.Data, []float64{0, 1, -3}) {
		t.Errorf("got %v", y.Data)
	}
	for name, other := range map[string]framework.ConstraintRow{
		"bounds": {Kind: "nonnegative"}, "a sparsity": {Kind: "sparsity", Value: new(1.0)}, "another of its kind": {Kind: "scripted", Name: "b"},
	} {
		_, err := declare.Rows([]framework.ConstraintRow{row, other}, framework.Problem{K: 1, Columns: raw()}, whole)
		f := framework.AsFault(err)
		if f == nil || f.Code != "cannot-intersect" || !strings.Contains(f.Summary, "scripted") ||
			!strings.Contains(f.Summary, "is not convex") {
			t.Errorf("with %s: got %v", name, err)
		}
	}
	if !constraint.TakesGains(set.Set, false) || constraint.TakesGains(set.Set, true) {
		t.Error("the nearest entries to medians are not the nearest entries of a set with gaps")
	}
}

func TestASparsityIsNotCombinedWithAnothersSet(t *testing.T) {
	all := scripted{project: asIs, declares: framework.Properties{Convex: true}}
	_, err := declare.Rows([]framework.ConstraintRow{{Kind: "scripted"}, {Kind: "sparsity", Value: new(1.0)}},
		framework.Problem{K: 1, Columns: raw()}, all)
	must.Fault(t, err, "cannot-intersect")
}

func TestWhatAnothersSetGetsWrongIsAFaultOfThePlugin(t *testing.T) {
	for name, c := range map[string]struct {
		set  scripted
		says string
	}{
		"not a number":               {scripted{project: func(_, _ float64) float64 { return math.NaN() }}, "not finite"},
		"outside by its own measure": {scripted{project: asIs, violation: 0.25}, "is, by its own measure, 0.25 (fitted units) away"},
		"a violation below 0":        {scripted{project: asIs, violation: -1}, "by its own measure, -1"},
		"a violation not a number":   {scripted{project: asIs, violation: math.NaN()}, "by its own measure, NaN"},
		"nothing is written to dst":  {scripted{project: func(y, _ float64) float64 { return y }}, "not finite"},
	} {
		t.Run(name, func(t *testing.T) {
			rows := []framework.ConstraintRow{{Kind: "scripted", Name: "x"}}
			set := must.Get(declare.Rows(rows, framework.Problem{K: 1, Columns: raw()}, c.set))(t)
			dst := framework.Matrix{Rows: 1, Cols: 3, Data: []float64{math.NaN(), math.NaN(), math.NaN()}}
			err := set.Project(dst, framework.Point{X: framework.Matrix{Rows: 1, Cols: 3, Data: []float64{1, 2, 3}}})
			f := framework.AsFault(err)
			if f == nil || f.Class != framework.Plugin || f.Code != "set-broken" ||
				!strings.Contains(f.Summary, `scripted "x"`) || !strings.Contains(f.Summary, c.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestARoundingErrorOfOriginalUnitsIsNoViolation(t *testing.T) {
	// Around 1e6, numbers are 1e-10 apart: what is 1e-9 off in units that small is rounding.
	far := []framework.Column{{Name: "a", Location: 1e6, Scale: 1}}
	set := must.Get(declare.Rows([]framework.ConstraintRow{{Kind: "scripted"}}, framework.Problem{K: 1, Columns: far},
		scripted{project: asIs, violation: 1e-9}))(t)
	x := framework.Matrix{Rows: 1, Cols: 1, Data: []float64{1e-3}}
	must.Do(t, set.Project(framework.NewMatrix(1, 1), framework.Point{X: x}))
}

func TestSetsOfAnotherKindRefuseBadPointsThemselves(t *testing.T) {
	set := must.Get(declare.Rows([]framework.ConstraintRow{{Kind: "scripted"}}, framework.Problem{K: 2, Columns: raw()},
		scripted{project: func(_, _ float64) float64 { panic("it was asked") }}))(t)
	for code, at := range map[string]framework.Point{
		"bad-point":       {X: framework.Matrix{Rows: 2, Cols: 3, Data: []float64{1, 2, math.NaN(), 4, 5, 6}}},
		"bad-set":         {X: framework.NewMatrix(1, 3)},
		"set-needs-means": {X: framework.NewMatrix(2, 3), Gain: make([]float64, 6)},
	} {
		err := set.Project(framework.NewMatrix(at.X.Rows, at.X.Cols), at)
		if f := framework.AsFault(err); f == nil || f.Code != code {
			t.Errorf("%s: got %v", code, err)
		}
	}
}

func TestRowsOfAnotherKindAreCheckedByWhatItUses(t *testing.T) {
	refuses := scripted{uses: []string{"feature"}, makes: framework.Faultf(framework.Data, "bad", "it likes no row")}
	_, err := declare.Rows([]framework.ConstraintRow{
		{Kind: "scripted", Name: "a", Cluster: new(0)},
		{Kind: "scripted", Name: "b", Feature: new("agee")},
		{Kind: "scripted", Name: "c", Feature: new("AGE"), Lo: new(1.0)},
		{Kind: "scripted", Name: "d", Feature: new("AGE")},
		{Kind: "scriptd"},
		{Kind: "box"},
	}, framework.Problem{K: 1, Columns: people()}, refuses)
	f := must.Fault(t, err, "bad-constraints")
	want := []string{
		"box: lo and hi are NULL: a box needs at least one of them",
		"scriptd: there is no such kind; did you mean scripted",
		`scripted "a": scripted applies to all clusters: cluster must be NULL`,
		`scripted "b", feature agee: there is no such feature; did you mean age`,
		`scripted "c", feature AGE: scripted has no use for lo, which is 1: it must be NULL`,
		`scripted "d": it likes no row`,
	}
	must.Equal(t, want, f.Details)
}

func TestAKindGetsFeaturesAsColumnsAreSpelledAndNothingElseOfThem(t *testing.T) {
	asked := recorder{rows: new([]framework.ConstraintRow), columns: new([]framework.Column)}
	columns := people()
	columns[0].Mean, columns[0].Missing = 3, 2
	rows := []framework.ConstraintRow{{Kind: "recorder", Feature: new("AGE")}, {Kind: "recorder"}}
	must.Get(declare.Rows(rows, framework.Problem{K: 1, Columns: columns}, asked))(t)
	must.Equal(t, []framework.ConstraintRow{{Kind: "recorder"}, {Kind: "recorder", Feature: new("age")}}, *asked.rows)
	want := []framework.Column{{Name: "age", Location: 40, Scale: 10}, {Name: "income", Group: 1, Location: 3, Scale: 0.5},
		{Name: "visits", Group: 2, Location: -1, Scale: 4}}
	must.Equal(t, want, *asked.columns)
}

// recorder is a kind that remembers what it was asked for.
type recorder struct {
	scripted
	rows    *[]framework.ConstraintRow
	columns *[]framework.Column
}

func (recorder) Describe() framework.SetDescription {
	return framework.SetDescription{Kind: "recorder", Uses: []string{"feature"}}
}

func (r recorder) Make(rows []framework.ConstraintRow, _ int, columns []framework.Column) (framework.Set, error) {
	*r.rows, *r.columns = rows, columns
	return r.scripted, nil
}

func TestAKindThatFailsForAnotherReasonEndsWithThatError(t *testing.T) {
	crash := framework.Faultf(framework.Plugin, "plugin-crashed", "it is gone")
	_, err := declare.Rows([]framework.ConstraintRow{{Kind: "scripted"}, {Kind: "box"}}, framework.Problem{K: 1, Columns: raw()},
		scripted{makes: crash})
	if !errors.Is(err, crash) || framework.AsFault(err).Class != framework.Plugin {
		t.Errorf("got %v", err)
	}
}

func TestAKindThatMakesNothingIsAFaultOfThePlugin(t *testing.T) {
	_, err := declare.Rows([]framework.ConstraintRow{{Kind: "nothing"}}, framework.Problem{K: 1, Columns: raw()}, taken("nothing"))
	if f := framework.AsFault(err); f == nil || f.Class != framework.Plugin || f.Code != "set-broken" {
		t.Errorf("got %v", err)
	}
}

func TestTwoKindsOfOneNameAreRefused(t *testing.T) {
	for name, kinds := range map[string][]framework.SetKind{
		"twice":                     {scripted{}, scripted{}},
		"a built-in kind":           {taken("box")},
		"a kind of feature weights": {taken("l1_bound")},
	} {
		_, err := declare.Rows([]framework.ConstraintRow{{Kind: "nonnegative"}}, framework.Problem{K: 1, Columns: raw()}, kinds...)
		if f := framework.AsFault(err); f == nil || f.Code != "kind-taken" {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if !declare.Taken("box") || !declare.Taken("l1_bound") || declare.Taken("scripted") {
		t.Error("TakenKind knows other kinds")
	}
}

// taken is a kind of a given name.
type taken string

func (k taken) Describe() framework.SetDescription { return framework.SetDescription{Kind: string(k)} }
func (taken) Make([]framework.ConstraintRow, int, []framework.Column) (framework.Set, error) {
	return nil, nil
}
