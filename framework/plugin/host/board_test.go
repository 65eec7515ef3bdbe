package host

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// TestA_result_on_a_board_is_that_of_messages fits three windows of rows, of which the
// last is not full, so that the plugin waits for the first to be taken.
func TestA_result_on_a_board_is_that_of_messages(t *testing.T) {
	const n, p = 70_001, 4
	b := must.Get(matrix.NewBuilder(p, matrix.Options{RowsHint: n, Storage: matrix.Memory}))(t)
	random := framework.Rand(2, "test")
	for x, i := must.Get(b.Extend(n))(t), 0; i < len(x); i++ {
		x[i] = float64(i/p%3) + random.NormFloat64()
	}
	data := must.Get(b.Seal())(t)
	defer data.Close()
	prob := framework.Problem{N: n, P: p, K: 3, Mass: n, Columns: make([]framework.Column, p), Params: framework.Params{
		"trouble": "none", "rows": false, "count": 1, "share": 0.5,
	}}
	process := launch(t, "plugin", Options{})
	s := must.Get(process.Open(t.Context(), "toy", prob, data.Handle()))(t)
	board := s.newBoard(settings().Threads)
	if board == nil && matrix.SharesMemory {
		t.Fatal("there is no board")
	}
	board.close()
	got := must.Get(s.Fit(t.Context(), fit.Start{}, settings(), nil))(t)
	s.boards = false
	want := must.Get(s.Fit(t.Context(), fit.Start{}, settings(), nil))(t)
	if diff := cmp.Diff(want, got, clustertest.Bitwise, cmpopts.IgnoreFields(fit.Result{}, "BlocksByWorker", "Seconds")); diff != "" {
		t.Errorf("on a board: %s", diff)
	}
	must.Do(t, s.Close())
}

func TestWindows_of_a_board_do_not_overlap(t *testing.T) {
	const rows = 6
	words := make([]float64, wire.BoardWords(rows))
	for i, w := range wire.Board(words, rows) {
		for j := range rows {
			at := float64(10*i + j)
			w.Distance[j], w.Margin[j], w.Labels[j], w.Second[j] = at, -at, int32(at), -int32(at)
		}
	}
	for i, w := range wire.Board(words, rows) {
		if len(w.Distance) != rows || len(w.Margin) != rows || len(w.Labels) != rows || len(w.Second) != rows {
			t.Fatalf("window %d: %d, %d, %d and %d rows", i, len(w.Distance), len(w.Margin), len(w.Labels), len(w.Second))
		}
		for j := range rows {
			at := float64(10*i + j)
			if w.Distance[j] != at || w.Margin[j] != -at || w.Labels[j] != int32(at) || w.Second[j] != -int32(at) {
				t.Errorf("row %d of window %d: %v, %v, %d, %d", j, i, w.Distance[j], w.Margin[j], w.Labels[j], w.Second[j])
			}
		}
	}
}

// TestA_plugin_is_not_trusted_with_a_board sends events about windows that cannot be.
func TestA_plugin_is_not_trusted_with_a_board(t *testing.T) {
	of := func(rows int, labels ...int32) *partialResult {
		b := &board{rows: rows, windows: wire.Board(make([]float64, wire.BoardWords(rows)), rows)}
		for i := range b.windows {
			copy(b.windows[i].Labels, labels)
		}
		return &partialResult{session: ofFourRows(), res: new(fit.Result), board: b}
	}
	send := func(a *partialResult, rows ...int64) (err error) {
		for _, n := range rows {
			if err == nil {
				err = a.add(&pb.FitEvent{BoardRows: n}, nil)
			}
		}
		return err
	}
	for name, err := range map[string]error{
		"more rows than a window":     send(of(2), 3),
		"more rows than there are":    send(of(4), 3, 2),
		"fewer than none":             send(of(4), -1),
		"more than can be counted":    send(of(4), math.MaxInt64),
		"without a board":             send(&partialResult{session: ofFourRows(), res: new(fit.Result)}, 1),
		"a label of no cluster":       send(of(4, 0, 2), 4),
		"a label below -1":            send(of(4, -2), 4),
		"a label when it is too late": send(of(2, 0, 1), 2, 2, 1),
	} {
		t.Run(name, func(t *testing.T) { wantFault(t, err, "plugin-nonsense") })
	}
	a := of(2, 1, -1)
	must.Do(t, send(a, 2, 2))
	a.board.windows[0].Labels[0] = 7 // too late: the host has its own
	if want := []int32{1, -1, 1, -1}; !slices.Equal(a.res.Labels, want) {
		t.Errorf("labels %v, want %v", a.res.Labels, want)
	}
}
