package plugin

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
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
			text, err := proto.Marshal(wireModel(m))
			if err != nil {
				t.Fatal(err)
			}
			w := new(pb.Model)
			if err := proto.Unmarshal(text, w); err != nil {
				t.Fatal(err)
			}
			got, err := readModel(w, shape{2, 3})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(m, got, bitwise); diff != "" {
				t.Error(diff)
			}
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
			w, err := wireProblem(want)
			if err != nil {
				t.Fatal(err)
			}
			text, err := proto.Marshal(w)
			if err != nil {
				t.Fatal(err)
			}
			got := new(pb.Problem)
			if err := proto.Unmarshal(text, got); err != nil {
				t.Fatal(err)
			}
			read, err := readProblem(got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, read, bitwise); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestShapes_that_cannot_be_are_nonsense(t *testing.T) {
	s := shape{2, 3}
	values := []float64{1, 2, 3}
	for name, try := range map[string]func() error{
		"no model":          func() error { _, err := readModel(nil, s); return err },
		"too few centers":   func() error { _, err := readModel(&pb.Model{Centers: &pb.Matrix{Rows: 1, Cols: 3}}, s); return err },
		"a huge matrix":     func() error { _, err := readMatrix(&pb.Matrix{Rows: 1 << 40, Cols: 1 << 40}, s); return err },
		"a negative matrix": func() error { _, err := readMatrix(&pb.Matrix{Rows: -1, Cols: -3, Values: values}, s); return err },
		"missing values":    func() error { _, err := readMatrix(&pb.Matrix{Rows: 2, Cols: 3, Values: values}, s); return err },
		"a point's masses": func() error {
			_, err := readPoint(&pb.Point{X: &pb.Matrix{Rows: 2, Cols: 3}, RowMass: &pb.Vector{Values: values}}, s)
			return err
		},
		"another statistic": func() error { return readStats(framework.Stats{{0}}, &pb.Stats{Vectors: []*pb.Vector{{}, {}}}) },
		"a longer statistic": func() error {
			return readStats(framework.Stats{{0}}, &pb.Stats{Vectors: []*pb.Vector{{Values: values}}})
		},
		"negative lengths": func() error { _, err := readPlan(&pb.Plan{Stats: []*pb.Stat{{Len: -1}}}); return err },
		"no cadence":       func() error { _, err := readPlan(&pb.Plan{}); return err },
	} {
		t.Run(name, func(t *testing.T) { wantFault(t, try(), "plugin-nonsense") })
	}
}

func FuzzModel(f *testing.F) {
	first := &framework.Model{Centers: framework.NewMatrix(2, 3), FeatureWeights: ones(3), Selected: []bool{true, false, true}}
	seed, err := proto.Marshal(wireModel(first))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, text []byte) {
		w := new(pb.Model)
		if proto.Unmarshal(text, w) != nil {
			return
		}
		m, err := readModel(w, shape{2, 3})
		if err != nil {
			return
		}
		if len(m.Centers.Data) != 6 { // 2 × 3
			t.Errorf("%d centers", len(m.Centers.Data))
		}
		again, err := readModel(wireModel(m), shape{2, 3})
		if diff := cmp.Diff(m, again, bitwise); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	})
}

func TestFit_sends_pieces_below_1_MiB(t *testing.T) {
	const n, k, p, limit = 100_000, 50, 5_000, 1 << 20
	res := &fit.Result{
		Model:  &framework.Model{Centers: framework.Matrix{Rows: k, Cols: p, Data: ones(k * p)}},
		Labels: make([]int32, n), Second: make([]int32, n), Distance: ones(n), Margin: ones(n),
	}
	rows := make([]int, n)
	for i := range n {
		res.Labels[i], res.Second[i], rows[i] = math.MaxInt32, math.MinInt32, math.MaxInt
	}
	var events sizedEvents
	sender := startSending(&events)
	for range n {
		sender.add(fit.Iteration{Restart: math.MaxInt, Iteration: math.MaxInt, Objective: -1, Moved: math.MaxInt, Selected: math.MaxInt})
	}
	sender.stop()
	if err := sender.flush(); err != nil {
		t.Fatal(err)
	}
	if err := sendResult(&events, res); err != nil {
		t.Fatal(err)
	}
	var requests sizedRequests
	start := fit.Start{Labels: res.Labels, Rows: rows, Centers: &res.Model.Centers}
	if err := new(Session).sendStart(&requests, start, settings()); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"result": events.largest, "start": requests.largest} {
		if size == 0 || size >= limit {
			t.Errorf("%s: the largest message has %d bytes", name, size)
		}
	}
}

// sizedEvents and sizedRequests are streams that keep the size of the largest
// message.
type sizedEvents struct {
	grpc.ServerStream
	largest int
}

func (s *sizedEvents) Send(event *pb.FitEvent) error {
	s.largest = max(s.largest, proto.Size(event))
	return nil
}

func (*sizedEvents) Recv() (*pb.FitRequest, error) { return nil, nil }

type sizedRequests struct {
	grpc.ClientStream
	largest int
}

func (s *sizedRequests) Send(req *pb.FitRequest) error {
	s.largest = max(s.largest, proto.Size(req))
	return nil
}

func (*sizedRequests) Recv() (*pb.FitEvent, error) { return nil, nil }
func (*sizedRequests) CloseSend() error            { return nil }

func FuzzSetDescription(f *testing.F) {
	seed, err := proto.Marshal(wireSetDescription(floor{"floor"}.Describe()))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, text []byte) {
		w := new(pb.SetDescription)
		if proto.Unmarshal(text, w) != nil {
			return
		}
		d := readSetDescription(w)
		if d.Check() != nil {
			return
		}
		if diff := cmp.Diff(d, readSetDescription(wireSetDescription(d)), bitwise, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
		for _, r := range d.Example { // what Check lets pass can be declared
			if r.Cluster != nil && *r.Cluster >= framework.ExampleClusters {
				t.Errorf("cluster %d", *r.Cluster)
			}
		}
	})
}
