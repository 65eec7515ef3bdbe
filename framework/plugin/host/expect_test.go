package host

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// expecting are calls of a plugin that answers Expect otherwise.
type expecting struct {
	pb.PluginClient
	answer func(ctx context.Context) error
}

func (e expecting) Expect(ctx context.Context, _ *pb.ExpectRequest, _ ...grpc.CallOption) (*pb.ExpectResponse, error) {
	return nil, e.answer(ctx)
}

func TestAFitIsTheSameWhetherItsRowsWereExpectedOrNot(t *testing.T) {
	p := launch(t, "plugin", Options{})
	fitted := func() *fit.Result {
		s, _, _, _ := open(t, p, "toy", nil)
		res := must.Get(s.Fit(t.Context(), fit.Start{}, settings(), nil))(t)
		must.Do(t, s.Close())
		res.Seconds, res.BlocksByWorker = fit.Seconds{}, nil
		return res
	}
	want, served := fitted(), p.calls
	p.Expect(t.Context(), leastExpected, 1, "")
	must.Equal(t, want, fitted(), clustertest.Bitwise)
	asked := 0
	p.calls = expecting{served, func(context.Context) error {
		asked++
		return status.Error(codes.Unimplemented, "unknown method Expect")
	}}
	p.Expect(t.Context(), leastExpected, 1, "")
	must.Equal(t, want, fitted(), clustertest.Bitwise)
	p.Expect(t.Context(), leastExpected-1, 1, "")
	if asked != 1 {
		t.Errorf("a plugin was told %d times of what takes long to copy", asked)
	}
	began := make(chan struct{})
	p.calls = expecting{served, func(ctx context.Context) error {
		close(began)
		<-ctx.Done()
		return status.FromContextError(ctx.Err()).Err()
	}}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-began; cancel() }()
	p.Expect(ctx, leastExpected, 1, "") // returns
	p.calls = served
	must.Equal(t, want, fitted(), clustertest.Bitwise)
}

func TestAFitOfRowsThatWereMappedAheadHasTheSameBits(t *testing.T) {
	p := launch(t, "plugin", Options{})
	s, _, prob, data := open(t, p, "toy", nil)
	want := must.Get(s.Fit(t.Context(), fit.Start{}, settings(), nil))(t)
	h := data.Handle()
	must.Get(p.calls.Expect(t.Context(), &pb.ExpectRequest{Rows: int64(h.Rows), Cols: int64(h.Cols), Path: h.Path}))(t)
	again := must.Get(p.Open(t.Context(), "toy", prob, h))(t)
	got := must.Get(again.Fit(t.Context(), fit.Start{}, settings(), nil))(t)
	must.Equal(t, want, got, clustertest.Bitwise, cmpopts.IgnoreFields(fit.Result{}, "BlocksByWorker", "Seconds"))
	must.Do(t, s.Close())
	must.Do(t, again.Close())
}
