package host

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// floor is a kind of sets for tests: all centers are at least value, in original
// units. The name of a set is what goes wrong with it.
type floor struct{ kind string }

func (f floor) Describe() framework.SetDescription {
	return framework.SetDescription{
		Kind: f.kind, Version: "2", Summary: "a lower limit", Source: "by hand", Uses: []string{"cluster", "feature", "value"},
		Example: []framework.ConstraintRow{
			{Kind: f.kind, Name: "low", Value: new(-0.5)},
			{Kind: f.kind, Name: "low", Cluster: new(2), Feature: new("f5"), Value: new(0.25)},
		},
	}
}

func (f floor) Make(rows []framework.ConstraintRow, k int, columns []framework.Column) (framework.Set, error) {
	s := floorSet{framework.NewMatrix(k, len(columns)), rows[0].Name}
	for i := range s.lo.Data {
		s.lo.Data[i] = math.Inf(-1)
	}
	for _, r := range rows {
		if r.Value == nil {
			return nil, framework.Faultf(framework.Data, "no-floor", "value is NULL: how high is it?").WithHint("give one")
		}
		for i := range s.lo.Data {
			c := columns[i%len(columns)]
			if (r.Cluster == nil || *r.Cluster == i/len(columns)) && (r.Feature == nil || *r.Feature == c.Name) {
				s.lo.Data[i] = (*r.Value - c.Location) / c.Scale
			}
		}
	}
	return s, nil
}

type floorSet struct {
	lo      framework.Matrix
	trouble string
}

func (s floorSet) Properties() framework.Properties {
	return framework.Properties{Kind: "floor", Convex: true, RowWise: true, Separable: true, Maximize: s.trouble == "maximize"}
}

func (s floorSet) Project(dst framework.Matrix, at framework.Point) error {
	switch s.trouble {
	case "panic":
		panic("the floor gives way")
	case "exit":
		fmt.Fprintln(os.Stderr, "the licence has expired")
		os.Exit(3)
	case "deaf":
		forever()
	case "error":
		return errors.New("no idea")
	}
	for i, x := range at.X.Data {
		dst.Data[i] = max(x, s.lo.Data[i])
		if at.Gain != nil { // so that a test sees that they arrive
			dst.Data[i] += at.Gain[i]
		}
		if at.RowMass != nil {
			dst.Data[i] += at.RowMass[i/dst.Cols] * at.ColMass[i%dst.Cols]
		}
	}
	if s.trouble == "not finite" {
		dst.Data[1] = math.Inf(1)
	}
	return nil
}

func (s floorSet) Violation(y framework.Matrix) (worst float64) {
	if s.trouble == "deaf" {
		forever()
	}
	for i, v := range y.Data {
		worst = max(worst, s.lo.Data[i]-v)
	}
	return worst
}

func (floorSet) Penalty(y framework.Matrix) float64 { return 3 * y.Data[0] }

// openFloor opens a set of 2×2 centers in the process, and makes the same one here.
func openFloor(t *testing.T, p *Process, trouble string) (*Set, framework.Set) {
	t.Helper()
	rows := []framework.ConstraintRow{
		{Kind: "floor", Name: trouble, Value: new(1.0)},
		{Kind: "floor", Name: trouble, Cluster: new(1), Feature: new("b"), Value: new(0.1)},
	}
	columns := []framework.Column{{Name: "a", Location: 0.3, Scale: 0.7}, {Name: "b", Location: -1, Scale: 3}}
	remote := must.Get(p.OpenSet(t.Context(), "floor", rows, 2, columns))(t)
	local := must.Get(floor{"floor"}.Make(rows, 2, columns))(t)
	return remote, local
}

func TestKindsOfSetsAreDescribedAsTheyAre(t *testing.T) {
	p := launch(t, "both", Options{})
	got := must.Get(p.DescribeSets(t.Context()))(t)
	must.Equal(t, []framework.SetDescription{floor{"floor"}.Describe()}, got)
	if algorithms, err := p.Describe(t.Context()); err != nil || len(algorithms) != len(toys) {
		t.Errorf("%d algorithms, %v", len(algorithms), err)
	}
}

func TestPluginMayServeSetsAloneOrAlgorithmsAlone(t *testing.T) {
	for role, want := range map[string][2]int{"sets": {0, 2}, "plugin": {len(toys), 0}} {
		t.Run(role, func(t *testing.T) {
			p := launch(t, role, Options{})
			algorithms, err := p.Describe(t.Context())
			sets, setErr := p.DescribeSets(t.Context())
			if err != nil || setErr != nil || len(algorithms) != want[0] || len(sets) != want[1] {
				t.Errorf("%d algorithms and %d kinds of sets, %v, %v", len(algorithms), len(sets), err, setErr)
			}
		})
	}
}

func TestSetInAProcessIsTheSameBitForBit(t *testing.T) {
	p := launch(t, "sets", Options{})
	remote, local := openFloor(t, p, "")
	must.Equal(t, local.Properties(), remote.Properties())
	x := framework.Matrix{Rows: 2, Cols: 2, Data: []float64{0.1, -7.3, math.Copysign(0, -1), 5e-324}}
	for name, at := range map[string]framework.Point{
		"a point":     {X: x},
		"with masses": {X: x, RowMass: []float64{0, 3.1}, ColMass: []float64{0.7, 2}},
		"with gains":  {X: x, Gain: []float64{0.1, 0, 1e-300, 4}},
		"zeros":       {X: framework.NewMatrix(2, 2)},
	} {
		want, got := framework.NewMatrix(2, 2), framework.NewMatrix(2, 2)
		must.Do(t, local.Project(want, at))
		if err := remote.Project(got, at); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got, clustertest.Bitwise); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		here, there := [2]float64{local.Violation(at.X), local.Penalty(at.X)}, [2]float64{remote.Violation(at.X), remote.Penalty(at.X)}
		if here != there {
			t.Errorf("%s: violation and penalty are %v, and in the process %v", name, here, there)
		}
	}
	if remote.Err() != nil {
		t.Error(remote.Err())
	}
}

func TestSetOfAProcessIsDeclaredByRows(t *testing.T) {
	p := launch(t, "sets", Options{})
	served := must.Get(p.DescribeSets(t.Context()))(t)
	columns := []framework.Column{{Name: "a", Location: 1, Scale: 2}}
	rows := []framework.ConstraintRow{{Kind: "floor", Value: new(4.0)}, {Kind: "box", Hi: new(9.0)}}
	problem := framework.Problem{K: 3, Columns: columns}
	d := must.Get(declare.Rows(rows, problem, p.Kind(t.Context(), served[0]), p.Kind(t.Context(), served[1])))(t)
	y := framework.NewMatrix(3, 1)
	must.Do(t, d.Project(y, framework.Point{X: framework.Matrix{Rows: 3, Cols: 1, Data: []float64{-5, 2, 17}}}))
	must.Equal(t, []float64{1.5, 2, 4}, y.Data) // (4 − 1)/2 and (9 − 1)/2, by hand
	if _, err := wire.Problem(framework.Problem{P: 1, K: 3, Columns: columns, Centers: d}); codeOf(err) != "bad-set" {
		t.Errorf("rows that mean nothing to another plugin are sent to it: %v", err)
	}
	_, err := declare.Rows([]framework.ConstraintRow{{Kind: "floor"}}, problem, p.Kind(t.Context(), served[0]))
	if f := framework.AsFault(err); f == nil || !strings.Contains(f.Summary, "floor: value is NULL: how high is it?") {
		t.Errorf("got %v", err)
	}
}

func TestSetsKnowNothingOfEachOther(t *testing.T) {
	p := launch(t, "sets", Options{})
	columns := []framework.Column{{Name: "a", Scale: 1}}
	var sets []*Set
	for i := range 3 {
		s := must.Get(p.OpenSet(t.Context(), "floor", []framework.ConstraintRow{{Kind: "floor", Value: new(float64(i))}}, 1, columns))(t)
		sets = append(sets, s)
	}
	must.Do(t, sets[1].Close())
	for i, s := range sets {
		y := framework.NewMatrix(1, 1)
		err := s.Project(y, framework.Point{X: framework.Matrix{Rows: 1, Cols: 1, Data: []float64{-9}}})
		switch {
		case i == 1:
			if codeOf(err) != "plugin-closed" {
				t.Errorf("a closed set: %v", err)
			}
		case err != nil || y.Data[0] != float64(i):
			t.Errorf("set %d: %v, %v", i, y.Data, err)
		}
	}
	if v := sets[1].Violation(framework.NewMatrix(1, 1)); !math.IsInf(v, 1) || sets[1].Err() == nil {
		t.Errorf("the violation of a closed set is %g, error %v", v, sets[1].Err())
	}
	_, err := p.OpenSet(t.Context(), "flor", nil, 1, columns)
	if f := framework.AsFault(err); f == nil || f.Code != "kind-not-found" || f.Similar != "floor" {
		t.Errorf("an unknown kind: %v", err)
	}
}

func TestTroubleInASetIsAFaultOfThePlugin(t *testing.T) {
	for trouble, c := range map[string]struct{ code, says string }{
		"panic":      {"plugin-panic", "the floor gives way"},
		"exit":       {"plugin-crashed", "the licence has expired"},
		"deaf":       {"plugin-hung", "took longer than"},
		"not finite": {"plugin-nonsense", "+Inf"},
	} {
		t.Run(trouble, func(t *testing.T) {
			o := Options{}
			if trouble == "deaf" {
				o.StepTimeout = 300e6 // ns: nothing else is called
			}
			s, _ := openFloor(t, launch(t, "sets", o), trouble)
			f := wantFault(t, s.Project(framework.NewMatrix(2, 2), framework.Point{X: framework.NewMatrix(2, 2)}), c.code)
			if all := f.Summary + strings.Join(f.Details, "\n"); !strings.Contains(all, c.says) {
				t.Errorf("it says %q; want %q", all, c.says)
			}
		})
	}
	t.Run("error", func(t *testing.T) {
		s, _ := openFloor(t, launch(t, "sets", Options{}), "error")
		err := s.Project(framework.NewMatrix(2, 2), framework.Point{X: framework.NewMatrix(2, 2)})
		if f := framework.AsFault(err); f == nil || f.Class != framework.Plugin || f.Code != "plugin-error" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("maximize", func(t *testing.T) {
		rows := []framework.ConstraintRow{{Name: "maximize", Value: new(1.0)}}
		_, err := launch(t, "sets", Options{}).OpenSet(t.Context(), "floor", rows, 1, []framework.Column{{Scale: 1}})
		wantFault(t, err, "plugin-nonsense")
	})
	t.Run("hung in Violation", func(t *testing.T) {
		s, _ := openFloor(t, launch(t, "sets", Options{StepTimeout: 300e6}), "deaf")
		if v := s.Violation(framework.NewMatrix(2, 2)); !math.IsInf(v, 1) {
			t.Errorf("violation %g", v)
		}
		wantFault(t, s.Err(), "plugin-hung")
	})
}

// The call that is late first ends the process, and so the calls beside it.
func TestCallsBesideALateOneAreToldThatItWasLate(t *testing.T) {
	s, _ := openFloor(t, launch(t, "sets", Options{StepTimeout: 200e6}), "deaf")
	errs := make(chan error)
	for range 64 {
		go func() {
			errs <- s.Project(framework.NewMatrix(2, 2), framework.Point{X: framework.NewMatrix(2, 2)})
		}()
	}
	for range 64 {
		wantFault(t, <-errs, "plugin-hung")
	}
}

func TestSetCallEndsWithTheContextThatTheSetWasOpenedWith(t *testing.T) {
	p := launch(t, "sets", Options{})
	ctx, cancel := context.WithCancel(t.Context())
	rows := []framework.ConstraintRow{{Name: "deaf", Value: new(1.0)}}
	s := must.Get(p.OpenSet(ctx, "floor", rows, 1, []framework.Column{{Name: "a", Scale: 1}}))(t)
	ended := make(chan error, 1)
	go func() {
		ended <- s.Project(framework.NewMatrix(1, 1), framework.Point{X: framework.NewMatrix(1, 1)})
	}()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPointsThatAreNotFiniteAreNotSent(t *testing.T) {
	s, _ := openFloor(t, launch(t, "sets", Options{}), "exit") // a call would end it
	for _, at := range []framework.Point{
		{X: framework.Matrix{Rows: 2, Cols: 2, Data: []float64{0, math.NaN(), 0, 0}}},
		{X: framework.NewMatrix(2, 2), RowMass: []float64{1, -1}},
		{X: framework.NewMatrix(2, 2), ColMass: []float64{1, math.Inf(1)}},
	} {
		if f := framework.AsFault(s.Project(framework.NewMatrix(2, 2), at)); f == nil || f.Code != "bad-point" {
			t.Errorf("%v: %v", at, f)
		}
	}
}

// strange is a plugin that answers what it likes.
type strange struct {
	pb.PluginClient
	open    *pb.OpenSetResponse
	project *pb.ProjectSetResponse
}

func (s strange) OpenSet(context.Context, *pb.OpenSetRequest, ...grpc.CallOption) (*pb.OpenSetResponse, error) {
	if s.open == nil {
		return nil, status.Error(codes.Unimplemented, "unknown method OpenSet")
	}
	return s.open, nil
}

func (s strange) ProjectSet(context.Context, *pb.ProjectSetRequest, ...grpc.CallOption) (*pb.ProjectSetResponse, error) {
	return s.project, nil
}

func TestAnswersThatCannotBeAreNonsense(t *testing.T) {
	with := func(s strange) *Process { return &Process{name: "strange", calls: s, life: t.Context()} }
	columns := []framework.Column{{Name: "a", Scale: 1}, {Name: "b", Scale: 1}}
	_, err := with(strange{}).OpenSet(t.Context(), "old", nil, 1, columns) // built before there were sets
	wantFault(t, err, "plugin-version")
	_, err = with(strange{open: &pb.OpenSetResponse{}}).OpenSet(t.Context(), "nameless", nil, 1, columns)
	wantFault(t, err, "plugin-nonsense")
	for name, y := range map[string]*pb.Matrix{
		"nothing":          nil,
		"too few values":   {Rows: 1, Cols: 2, Values: []float64{1}},
		"another shape":    {Rows: 1, Cols: 1, Values: []float64{1}},
		"a column more":    {Rows: 1, Cols: 3, Values: []float64{1, 2, 3}},
		"not a number":     {Rows: 1, Cols: 2, Values: []float64{1, math.NaN()}},
		"a negative shape": {Rows: -1, Cols: -2, Values: []float64{1, 2}},
	} {
		answers := strange{open: &pb.OpenSetResponse{Set: "1"}, project: &pb.ProjectSetResponse{Y: y}}
		s := must.Get(with(answers).OpenSet(t.Context(), "strange", nil, 1, columns))(t)
		if err := s.Project(framework.NewMatrix(1, 2), framework.Point{X: framework.NewMatrix(1, 2)}); codeOf(err) != "plugin-nonsense" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
