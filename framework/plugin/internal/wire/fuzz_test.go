package wire

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// huge is a size of which nobody may make a list.
const huge = 1 << 40

func TestAPluginIsNotTakenAtItsWord(t *testing.T) {
	s := Shape{K: 2, P: 3}
	values := func(n int) *pb.Vector { return &pb.Vector{Values: make([]float64, n)} }
	model := func(w *pb.Model) func() error {
		w.Centers = &pb.Matrix{Rows: 2, Cols: 3}
		return func() error { _, err := ReadModel(w, s); return err }
	}
	step := func(w *pb.UpdateResponse) func() error {
		return func() error { _, err := ReadStep(w, s); return err }
	}
	plan := func(w *pb.Plan) func() error {
		return func() error { _, err := ReadPlan(w, Shape{}); return err }
	}
	feature := func(w ...*pb.Feature) func() error {
		return func() error { _, err := ReadFeatures(w, s); return err }
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
	} {
		t.Run(name, func(t *testing.T) { wantNonsense(t, try()) })
	}
	if f := ReadFault(&pb.Fault{Class: 77}); f.Class != framework.Plugin {
		t.Errorf("class %d", f.Class)
	}
}

func TestAHostIsNotTakenAtItsWord(t *testing.T) {
	for name, p := range map[string]*pb.Problem{
		"huge k":              {K: huge, P: 1, Columns: []*pb.Column{{}}},
		"k below 0":           {K: -1, P: 1, Columns: []*pb.Column{{}}},
		"huge p":              {K: 1, P: huge},
		"huge n":              {K: 1, N: huge},
		"n below 0":           {K: 1, N: -1},
		"columns of no group": {K: 1, P: 1, Columns: []*pb.Column{{Group: 7}}, Groups: []*pb.Group{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadProblem(p); err == nil {
				t.Error("it is accepted")
			}
		})
	}
}

// FuzzAnswers reads what a plugin may answer; which says as what.
func FuzzAnswers(f *testing.F) {
	add := func(which int, m proto.Message) {
		f.Add(which, must.Get(proto.Marshal(m))(f))
	}
	add(0, Step(framework.Step{Objective: 1, Mass: make([]float64, 2), At: [framework.Targets]*framework.Point{
		{X: framework.NewMatrix(2, 3), RowMass: make([]float64, 2)}, {X: framework.NewMatrix(1, 3)},
	}}))
	add(1, Plan(framework.Plan{Stats: []framework.Stat{{Name: "sum", Len: 6}}, Passes: 3,
		Cadence: [framework.Targets]framework.Cadence{framework.EveryUpdate, framework.WhenSettled}}))
	add(2, &pb.FeaturesResponse{Features: Features([]framework.Feature{{Column: 2, Cluster: -1, Selected: true, Gain: 1, Rank: 1}})})
	add(3, Description(framework.Description{
		Name: "toy", Version: "1", Summary: "k-means for tests", Paper: "none", Scale: "sd", Empty: framework.Reseed,
		Params: []framework.Param{
			{Name: "share", Type: framework.RealParam, Default: "0.5", Min: new(0.0), Max: new(1.0), Doc: "unused"},
		},
		ObjectiveTerms: []string{"a term", "−n log w"}, Path: "share", Looser: framework.Down, Center: "mean",
		Predict: map[string]string{"share": "1"},
	}))
	add(4, Fault(framework.Faultf(framework.Data, "a", "b")))
	f.Fuzz(func(t *testing.T, which int, text []byte) {
		s := Shape{K: 2, P: 3}
		same := func(a, b any) { must.Equal(t, a, b, clustertest.Bitwise, cmpopts.EquateEmpty()) }
		read := func(w proto.Message) bool { return proto.Unmarshal(text, w) == nil }
		switch which {
		case 0:
			w := new(pb.UpdateResponse)
			if !read(w) {
				return
			}
			if step, err := ReadStep(w, s); err == nil {
				again, err := ReadStep(Step(step), s)
				same(step, again)
				same(err, nil)
			}
		case 1:
			w := new(pb.Plan)
			if !read(w) {
				return
			}
			if plan, err := ReadPlan(w, Shape{}); err == nil {
				framework.NewStats(plan.Stats) // at most a message of them
				again, _ := ReadPlan(Plan(plan), Shape{})
				same(plan, again)
			}
		case 2:
			w := new(pb.FeaturesResponse)
			if !read(w) {
				return
			}
			if features, err := ReadFeatures(w.GetFeatures(), s); err == nil {
				again, _ := ReadFeatures(Features(features), s)
				same(features, again)
			}
		case 3:
			w := new(pb.Description)
			if !read(w) {
				return
			}
			if d := ReadDescription(w); d.Check() == nil {
				same(d, ReadDescription(Description(d)))
			}
		case 4:
			w := new(pb.Fault)
			if read(w) {
				_ = ReadFault(w).Error()
			}
		}
	})
}

// FuzzRequests reads what a host may ask.
func FuzzRequests(f *testing.F) {
	add := func(p framework.Problem) {
		w := must.Get(Problem(p))(f)
		f.Add(must.Get(proto.Marshal(&pb.OpenRequest{Algorithm: "toy", Problem: w}))(f))
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
		p, err := ReadProblem(w.GetProblem())
		if err != nil {
			return
		}
		if p.Links, err = ReadLinks(w.GetProblem().GetLinks(), p.N); err != nil {
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
		again := must.Get(ReadProblem(must.Get(Problem(p))(t)))(t)
		again.Links = p.Links
		must.Equal(t, p, again, clustertest.Bitwise, cmpopts.EquateEmpty())
	})
}
