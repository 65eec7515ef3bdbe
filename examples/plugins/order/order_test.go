package main

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// TestMain is also the main function of the plugin: a test starts this executable.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestLawsOfTheProcess leaves the laws of sets to TestLaws; sqlcluster plugin verify
// also checks them through the process.
func TestLawsOfTheProcess(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	conformance.RunPlugin(t, host.Program{Name: "order", Path: path, Args: []string{"serve"}},
		conformance.Options{Laws: []string{"process"}})
}

func TestLaws(t *testing.T) {
	conformance.RunKind(t, Unimodal{})
}

func TestLawsOfSetsOfAnyShape(t *testing.T) {
	conformance.RunSetTarget(t, conformance.SetTarget{Name: "unimodal", New: func(r *rand.Rand, rows, cols int) framework.Set {
		columns := make([]framework.Column, cols)
		var in []framework.ConstraintRow
		places := r.Perm(cols)
		for l := range columns {
			columns[l] = framework.Column{Name: string(rune('a' + l)), Scale: []float64{0.5, 1, 3}[r.IntN(3)]}
			in = append(in, framework.ConstraintRow{Kind: "unimodal", Feature: &columns[l].Name, Value: new(float64(places[l]))})
		}
		if cols > 0 {
			in[0].Hi = new(float64(r.IntN(cols)))
		}
		s, err := Unimodal{}.Make(in, rows, columns)
		if err != nil {
			panic(err)
		}
		return s
	}}, conformance.Options{Profile: conformance.Full})
}

// drawn is a set of one center, and its features in their order.
type drawn struct {
	set     framework.Set
	columns []framework.Column
	order   []int // columns
	peak    int   // of order
}

func drawOrder(t *rapid.T) drawn {
	p := rapid.IntRange(1, 6).Draw(t, "p")
	d := drawn{columns: make([]framework.Column, p+1)} // the last one is free
	for l := range d.columns {
		d.columns[l] = framework.Column{
			Name: string(rune('a' + l)), Location: float64(rapid.IntRange(-3, 3).Draw(t, "location")),
			Scale: rapid.SampledFrom([]float64{0.5, 1, 2}).Draw(t, "scale"),
		}
		d.order = append(d.order, l)
	}
	d.order = rapid.Permutation(d.order[:p]).Draw(t, "order")
	d.peak = rapid.IntRange(0, p-1).Draw(t, "peak")
	var rows []framework.ConstraintRow
	for place, l := range d.order {
		rows = append(rows, framework.ConstraintRow{Kind: "unimodal",
			Feature: &d.columns[l].Name, Value: new(float64(10 * place)), Hi: new(float64(10 * d.peak))})
	}
	var err error
	if d.set, err = (Unimodal{}).Make(rapid.Permutation(rows).Draw(t, "rows"), 1, d.columns); err != nil {
		t.Fatal(err)
	}
	return d
}

// original returns the values of the order, in original units.
func (d drawn) original(y []float64) []float64 {
	var v []float64
	for _, l := range d.order {
		v = append(v, d.columns[l].Location+y[l]*d.columns[l].Scale)
	}
	return v
}

// falls returns the largest step down before the peak, or up after it.
func (d drawn) falls(v []float64) (worst float64) {
	for i := 1; i < len(v); i++ {
		if i <= d.peak {
			worst = max(worst, v[i-1]-v[i])
		} else {
			worst = max(worst, v[i]-v[i-1])
		}
	}
	return worst
}

// bySearch returns the least Σ w (z − v)² of all z that keep the order. It tries all
// ways to make neighbours equal, and takes the best whose means keep the order.
func (d drawn) bySearch(v, w []float64) float64 {
	best := math.Inf(1)
	for tied := range 1 << (len(v) - 1) {
		z, cost := make([]float64, len(v)), 0.0
		for from := 0; from < len(v); {
			to := from + 1
			for to < len(v) && tied>>(to-1)&1 == 1 {
				to++
			}
			var sum, mass float64
			for i := from; i < to; i++ {
				sum, mass = sum+w[i]*v[i], mass+w[i]
			}
			for i := from; i < to; i++ {
				z[i] = sum / mass
				cost += w[i] * (z[i] - v[i]) * (z[i] - v[i])
			}
			from = to
		}
		if d.falls(z) <= 1e-12 && cost < best {
			best = cost
		}
	}
	return best
}

func TestTheProjectionIsTheBestOfAllChoicesOfEqualNeighbours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawOrder(t)
		p := len(d.columns)
		at := framework.Point{X: framework.NewMatrix(1, p), RowMass: []float64{2.5}, ColMass: make([]float64, p)}
		for l := range p {
			at.X.Data[l] = rapid.Float64Range(-4, 4).Draw(t, "x")
			at.ColMass[l] = rapid.SampledFrom([]float64{0.25, 1, 3}).Draw(t, "mass")
		}
		y := framework.NewMatrix(1, p)
		if err := d.set.Project(y, at); err != nil {
			t.Fatal(err)
		}
		v, z := d.original(at.X.Data), d.original(y.Data)
		if by := d.falls(z); by > 1e-12 {
			t.Fatalf("%v is projected to %v, which is out of order by %g", v, z, by)
		}
		w, cost := make([]float64, len(v)), 0.0
		for i, l := range d.order {
			w[i] = at.ColMass[l] / (d.columns[l].Scale * d.columns[l].Scale)
			cost += w[i] * (z[i] - v[i]) * (z[i] - v[i])
		}
		if best := d.bySearch(v, w); math.Abs(cost-best) > 1e-10*(1+best) {
			t.Errorf("%v with masses %v is projected to %v, at a cost of %g; the best costs %g", v, w, z, cost, best)
		}
		if y.Data[p-1] != at.X.Data[p-1] {
			t.Errorf("a free feature has moved from %g to %g", at.X.Data[p-1], y.Data[p-1])
		}
	})
}

func TestViolationIsTheDistanceFromTheSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawOrder(t)
		x := framework.NewMatrix(1, len(d.columns))
		for l := range x.Data {
			x.Data[l] = rapid.Float64Range(-4, 4).Draw(t, "x")
		}
		v, w := d.original(x.Data), make([]float64, len(d.order))
		for i, l := range d.order {
			w[i] = 1 / (d.columns[l].Scale * d.columns[l].Scale)
		}
		if got, want := d.set.Violation(x), math.Sqrt(d.bySearch(v, w)); math.Abs(got-want) > 1e-6 { // the root of the rounding error
			t.Errorf("%v: violation %g, distance %g", v, got, want)
		}
	})
}

func TestAPeakByHand(t *testing.T) {
	// By hand: 1 3 2 | 4 | 9 5 with the peak at 4. The left side pools 3 and 2 to 2.5.
	// The right side needs no pooling, since 5 is below 9. But 9 is above the peak, so
	// 4 and 9 become 6.5.
	columns := append(framework.ExampleColumns(), framework.Column{Name: "f6", Scale: 1})
	var rows []framework.ConstraintRow
	for l := range columns {
		rows = append(rows, framework.ConstraintRow{Kind: "unimodal",
			Cluster: new(1), Feature: &columns[l].Name, Value: new(float64(l)), Hi: new(3.0)})
	}
	s, err := Unimodal{}.Make(rows, 2, columns)
	if err != nil {
		t.Fatal(err)
	}
	x := framework.Matrix{Rows: 2, Cols: 6, Data: []float64{1, 3, 2, 4, 9, 5, 1, 3, 2, 4, 9, 5}}
	y := framework.NewMatrix(2, 6)
	if err := s.Project(y, framework.Point{X: x}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{1, 3, 2, 4, 9, 5, 1, 2.5, 2.5, 6.5, 6.5, 5}, y.Data); diff != "" {
		t.Error(diff)
	}
}

func TestItIsCombinedWithLimits(t *testing.T) {
	d := Unimodal{}.Describe()
	set, err := declare.Rows(append(d.Example, framework.ConstraintRow{Kind: "box", Hi: new(1.0)}),
		framework.Problem{K: framework.ExampleClusters, Columns: framework.ExampleColumns()}, Unimodal{})
	if err != nil {
		t.Fatal(err)
	}
	x, y := framework.NewMatrix(3, 5), framework.NewMatrix(3, 5)
	copy(x.Data, []float64{2, -1, 0.5, 9, 0})
	if err := set.Project(y, framework.Point{X: x}); err != nil {
		t.Fatal(err)
	}
	// By hand: f2 ≤ f5 ≤ f1 ≥ f3 holds for −1, 0, 2, 0.5 already; the limit is 1.
	for l, want := range []float64{1, -1, 0.5, 1, 0} {
		if math.Abs(y.Data[l]-want) > 1e-9 {
			t.Errorf("got %v", y.Row(0))
		}
	}
}

func TestRowsThatMakeNoOrderAreRefused(t *testing.T) {
	row := func(feature string, place float64, peak *float64) framework.ConstraintRow {
		return framework.ConstraintRow{Kind: "unimodal", Feature: &feature, Value: &place, Hi: peak}
	}
	for says, rows := range map[string][]framework.ConstraintRow{
		"each row needs a feature, and its place in the order as value": {{Kind: "unimodal", Feature: new("f1")}},
		"feature f1 has two places":                                     {row("f1", 1, new(1.0)), row("f1", 2, nil)},
		"two features have the place 1":                                 {row("f1", 1, new(1.0)), row("f2", 1, nil)},
		"hi, the place of the peak, is 1 in one row and 2 in another":   {row("f1", 1, new(1.0)), row("f2", 2, new(2.0))},
		"hi is NULL in all rows: which place is the peak?":              {row("f1", 1, nil), row("f2", 2, nil)},
		"hi, the place of the peak, is 1.5, where there is no feature":  {row("f1", 1, new(1.5)), row("f2", 2, nil)},
	} {
		_, err := Unimodal{}.Make(rows, 2, framework.ExampleColumns())
		if f := framework.AsFault(err); f == nil || f.Class != framework.Data || f.Summary != says {
			t.Errorf("got %v; want %q", err, says)
		}
	}
}
