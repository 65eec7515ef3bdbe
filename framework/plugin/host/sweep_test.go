package host

import (
	"context"
	"fmt"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// fitsOnly is a host whose sessions make no sweeps.
type fitsOnly struct{ fit.Host }

func (h fitsOnly) Bind(ctx context.Context, name string, p framework.Problem, rows *matrix.Data) (fit.Session, error) {
	s, err := h.Host.Bind(ctx, name, p, rows)
	return struct{ fit.Session }{s}, err
}

func TestSweep_gives_the_same_trials_in_plugin_and_host_and_without_process(t *testing.T) {
	p := launch(t, "plugin", Options{})
	prob, data := problem(t, nil)
	must.Do(t, data.Share())
	sweep := tune.Sweep{Labels: true, Settings: settings(), Candidates: []tune.Candidate{{K: 2, Params: prob.Params}, {K: 5000,
		Params: prob.Params},
		{K: 3, Params: prob.Params}}}
	for _, kind := range []tune.Kind{tune.Rows, tune.Permuted, tune.Half, tune.Bootstrap} {
		sweep.Draws = append(sweep.Draws, tune.Draw{Kind: kind, Number: 4})
	}
	trials := func(run func(each func(tune.Trial) error) error) map[string]tune.Trial {
		all := map[string]tune.Trial{}
		must.Do(t, run(func(of tune.Trial) error {
			if (of.Err != nil) != (of.Candidate == 1) {
				t.Errorf("candidate %d: %v", of.Candidate, of.Err)
			}
			of.Err = nil
			all[fmt.Sprint(of.Draw, of.Candidate)] = of
			return nil
		}))
		return all
	}
	want := trials(func(each func(tune.Trial) error) error {
		return sweep.Run(t.Context(), tune.Here(toy{"toy"}, nil), prob, data, each)
	})
	if len(want) != 12 {
		t.Fatalf("%d trials", len(want))
	}
	for name, host := range map[string]fit.Host{"in the plugin": p, "fit by fit": fitsOnly{p}} {
		got := trials(func(each func(tune.Trial) error) error {
			return sweep.In(t.Context(), host, "toy", prob, data, each)
		})
		must.Equal(t, want, got, clustertest.Bitwise)
		t.Log(name)
	}
}
