package host

import (
	"context"
	"errors"
	"math"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// patience is how long a test waits for what must happen soon.
const patience = 20 * time.Second

// launch starts a role as a plugin and, at the end of the test, closes it and
// checks that nothing of it is left: no process, and no file.
func launch(t *testing.T, role string, o Options) *Process {
	t.Helper()
	emptyTemp(t)
	p, err := Launch(t.Context(), itself(role), o)
	if err != nil {
		t.Fatalf("launch: %v %q", err, details(err))
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := syscall.Kill(p.PID(), 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("process %d is still there: %v", p.PID(), err)
		}
	})
	return p
}

// emptyTemp gives the test its own directory for temporary files, short enough
// for a socket, which must be empty at the end.
func emptyTemp(t *testing.T) {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "sq"))(t)
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Errorf("files are left: %v", err)
		}
	})
}

func details(err error) []string {
	if f := framework.AsFault(err); f != nil {
		return f.Details
	}
	return nil
}

// problem is 2750 rows of 4 features around 3 points with weights and missing
// cells, in 11 blocks of 256 of which the last has 190 rows.
func problem(t *testing.T, params framework.Params) (framework.Problem, *matrix.Data) {
	t.Helper()
	const n, p, k = 2750, 4, 3
	prob := framework.Problem{N: n, P: p, K: k, Seed: 5, Params: framework.Params{
		"trouble": "none", "rows": false, "count": 1, "share": 0.5,
	}}
	for name, v := range params {
		prob.Params[name] = v
	}
	b := must.Get(matrix.NewBuilder(p, matrix.Options{RowsHint: n, Storage: matrix.Memory}))(t)
	x := must.Get(b.Extend(n))(t)
	random := framework.Rand(1, "test")
	weights := make([]float64, n)
	for i := range x {
		x[i] = float64(i/p%k) + 0.7*random.NormFloat64()
		if i%97 == 3 {
			x[i] = math.NaN()
		}
	}
	for i := range weights {
		weights[i] = float64(1 + i%3)
		prob.Mass += weights[i]
	}
	must.Do(t, b.SetWeights(weights))
	for range p {
		prob.Columns = append(prob.Columns, framework.Column{
			Name: "a column", Location: 2, Scale: 3, Missing: 7, Mass: prob.Mass, Mean: 1, SumSq: 1, Min: -4, Max: 6,
		})
	}
	sealed := must.Get(b.Seal())(t)
	t.Cleanup(func() { _ = sealed.Close() })
	handle := sealed.Handle()
	handle.BlockRows = 256 // far below what so few columns would get
	data := must.Get(matrix.Open(handle))(t)
	t.Cleanup(func() { _ = data.Close() })
	return prob, data
}

// open opens a session of the toy, and the same clusterer in this process.
func open(
	t *testing.T, p *Process, algorithm string, params framework.Params,
) (*Session, framework.Clusterer, framework.Problem, *matrix.Data) {
	t.Helper()
	prob, data := problem(t, params)
	s, err := p.Open(t.Context(), algorithm, prob, data.Handle())
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	c := must.Get(toy{algorithm}.New(prob))(t)
	return s, c, prob, data
}

func settings() fit.Settings {
	return fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 2, MaxIter: 40, Empty: framework.Reseed, Threads: 2}
}

// fitting runs a fit of a session in trouble and returns its error.
func fitting(t *testing.T, p *Process, trouble string) error {
	t.Helper()
	s, _, _, _ := open(t, p, "toy", framework.Params{"trouble": trouble})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, err := s.Fit(ctx, fit.Start{}, settings(), nil)
	return err
}

// codeOf returns the code of a Fault, or "".
func codeOf(err error) string {
	if f := framework.AsFault(err); f != nil {
		return f.Code
	}
	return ""
}

// wantFault returns the Fault of class Plugin with the code that err must be.
func wantFault(t *testing.T, err error, code string) framework.Fault {
	t.Helper()
	f := framework.AsFault(err)
	if f == nil {
		t.Fatalf("error %v is no Fault; want %s", err, code)
	}
	if f.Class != framework.Plugin || f.Code != code || f.Hint == "" {
		t.Fatalf("Fault %+v; want class Plugin, code %s and a hint", f, code)
	}
	return *f
}

// soon fails the test when what takes longer than its patience.
func soon(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s takes too long", what)
	}
}
