package host

import (
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// ofFourRows is a session of 4 rows, 3 features and 2 clusters.
func ofFourRows() *Session { return &Session{shape: wire.Shape{K: 2, P: 3}, rows: 4} }

func TestAPluginIsNotTakenAtItsWord(t *testing.T) {
	arrives := func(event *pb.FitEvent) func() error {
		return func() error {
			return (&partialResult{session: ofFourRows(), res: new(fit.Result), iterations: 1}).add(event, nil)
		}
	}
	for name, try := range map[string]func() error{
		"too many iterations": arrives(&pb.FitEvent{Iterations: make([]*pb.Iteration, 2)}),
		"too large a model":   arrives(&pb.FitEvent{Model: make([]byte, wire.MaxMessage+256*6+1)}),
		"too many rows": arrives(&pb.FitEvent{Rows: &pb.FitRows{
			Labels: make([]int32, 5), Second: make([]int32, 5), Distance: ones(5), Margin: ones(5),
		}}),
		"a start that there was not": func() error {
			_, err := (&partialResult{session: ofFourRows(), res: new(fit.Result)}).finish(&pb.FitEnd{Restart: -1})
			return err
		},
		"nothing described": func() error { return checkDescribed(new(pb.DescribeResponse)) },
		"too much described": func() error {
			return checkDescribed(&pb.DescribeResponse{Algorithms: []*pb.Description{{Summary: string(make([]byte, mostDescribed))}}})
		},
	} {
		t.Run(name, func(t *testing.T) { wantFault(t, try(), "plugin-nonsense") })
	}
}

// FuzzResult reads three events of a fit, all of them the same.
func FuzzResult(f *testing.F) {
	seed := must.Get(proto.Marshal(&pb.FitEvent{Iterations: []*pb.Iteration{{Restart: 1}}, Model: []byte{1}, Rows: &pb.FitRows{
		Labels: []int32{0, 1}, Second: []int32{1, -1}, Distance: ones(2), Margin: ones(2),
	}}))(f)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, text []byte) {
		w := new(pb.FitEvent)
		if proto.Unmarshal(text, w) != nil {
			return
		}
		got := &partialResult{session: ofFourRows(), res: new(fit.Result), iterations: 10}
		for range 3 {
			if got.add(w, nil) != nil {
				return
			}
		}
		if res, err := got.finish(w.GetEnd()); err == nil && (len(res.Labels) != 4 || len(res.Margin) != 4) {
			t.Errorf("%+v", res)
		}
	})
}

func TestStart_is_sent_in_pieces_below_1_MiB(t *testing.T) {
	const n, k, p, limit = 100_000, 50, 5_000, 1 << 20
	start := fit.Start{
		Labels: make([]int32, n), Rows: make([]int, n), Centers: &framework.Matrix{Rows: k, Cols: p, Data: ones(k * p)},
	}
	for i := range n {
		start.Labels[i], start.Rows[i] = -1, -1 // the longest on the wire
	}
	var sent sizedRequests
	must.Do(t, new(Session).sendStart(&sent, start, settings(), nil))
	if sent.largest == 0 || sent.largest >= limit {
		t.Errorf("the largest message has %d bytes", sent.largest)
	}
}

// sizedRequests is a stream that keeps the size of the largest message.
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
