package enginetest

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// Tolerance is that of centers. They are means of sums. Cells differ by what recipes do, 1e-12 and less;
// the sums are exact there and in two parts here. An iteration carries a difference of the
// centers on only through labels, which are the same; so 1e-9 of the unit is never reached,
// unless a row moves that is equally near to two centers but for rounding.
const Tolerance = 1e-9

// Near reports whether two numbers differ by less than rounding may make of sums: see
// its callers for the tolerance.
func Near(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}

// Features compares recipes: locations and scales come from the same sums but for
// rounding, of which there are few here, as sums are exact.
func Features(t *testing.T, want, got []matrix.Feature) {
	t.Helper()
	const tolerance = 1e-12
	if len(got) != len(want) {
		t.Fatalf("%d features, want %d", len(got), len(want))
	}
	for l, w := range want {
		g := got[l]
		if !Near(g.Location, w.Location, tolerance) || !Near(g.Scale, w.Scale, tolerance) || !Near(g.Share, w.Share, tolerance) {
			t.Errorf("feature %q: %+v, want %+v", w.Name, g, w)
		}
		g.Location, g.Scale, g.Share, g.Group = w.Location, w.Scale, w.Share, w.Group
		must.Equal(t, w, g)
	}
}

// Columns compares descriptions of fitted columns, whose units are standard
// deviations, but for raw ones.
func Columns(t *testing.T, want, got []framework.Column) {
	t.Helper()
	for l, w := range want {
		g, sd := got[l], math.Sqrt(w.SumSq/math.Max(w.Mass, 1))
		unit := sd + math.Abs(w.Mean)
		if math.Abs(g.Mean-w.Mean) > 1e-12*unit || math.Abs(g.Min-w.Min) > 1e-12*(unit+math.Abs(w.Min)) ||
			math.Abs(g.Max-w.Max) > 1e-12*(unit+math.Abs(w.Max)) || !Near(g.SumSq, w.SumSq, 1e-12) || g.Missing != w.Missing ||
			!Near(g.Mass, w.Mass, 1e-12) || g.Constant() != w.Constant() {
			t.Errorf("column %q: %+v, want %+v", w.Name, g, w)
		}
	}
}

// Results compares fits: iterations and selections are equal, centers and weights near.
func Results(t *testing.T, c Case, want, got *fit.Result) {
	t.Helper()
	if got.Stop != want.Stop || got.Iterations != want.Iterations || !Near(got.Objective, want.Objective, Tolerance) {
		t.Errorf("%s after %d, %v; want %s after %d, %v", got.Stop, got.Iterations, got.Objective, want.Stop, want.Iterations, want.Objective)
	}
	must.Equal(t, want.Model.Selected, got.Model.Selected)
	p := want.Model.Centers.Cols
	for i, v := range want.Model.Centers.Data {
		if !Near(got.Model.Centers.Data[i], v, Tolerance) {
			t.Errorf("center %d, feature %d is %v, want %v", i/p, i%p, got.Model.Centers.Data[i], v)
		}
	}
	for l, v := range want.Model.FeatureWeights {
		if !Near(got.Model.FeatureWeights[l], v, Tolerance) {
			t.Errorf("weight %d is %v, want %v", l, got.Model.FeatureWeights[l], v)
		}
	}
	for i, it := range want.Trace {
		if i >= len(got.Trace) {
			break // their number is compared, too
		}
		same := Near(got.Trace[i].Objective, it.Objective, max(Tolerance, c.Slack))
		if got.Trace[i].Moved != it.Moved && !c.Tied || !same {
			t.Errorf("iteration %+v, want %+v", got.Trace[i], it)
		}
	}
}

// assignment compares a row of assignments with what was predicted, but for rows that are equally near
// to two centers but for rounding.
func assignment(t *testing.T, row []any, want *fit.Prediction, i int) {
	t.Helper()
	number := func(v any) float64 {
		if v == nil {
			return math.Inf(1)
		}
		return v.(float64)
	}
	if !Near(number(row[2]), want.Distance[i], 1e-8) {
		t.Fatalf("row %v is %v away, want %v", row[0], row[2], want.Distance[i])
	}
	if want.Margin[i] < 1e-9 {
		return
	}
	if row[1] != int64(want.Labels[i]) {
		t.Fatalf("row %v has label %v, want %d (margin %v)", row[0], row[1], want.Labels[i], want.Margin[i])
	}
	if m := number(row[4]); m != want.Margin[i] && !Near(m, want.Margin[i], 1e-8) {
		t.Fatalf("row %v has margin %v, want %v", row[0], m, want.Margin[i])
	}
}
