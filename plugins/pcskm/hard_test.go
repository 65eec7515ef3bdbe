package pcskm_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/links"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
)

func TestHardLinksAreNeverBroken(t *testing.T) {
	for name, a := range map[string]framework.Algorithm{"pcskm": pcskm.PCSKM{}, "pckm": pcskm.PCKM{}, "mpckm": pcskm.MPCKM{}} {
		t.Run(name, func(t *testing.T) {
			params := map[string]string{}
			if name == "pcskm" {
				params["l1_bound"] = "1.3"
			}
			feasible := 0
			rapid.Check(t, func(t *rapid.T) {
				n, k := rapid.IntRange(4, 12).Draw(t, "n"), rapid.IntRange(2, 3).Draw(t, "k")
				b := drawRows(t, n)
				all := drawLinks(t, n, 10, 1, math.Inf(1), math.Inf(1))
				_, _, answer := links.Feasible(all, n, k)
				got, err := b.run(a, k, all, params, fit.Start{}, func(s *fit.Settings) { s.Empty = framework.Reseed; s.Restarts = 2 })
				if answer == links.No {
					if f := framework.AsFault(err); f == nil || f.Code != "infeasible-links" || len(f.Details) == 0 {
						t.Fatalf("no k clusters can keep the links, but %v", err)
					}
					return
				}
				must.Do(t, err)
				feasible++
				for _, l := range all {
					if l.Hard() && (l.Broken(got.Labels) || got.Labels[l.A] < 0) && got.Stop != framework.AllZero {
						t.Fatalf("%v is broken by %v", l, got.Labels)
					}
				}
			})
			least := 5 // of 25 draws
			if clustertest.Campaign {
				least = 20
			}
			if feasible < least {
				t.Errorf("only %d problems could be solved", feasible)
			}
		})
	}
}

func TestOneByOneCanDeadEndAndTheSearchFindsRoom(t *testing.T) {
	// Rows 0, 2, 1 in order 0, 2, 1 by keys; here rows 0, 1, 2 with 0 and 1 both
	// apart from 2's partner: a path 0 – 2 – 1 of two clusters. Rows 0 and 1 are
	// near different centers, which would leave no cluster for row 2.
	b := blocks{clustertest.Rows{X: framework.Matrix{Rows: 4, Cols: 1, Data: []float64{0, 10, 4, 11}}, Size: 2}}
	hard := math.Inf(1)
	all := []framework.Link{{A: 0, B: 2, Cannot: true, Weight: hard}, {A: 1, B: 2, Cannot: true, Weight: hard}}
	start := framework.Matrix{Rows: 2, Cols: 1, Data: []float64{0, 10}}
	got := must.Get(b.run(pcskm.PCKM{}, 2, all, nil, fit.Start{Centers: &start}, nil))(t)
	if l := got.Labels; l[0] == l[2] || l[1] == l[2] {
		t.Errorf("labels %v break a link", l)
	}
}

func TestAHardMustLinkIsAWeightedRowAtTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawRows(t, 8)
		b.Weights = []float64{2, 1, 1, 1, 1, 3, 1, 1}
		all := []framework.Link{{A: 0, B: 5, Weight: math.Inf(1)}}
		start := centersOf(b, 2)
		got := must.Get(b.run(pcskm.PCKM{}, 2, all, nil, start, func(s *fit.Settings) { s.Empty = framework.Origin }))(t)
		one := blocks{clustertest.Rows{X: b.X.Slice(0, 8).Clone(), Weights: []float64{5, 1, 1, 1, 1, 0, 1, 1}, Size: b.Size}}
		for f := range 3 {
			one.X.Row(0)[f] = (2*b.X.Row(0)[f] + 3*b.X.Row(5)[f]) / 5
		}
		want := must.Get(one.run(pcskm.PCKM{}, 2, nil, nil, start, func(s *fit.Settings) { s.Empty = framework.Origin }))(t)
		for i, j := range want.Labels {
			if i != 5 && got.Labels[i] != j {
				t.Fatalf("labels %v, and with a row at the mean %v", got.Labels, want.Labels)
			}
		}
	})
}

var same = cmp.Options{cmpopts.IgnoreFields(fit.Result{}, "BlocksByWorker", "Seconds"), cmpopts.EquateNaNs()}
