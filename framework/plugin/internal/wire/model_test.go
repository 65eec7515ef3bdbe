package wire

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestModel_arrives_bit_for_bit(t *testing.T) {
	strange := []float64{math.NaN(), math.Float64frombits(0x7ff8000000000123), math.Copysign(0, -1), math.Inf(-1), 5e-324, 1}
	for name, m := range map[string]*framework.Model{
		"nothing but centers": {Centers: framework.NewMatrix(2, 3)},
		"zeros with signs":    {Centers: framework.Matrix{Rows: 2, Cols: 3, Data: []float64{0, 0, 0, math.Copysign(0, -1), 0, 0}}},
		"everything": {
			Centers: framework.Matrix{Rows: 2, Cols: 3, Data: strange}, FeatureWeights: strange[:3], Selected: []bool{true, false, true},
			Gain: []float64{}, Aux: map[string][]float64{"a": strange, "none": {}}, Round: 7,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := must.Get(ReadModel(arrived(t, Model(m)), Shape{K: 2, P: 3}))(t)
			must.Equal(t, m, got, clustertest.Bitwise)
		})
	}
}

func TestProblem_arrives_with_its_groups(t *testing.T) {
	for name, groups := range map[string][]framework.Group{
		"none": nil, "two": {{Name: "colour", Weight: math.NaN()}, {Name: "size", Weight: 0.1}},
	} {
		t.Run(name, func(t *testing.T) {
			want := framework.Problem{
				N: 5, P: 3, K: 2, Mass: 5.5, Weighted: true, Seed: math.MaxUint64, Params: framework.Params{"s": 1, "t": 0.5, "u": "x", "v": true},
				Groups: groups, Columns: []framework.Column{{Name: "colour=red"}, {Name: "width", Group: 1, Scale: 2}, {Name: "colour=blue", Min: -1}},
			}
			got := must.Get(ReadProblem(arrived(t, must.Get(Problem(want))(t))))(t)
			must.Equal(t, want, got, clustertest.Bitwise)
		})
	}
}

func TestShapes_that_cannot_be_are_nonsense(t *testing.T) {
	s := Shape{K: 2, P: 3}
	values := []float64{1, 2, 3}
	for name, try := range map[string]func() error{
		"no model":          func() error { _, err := ReadModel(nil, s); return err },
		"too few centers":   func() error { _, err := ReadModel(&pb.Model{Centers: &pb.Matrix{Rows: 1, Cols: 3}}, s); return err },
		"a huge matrix":     func() error { _, err := ReadMatrix(&pb.Matrix{Rows: 1 << 40, Cols: 1 << 40}, s); return err },
		"a negative matrix": func() error { _, err := ReadMatrix(&pb.Matrix{Rows: -1, Cols: -3, Values: values}, s); return err },
		"missing values":    func() error { _, err := ReadMatrix(&pb.Matrix{Rows: 2, Cols: 3, Values: values}, s); return err },
		"a point's masses": func() error {
			_, err := ReadPoint(&pb.Point{X: &pb.Matrix{Rows: 2, Cols: 3}, RowMass: &pb.Vector{Values: values}}, s)
			return err
		},
		"another statistic": func() error { return ReadStats(framework.Stats{{0}}, &pb.Stats{Vectors: []*pb.Vector{{}, {}}}) },
		"a longer statistic": func() error {
			return ReadStats(framework.Stats{{0}}, &pb.Stats{Vectors: []*pb.Vector{{Values: values}}})
		},
		"negative lengths": func() error { _, err := ReadPlan(&pb.Plan{Stats: []*pb.Stat{{Len: -1}}}, Shape{}); return err },
		"too many numbers": func() error {
			_, err := ReadPlan(&pb.Plan{Stats: []*pb.Stat{{Len: MaxMessage/8 + 1}}, Cadence: make([]int32, framework.Targets)}, Shape{K: 3, P: 4})
			return err
		},
		"no cadence": func() error { _, err := ReadPlan(&pb.Plan{}, Shape{}); return err },
	} {
		t.Run(name, func(t *testing.T) { wantNonsense(t, try()) })
	}
}

func FuzzModel(f *testing.F) {
	first := &framework.Model{Centers: framework.NewMatrix(2, 3), FeatureWeights: make([]float64, 3), Selected: []bool{true, false, true}}
	f.Add(must.Get(proto.Marshal(Model(first)))(f))
	f.Fuzz(func(t *testing.T, text []byte) {
		w := new(pb.Model)
		if proto.Unmarshal(text, w) != nil {
			return
		}
		m, err := ReadModel(w, Shape{K: 2, P: 3})
		if err != nil {
			return
		}
		if len(m.Centers.Data) != 6 { // 2 × 3
			t.Errorf("%d centers", len(m.Centers.Data))
		}
		again, err := ReadModel(Model(m), Shape{K: 2, P: 3})
		if diff := cmp.Diff(m, again, clustertest.Bitwise); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	})
}

func FuzzSetDescription(f *testing.F) {
	f.Add(must.Get(proto.Marshal(SetDescription(framework.SetDescription{
		Kind: "floor", Version: "2", Summary: "a lower limit", Source: "by hand", Uses: []string{"cluster", "feature", "value"},
		Example: []framework.ConstraintRow{{Kind: "floor", Name: "low", Cluster: new(2), Feature: new("f5"), Value: new(0.25)}},
	})))(f))
	f.Fuzz(func(t *testing.T, text []byte) {
		w := new(pb.SetDescription)
		if proto.Unmarshal(text, w) != nil {
			return
		}
		d := ReadSetDescription(w)
		if d.Check() != nil {
			return
		}
		must.Equal(t, d, ReadSetDescription(SetDescription(d)), clustertest.Bitwise, cmpopts.EquateEmpty())
		for _, r := range d.Example { // what Check lets pass can be declared
			if r.Cluster != nil && *r.Cluster >= framework.ExampleClusters {
				t.Errorf("cluster %d", *r.Cluster)
			}
		}
	})
}

// arrived returns a message after its way through the wire.
func arrived[M proto.Message](t must.T, sent M) M {
	t.Helper()
	got := sent.ProtoReflect().New().Interface()
	must.Do(t, proto.Unmarshal(must.Get(proto.Marshal(sent))(t), got))
	return got.(M)
}

// wantNonsense fails the test unless err says that a message cannot be right.
func wantNonsense(t *testing.T, err error) {
	t.Helper()
	if f := framework.AsFault(err); f == nil || f.Class != framework.Plugin || f.Code != "plugin-nonsense" || f.Hint == "" {
		t.Errorf("got %+v", err)
	}
}
