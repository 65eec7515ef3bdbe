package seeding_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// random returns n×p normal cells, one in twenty missing, and weights of which
// one in ten is 0.
func random(n, p int) clustertest.Rows {
	r := rand.New(rand.NewPCG(1, 2))
	c := clustertest.Rows{X: framework.NewMatrix(n, p), Weights: make([]float64, n), Size: n}
	for i := range c.X.Data {
		if c.X.Data[i] = r.NormFloat64(); r.IntN(20) == 0 {
			c.X.Data[i] = math.NaN()
		}
	}
	for i := range c.Weights {
		if r.IntN(10) > 0 {
			c.Weights[i] = r.ExpFloat64()
		}
	}
	return c
}

// labels returns the labels of one restart, on as many threads as the options say.
func labels(ctx context.Context, name string, data framework.Rows, o seeding.Options, restart int) ([]int32, error) {
	s, err := seeding.New(name, data, o)
	if err != nil {
		return nil, err
	}
	return s.Labels(ctx, restart, o.Threads)
}

func TestLabels(t *testing.T) {
	ctx := context.Background()
	const n = 2100 // more than two stretches of 1024 rows
	t.Run("depend_neither_on_blocks_nor_on_threads", func(t *testing.T) {
		for _, name := range seeding.Names() {
			data := random(n, 5)
			o := seeding.Options{K: 12, Seed: 3, Space: []float64{1, 0.3, 0, 2, 1.7}}
			want := must.Get(labels(ctx, name, data, o, 0))(t)
			for i, block := range []int{1, 7, 64, 1000, 1024, 4096} {
				all := []int{-1, 1, 2, 5}
				if !clustertest.Campaign { // one row a block, some blocks a stretch, and stretches that share a block
					if i != 0 && i != 2 && i != 3 {
						continue
					}
					all = all[i:][:1]
				}
				for _, threads := range all {
					data.Size, o.Threads = block, threads
					got := must.Get(labels(ctx, name, data, o, 0))(t)
					if !cmp.Equal(want, got) {
						t.Errorf("%s: other labels with blocks of %d rows and %d threads", name, block, threads)
					}
				}
			}
		}
	})
	t.Run("of_deterministic_methods_alone_ignore_seed_and_restart", func(t *testing.T) {
		data := random(300, 5)
		for _, name := range seeding.Names() {
			base, _ := labels(ctx, name, data, seeding.Options{K: 4}, 0)
			seed, _ := labels(ctx, name, data, seeding.Options{K: 4, Seed: 1}, 0)
			restart, _ := labels(ctx, name, data, seeding.Options{K: 4}, 1)
			same := cmp.Equal(base, seed) && cmp.Equal(base, restart)
			differ := !cmp.Equal(base, seed) && !cmp.Equal(base, restart) && !cmp.Equal(seed, restart)
			if d := seeding.Deterministic(name); d != same || d == differ {
				t.Errorf("%s: deterministic is %v; all the same %v, all different %v", name, d, same, differ)
			}
		}
	})
	t.Run("are_all_0_for_one_cluster_and_all_different_for_n", func(t *testing.T) {
		data := random(40, 3)
		data.Weights = nil
		for _, name := range seeding.Names() {
			one, err := labels(ctx, name, data, seeding.Options{K: 1}, 0)
			if diff := cmp.Diff(make([]int32, 40), one); diff != "" || err != nil {
				t.Errorf("%s, k = 1: %v\n%s", name, err, diff)
			}
			all, err := labels(ctx, name, data, seeding.Options{K: 40}, 0)
			seen := map[int32]bool{}
			for _, label := range all {
				seen[label] = true
			}
			if len(seen) != 40 || err != nil {
				t.Errorf("%s, k = n: %d different labels, %v", name, len(seen), err)
			}
		}
	})
	t.Run("end_with_the_context", func(t *testing.T) {
		for _, name := range seeding.Names() {
			for _, threads := range []int{1, 2} {
				done, cancel := context.WithCancel(ctx)
				cancel()
				_, err := labels(done, name, random(n, 2), seeding.Options{K: 2, Threads: threads}, 0)
				if err != context.Canceled {
					t.Errorf("%s on %d threads: error is %v", name, threads, err)
				}
			}
		}
	})
}

func TestFaults(t *testing.T) {
	three := clustertest.Rows{X: framework.Matrix{Rows: 3, Cols: 1, Data: []float64{1, 2, 3}}, Size: 2}
	weighted := clustertest.Rows{X: three.X, Weights: []float64{1, 0, 1}, Size: 2}
	huge := clustertest.Rows{X: framework.Matrix{Rows: 3, Cols: 1, Data: []float64{-1e200, 1e200, 0}}, Size: 2}
	none := clustertest.Rows{X: framework.NewMatrix(0, 1), Size: 2}
	tests := map[string]struct {
		method string
		data   clustertest.Rows
		k      int
		code   string
	}{
		"unknown method":                   {"kmeans+", three, 1, "unknown-init"},
		"k of 0":                           {"random", three, 0, "bad-k"},
		"no rows":                          {"kmeans++", none, 1, "too-few-rows"},
		"more clusters than rows":          {"random", three, 4, "too-few-rows"},
		"more clusters than weighted rows": {"maximin", weighted, 3, "too-few-rows"},
		"squares overflow in kmeans++":     {"kmeans++", huge, 2, "values-too-large"},
		"squares overflow in kmeans||":     {"kmeans||", huge, 2, "values-too-large"},
		"squares overflow in maximin":      {"maximin", huge, 2, "values-too-large"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := labels(context.Background(), test.method, test.data, seeding.Options{K: test.k}, 0)
			if f := framework.AsFault(err); f == nil || f.Code != test.code || f.Hint == "" && f.Code != "bad-k" {
				t.Errorf("error is %#v, not a Fault %s", err, test.code)
			}
		})
	}
}
