package seeding

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// wide draws a table whose distances round, and may overflow.
func wide(t *rapid.T) table {
	x := framework.NewMatrix(rapid.IntRange(1, 80).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "p"))
	cell := rapid.OneOf(rapid.Float64Range(-1e3, 1e3), rapid.Float64Range(-1e200, 1e200))
	if rapid.Bool().Draw(t, "missing cells") {
		cell = rapid.OneOf(cell, rapid.Just(math.NaN()))
	}
	for i := range x.Data {
		x.Data[i] = cell.Draw(t, "cell")
	}
	return table{x: x, block: rapid.IntRange(1, 90).Draw(t, "block")}
}

func TestPairs(t *testing.T) {
	t.Run("are_the_distances_of_rows_measured_one_by_one_bit_for_bit", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := wide(t)
			space := gridSpace(t, data.x.Cols)
			p := &pairs{rows: data, space: space, threads: rapid.IntRange(0, 3).Draw(t, "threads")}
			want := make([]float64, data.Len())
			for i := range data.Len() {
				got := must.Get(p.row(context.Background(), i))(t)
				squares(want, data.x.Data, data.x.Row(i), space)
				if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) {
					t.Fatalf("row %d:\n%v from all pairs,\n%v measured alone", i, got, want)
				}
			}
		})
	})
	t.Run("change_no_labels_of_restarts_side_by_side", func(t *testing.T) {
		data := table{x: normal(300, 4, 3), weight: make([]float64, 300), block: 64}
		for i := range data.weight {
			data.weight[i] = float64(i % 4)
		}
		o := Options{K: 9, Seed: 4, Restarts: 40, Space: []float64{1, 0, 0.3, 2}, Threads: 2}
		shared, err := New("kmeans++", data, o)
		if err != nil || shared.pairs == nil {
			t.Fatalf("pairs %v, error %v", shared.pairs, err)
		}
		o.Restarts = 1
		single, err := New("kmeans++", data, o)
		if err != nil || single.pairs != nil {
			t.Fatalf("pairs %v, error %v", single.pairs, err)
		}
		var wait sync.WaitGroup
		for r := range 40 {
			wait.Go(func() {
				got, err := shared.Labels(context.Background(), r, 1)
				want, alone := single.Labels(context.Background(), r, 1)
				if diff := cmp.Diff(want, got); diff != "" || err != nil || alone != nil {
					t.Errorf("restart %d: %v, %v\n%s", r, err, alone, diff)
				}
			})
		}
		wait.Wait()
	})
	t.Run("are_measured_by_the_next_restart_when_one_was_cancelled", func(t *testing.T) {
		data := table{x: normal(100, 3, 1), block: 20}
		s := must.Get(New("kmeans++", data, Options{K: 5, Restarts: 20}))(t)
		done, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := s.pairs.row(done, 0); err != context.Canceled {
			t.Errorf("error is %v", err)
		}
		got, err := s.pairs.row(context.Background(), 7)
		want := make([]float64, 100)
		squares(want, data.x.Data, data.x.Row(7), nil)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-measured alone +got):\n%s", err, diff)
		}
	})
	t.Run("are_kept_for_many_choices_among_few_rows", func(t *testing.T) {
		tests := map[string]struct {
			n, p, restarts, k int
			want              bool
		}{
			"one restart":                           {100, 9, 1, 100, false},
			"a sixth of n, and many features":       {1200, 500, 20, 10, true}, // 6: the bound of pairsGain
			"less than a sixth":                     {1201, 500, 20, 10, false},
			"half of n, and 25 features":            {400, 25, 20, 10, true}, // 2 = 1 + 25/25
			"half of n, and 24 features":            {400, 24, 20, 10, false},
			"as many rows as 64 MiB hold":           {2896, 9, 100, 100, true}, // √(2²⁶/8) = 2896.3
			"one row more":                          {2897, 9, 100, 100, false},
			"more choices than an integer can have": {2000, 9, math.MaxInt, math.MaxInt, true},
		}
		for name, test := range tests {
			if got := arePairsWorthwhile(test.n, test.p, false, Options{Restarts: test.restarts, K: test.k}); got != test.want {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}

// BenchmarkPairs measures all rows, one after the other and all together.
func BenchmarkPairs(b *testing.B) {
	for _, size := range []struct{ n, p int }{{400, 5}, {400, 20}, {400, 50}, {400, 1000}, {2800, 5}, {2800, 20}, {2800, 50}, {2800, 300}} {
		data := table{x: framework.NewMatrix(size.n, size.p), block: 128}
		copy(data.x.Data, normal(size.n, size.p, 1).Data)
		for i, v := range data.x.Data {
			if v != v {
				data.x.Data[i] = 0
			}
		}
		b.Run(fmt.Sprintf("n=%d/p=%d/alone", size.n, size.p), func(b *testing.B) {
			f := newField(context.Background(), data, nil, 1)
			for b.Loop() {
				for i := range size.n {
					must.Do(b, f.choose(i))
				}
				f.chosen = f.chosen[:0]
			}
		})
		b.Run(fmt.Sprintf("n=%d/p=%d/together", size.n, size.p), func(b *testing.B) {
			for b.Loop() {
				p := &pairs{rows: data}
				must.Get(p.measure(context.Background()))(b)
			}
		})
	}
}
