package plugin

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// huge is a size of which nobody may make a list.
const huge = 1 << 40

func TestAPluginIsNotTakenAtItsWord(t *testing.T) {
	s := shape{2, 3}
	session := &Session{shape: s, rows: 4}
	values := func(n int) *pb.Vector { return &pb.Vector{Values: make([]float64, n)} }
	model := func(w *pb.Model) func() error {
		w.Centers = &pb.Matrix{Rows: 2, Cols: 3}
		return func() error { _, err := readModel(w, s); return err }
	}
	step := func(w *pb.UpdateResponse) func() error {
		return func() error { _, err := readStep(w, s); return err }
	}
	plan := func(w *pb.Plan) func() error {
		return func() error { _, err := readPlan(w); return err }
	}
	feature := func(w ...*pb.Feature) func() error {
		return func() error { _, err := readFeatures(w, s); return err }
	}
	arrives := func(event *pb.FitEvent) func() error {
		return func() error {
			return (&arriving{session: session, res: new(fit.Result), iterations: 1}).add(event, nil)
		}
	}
	cadence := []int32{0, 0}
	for name, try := range map[string]func() error{
		"selected of no features":      model(&pb.Model{Selected: &pb.Flags{Values: make([]bool, 12)}}),
		"weights of no features":       model(&pb.Model{Weights: values(2)}),
		"gains of no features":         model(&pb.Model{Gain: values(4)}),
		"a round before the first":     model(&pb.Model{Round: -1}),
		"a point of other centers":     step(&pb.UpdateResponse{Centers: &pb.Point{X: &pb.Matrix{Rows: 1, Cols: 3}}}),
		"a point of other weights":     step(&pb.UpdateResponse{FeatureWeights: &pb.Point{X: &pb.Matrix{Rows: 1, Cols: 2}}}),
		"masses of no clusters":        step(&pb.UpdateResponse{Mass: values(3)}),
		"sizes that overflow":          plan(&pb.Plan{Cadence: cadence, Stats: []*pb.Stat{{Len: math.MaxInt64}, {Len: math.MaxInt64}}}),
		"too many statistics":          plan(&pb.Plan{Cadence: cadence, Stats: make([]*pb.Stat, mostStats+1)}),
		"fewer than no passes":         plan(&pb.Plan{Cadence: cadence, Passes: -1}),
		"an unknown cadence":           plan(&pb.Plan{Cadence: []int32{0, 3}}),
		"a feature beyond all":         feature(&pb.Feature{Column: 3}),
		"a feature before the first":   feature(&pb.Feature{Column: -1}),
		"a feature of no cluster":      feature(&pb.Feature{Cluster: 2}),
		"more features than there are": feature(make([]*pb.Feature, 7)...),
		"too many iterations":          arrives(&pb.FitEvent{Iterations: make([]*pb.Iteration, 2)}),
		"too large a model":            arrives(&pb.FitEvent{Model: make([]byte, maxMessage+256*6+1)}),
		"too many rows":                arrives(&pb.FitEvent{Rows: &pb.FitRows{Labels: make([]int32, 5), Second: make([]int32, 5), Distance: ones(5), Margin: ones(5)}}),
		"a start that there was not": func() error {
			_, err := (&arriving{session: session, res: new(fit.Result)}).finish(&pb.FitEnd{Restart: -1})
			return err
		},
		"nothing described": func() error { return checkDescribed(new(pb.DescribeResponse)) },
		"too much described": func() error {
			return checkDescribed(&pb.DescribeResponse{Algorithms: []*pb.Description{{Summary: string(make([]byte, mostDescribed))}}})
		},
	} {
		t.Run(name, func(t *testing.T) { wantFault(t, try(), "plugin-nonsense") })
	}
	if f := readFault(&pb.Fault{Class: 77}); f.Class != framework.Plugin {
		t.Errorf("class %d", f.Class)
	}
}

func TestAHostIsNotTakenAtItsWord(t *testing.T) {
	s, err := newServer(Served{Algorithms: []framework.Algorithm{toy{"toy"}}, Sets: []framework.SetKind{floor{"floor"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]*pb.Problem{
		"huge k":              {K: huge, P: 1, Columns: []*pb.Column{{}}},
		"k below 0":           {K: -1, P: 1, Columns: []*pb.Column{{}}},
		"huge p":              {K: 1, P: huge},
		"huge n":              {K: 1, N: huge},
		"n below 0":           {K: 1, N: -1},
		"columns of no group": {K: 1, P: 1, Columns: []*pb.Column{{Group: 7}}, Groups: []*pb.Group{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := readProblem(p); err == nil {
				t.Error("it is accepted")
			}
		})
	}
	for _, k := range []int64{huge, -1, math.MaxInt64} {
		if _, err := s.OpenSet(t.Context(), &pb.OpenSetRequest{Kind: "floor", K: k, Columns: []*pb.Column{{}}}); err == nil {
			t.Errorf("a set of %d centers is accepted", k)
		}
	}
}

// FuzzAnswers reads what a plugin may answer; which says as what.
func FuzzAnswers(f *testing.F) {
	add := func(which int, m proto.Message) {
		text, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(which, text)
	}
	add(0, wireStep(framework.Step{Objective: 1, Mass: ones(2), At: [framework.Targets]*framework.Point{
		{X: framework.NewMatrix(2, 3), RowMass: ones(2)}, {X: framework.NewMatrix(1, 3)},
	}}))
	add(1, wirePlan(framework.Plan{Stats: []framework.Stat{{Name: "sum", Len: 6}}, Passes: 3,
		Cadence: [framework.Targets]framework.Cadence{framework.EveryUpdate, framework.WhenSettled}}))
	add(2, &pb.FeaturesResponse{Features: wireFeatures([]framework.Feature{{Column: 2, Cluster: -1, Selected: true, Gain: 1, Rank: 1}})})
	add(3, wireDescription(toy{"toy"}.Describe()))
	add(4, wireFault(framework.Faultf(framework.Data, "a", "b")))
	add(5, &pb.FitEvent{Iterations: []*pb.Iteration{{Restart: 1}}, Model: []byte{1}, Rows: &pb.FitRows{
		Labels: []int32{0, 1}, Second: []int32{1, -1}, Distance: ones(2), Margin: ones(2),
	}})
	f.Fuzz(func(t *testing.T, which int, text []byte) {
		s := shape{2, 3}
		same := func(a, b any) {
			if diff := cmp.Diff(a, b, bitwise, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		}
		read := func(w proto.Message) bool { return proto.Unmarshal(text, w) == nil }
		switch which {
		case 0:
			w := new(pb.UpdateResponse)
			if !read(w) {
				return
			}
			if step, err := readStep(w, s); err == nil {
				again, err := readStep(wireStep(step), s)
				same(step, again)
				same(err, nil)
			}
		case 1:
			w := new(pb.Plan)
			if !read(w) {
				return
			}
			if plan, err := readPlan(w); err == nil {
				framework.NewStats(plan.Stats) // at most a message of them
				again, _ := readPlan(wirePlan(plan))
				same(plan, again)
			}
		case 2:
			w := new(pb.FeaturesResponse)
			if !read(w) {
				return
			}
			if features, err := readFeatures(w.GetFeatures(), s); err == nil {
				again, _ := readFeatures(wireFeatures(features), s)
				same(features, again)
			}
		case 3:
			w := new(pb.Description)
			if !read(w) {
				return
			}
			if d := readDescription(w); d.Check() == nil {
				same(d, readDescription(wireDescription(d)))
			}
		case 4:
			w := new(pb.Fault)
			if read(w) {
				_ = readFault(w).Error()
			}
		case 5:
			w := new(pb.FitEvent)
			if !read(w) {
				return
			}
			got := &arriving{session: &Session{shape: s, rows: 4}, res: new(fit.Result), iterations: 10}
			for range 3 {
				if got.add(w, nil) != nil {
					return
				}
			}
			if res, err := got.finish(w.GetEnd()); err == nil && (len(res.Labels) != 4 || len(res.Margin) != 4) {
				t.Errorf("%+v", res)
			}
		}
	})
}

// FuzzRequests reads what a host may ask.
func FuzzRequests(f *testing.F) {
	add := func(p framework.Problem) {
		w, err := wireProblem(p)
		if err != nil {
			f.Fatal(err)
		}
		text, err := proto.Marshal(&pb.OpenRequest{Algorithm: "toy", Problem: w})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	columns := []framework.Column{{Name: "a", Scale: 1}, {Name: "b", Group: 1, Scale: 2}}
	add(framework.Problem{N: 3, P: 2, K: 2, Columns: columns, Params: framework.Params{"a": 1, "b": 0.5, "c": "x", "d": true}})
	add(framework.Problem{N: 3, P: 2, K: 2, Columns: columns, Groups: []framework.Group{{Name: "g"}, {Name: "h", Weight: 1}},
		Links: []framework.Link{{A: 0, B: 2, Weight: 1}}})
	f.Fuzz(func(t *testing.T, text []byte) {
		w := new(pb.OpenRequest)
		if proto.Unmarshal(text, w) != nil {
			return
		}
		p, err := readProblem(w.GetProblem())
		if err != nil {
			return
		}
		if p.Links, err = readLinks(w.GetProblem().GetLinks(), p.N); err != nil {
			return
		}
		p.GroupColumns()
		p.GroupWeights()
		if len(p.Columns) != p.P {
			t.Errorf("%d columns of %d", len(p.Columns), p.P)
		}
		if p.Centers != nil {
			return // rows of a set have a notation of their own
		}
		wire, err := wireProblem(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := readProblem(wire)
		if err != nil {
			t.Fatal(err)
		}
		again.Links = p.Links
		if diff := cmp.Diff(p, again, bitwise, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}
