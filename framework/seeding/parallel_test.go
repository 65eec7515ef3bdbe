package seeding

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// oversampled returns the field after oversample.
func oversampled(t rapid.TB, data framework.Rows, space []float64, k int, seed uint64) *field {
	t.Helper()
	f := newField(context.Background(), data, space, 2)
	must.Do(t, f.oversample(k, func(round, stretch int) *rand.Rand {
		return framework.Rand(seed, "test", uint64(round), uint64(stretch))
	}))
	return f
}

// tableOfValues returns the values as rows of one feature.
func tableOfValues(values ...float64) table {
	return table{x: framework.Matrix{Rows: len(values), Cols: 1, Data: values}, block: 3}
}

func TestDrawEach(t *testing.T) {
	t.Run("draws_every_row_by_itself_in_proportion_to_its_mass", func(t *testing.T) {
		// By hand: masses 0, 1, 2, 8 and 0 of 11 after row 0. For a count of 2 the
		// probabilities are 0, 2/11, 4/11, 1 and 0.
		data := tableOfValues(0, 1, 1, 2, 9)
		data.weight = []float64{1, 1, 2, 2, 0}
		want := []float64{0, 2. / 11, 4. / 11, 1, 0}
		f, _ := begin(t, data, nil, 0)
		const runs = 20000
		count, both := make([]float64, 5), 0.0
		for run := range runs {
			rows := must.Get(f.drawEach(2, func(stretch int) *rand.Rand { return framework.Rand(1, "test", uint64(run), uint64(stretch)) }))(t)
			for _, i := range rows {
				count[i]++
			}
			if slices.Contains(rows, 1) && slices.Contains(rows, 2) {
				both++
			}
		}
		// 4 standard deviations of a binomial number; 0 where p is 0 or 1.
		near := func(got, p float64) bool { return math.Abs(got-runs*p) <= 4*math.Sqrt(runs*p*(1-p)) }
		for i, p := range want {
			if !near(count[i], p) {
				t.Errorf("row %d was drawn %v times of %d, not with probability %v", i, count[i], runs, p)
			}
		}
		if !near(both, want[1]*want[2]) {
			t.Errorf("rows 1 and 2 were drawn together %v times of %d: not by themselves", both, runs)
		}
	})
	t.Run("draws_nothing_where_there_is_no_mass", func(t *testing.T) {
		f, _ := begin(t, tableOfValues(3, 3, 3), nil, 1)
		rows, err := f.drawEach(10, func(int) *rand.Rand { return framework.Rand(1, "test") })
		if len(rows) != 0 || err != nil {
			t.Errorf("rows %v, error %v", rows, err)
		}
	})
	t.Run("draws_all_rows_with_mass_when_the_count_is_large", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			data.weight = gridWeights(t, data.Len())
			f, _ := begin(t, data, nil, rapid.IntRange(0, data.Len()-1).Draw(t, "first"))
			var want []int
			for i := range data.Len() {
				if f.mass(i) > 0 {
					want = append(want, i)
				}
			}
			got, err := f.drawEach(math.Inf(1), func(int) *rand.Rand { return framework.Rand(rapid.Uint64().Draw(t, "seed"), "test") })
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Fatalf("%v (-rows with mass +got):\n%s", err, diff)
			}
		})
	})
}

func TestOversample(t *testing.T) {
	t.Run("chooses_different_rows_of_positive_weight_and_labels_the_nearest", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			data.weight = gridWeights(t, data.Len())
			if choosable(data, 1) == 0 {
				return
			}
			space := gridSpace(t, data.x.Cols)
			f := oversampled(t, data, space, rapid.IntRange(1, 6).Draw(t, "k"), rapid.Uint64().Draw(t, "seed"))
			for c, i := range f.chosen {
				if data.weight[i] == 0 || slices.Contains(f.chosen[:c], i) {
					t.Fatalf("candidate %d of %v: weight %v", c, f.chosen, data.weight[i])
				}
			}
			for i, label := range f.label {
				if want, _ := plainNearest(data, i, f.chosen, space); label != want {
					t.Fatalf("row %d has label %d; the nearest of %v is number %d", i, label, f.chosen, want)
				}
			}
		})
	})
	t.Run("chooses_about_2_k_rows_a_round", func(t *testing.T) {
		data := normalTable(5000, 3)
		for seed := range uint64(20) {
			// 1 + 5·2·30 = 301 on average. No probability comes near 1 for normal
			// rows, so the variance is at most 300: 5 standard deviations are 87.
			if got := len(oversampled(t, data, nil, 30, seed).chosen); got < 301-87 || got > 301+87 {
				t.Errorf("seed %d: %d candidates", seed, got)
			}
		}
	})
}

// normalTable returns normal rows without missing cells.
func normalTable(n, p int) table {
	x := normal(n, p, 1)
	for i, v := range x.Data {
		if v != v {
			x.Data[i] = 0
		}
	}
	return table{x: x, block: 700}
}

func TestShares(t *testing.T) {
	t.Run("are_the_weights_of_the_rows_nearest_to_each_candidate", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			data.weight = gridWeights(t, data.Len())
			if rapid.Bool().Draw(t, "no weights") {
				data.weight = nil
			}
			if choosable(data, 1) == 0 {
				return
			}
			f := oversampled(t, data, nil, 3, rapid.Uint64().Draw(t, "seed"))
			want := make([]float64, len(f.chosen))
			for i := range data.Len() {
				j, _ := plainNearest(data, i, f.chosen, nil)
				if data.weight == nil {
					want[j]++
				} else {
					want[j] += data.weight[i]
				}
			}
			if diff := cmp.Diff(want, f.shares()); diff != "" {
				t.Fatalf("shares (-search +got):\n%s", diff)
			}
		})
	})
}

func TestReduce(t *testing.T) {
	t.Run("draws_a_candidate_first_in_proportion_to_its_share", func(t *testing.T) {
		// By hand: candidates 0 and 10 have the shares 3 and 1 + 4.
		data := tableOfValues(0, 1, 1, 10, 11)
		data.weight = []float64{1, 1, 1, 1, 4}
		const runs = 20000
		count := map[int]float64{}
		f, _ := begin(t, data, nil)
		must.Do(t, f.chooseAll([]int{0, 3}))
		for run := range runs {
			rows, err := f.reduce(1, streams(1, "test", run))
			if err != nil || len(rows) != 1 {
				t.Fatal(rows, err)
			}
			count[rows[0]]++
		}
		// 4 standard deviations of a binomial number of probability 3/8.
		if math.Abs(count[0]-runs*3./8) > 4*math.Sqrt(runs*3./8*5./8) || count[0]+count[3] != runs {
			t.Errorf("rows were chosen %v times of %d", count, runs)
		}
	})
	t.Run("returns_candidates_that_differ_from_each_other", func(t *testing.T) {
		f, _ := begin(t, tableOfValues(5, 5, 7, 7, 7, 5), nil)
		must.Do(t, f.chooseAll([]int{1, 3, 4, 0}))
		rows, err := f.reduce(4, streams(1, "test", 0))
		slices.Sort(rows)
		// Rows 4 and 0 repeat 3 and 1, which come first and have the labels.
		if diff := cmp.Diff([]int{1, 3}, rows); diff != "" || err != nil {
			t.Errorf("%v (-by hand +got):\n%s", err, diff)
		}
	})
}

func TestParallel(t *testing.T) {
	t.Run("labels_are_those_of_the_nearest_of_k_rows", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			data.weight = gridWeights(t, data.Len())
			k := choosable(data, rapid.IntRange(1, 8).Draw(t, "k"))
			if k == 0 {
				return
			}
			space := gridSpace(t, data.x.Cols)
			s := must.Get(New("kmeans||", data, Options{K: k, Seed: rapid.Uint64().Draw(t, "seed"), Space: space}))(t)
			f := s.field(context.Background(), 1)
			must.Do(t, f.parallel(k, s.options.Seed, 3))
			labels, err := s.Labels(context.Background(), 3, 2)
			if err != nil || len(f.chosen) != k {
				t.Fatalf("%d rows are chosen, not %d; %v", len(f.chosen), k, err)
			}
			for c, i := range f.chosen {
				if data.weight[i] == 0 || slices.Contains(f.chosen[:c], i) {
					t.Fatalf("choice %d of %v: weight %v", c, f.chosen, data.weight[i])
				}
			}
			for i, label := range labels {
				if want, _ := plainNearest(data, i, f.chosen, space); label != want {
					t.Fatalf("row %d has label %d; the nearest of %v is number %d", i, label, f.chosen, want)
				}
			}
		})
	})
	t.Run("finds_every_one_of_clusters_far_apart", func(t *testing.T) {
		// 40 clusters of 75 rows, 1000 apart in a line, with rows within ±1. Rows
		// whose cluster has a chosen one have a mass of 4 at most, those of another
		// cluster of 998² at least: as long as one is left, the next row is of a
		// cluster that has one with a probability below 3000·4 / (75·998²) < 0.0002.
		const n, k = 3000, 40
		data := table{x: framework.NewMatrix(n, 1), block: 500}
		random := rand.New(rand.NewPCG(1, 2))
		for i := range n {
			data.x.Data[i] = float64(1000*(i%k)) + 2*random.Float64() - 1
		}
		s := must.Get(New("kmeans||", data, Options{K: k}))(t)
		labels := must.Get(s.Labels(context.Background(), 0, 2))(t)
		of := map[int32]int{}
		for i, label := range labels {
			if c, ok := of[label]; ok && c != i%k {
				t.Fatalf("clusters %d and %d have both the label %d", c, i%k, label)
			}
			of[label] = i % k
		}
	})
	t.Run("takes_the_lowest_rows_left_when_all_distinct_ones_are_chosen", func(t *testing.T) {
		data := tableOfValues(4, 4, 4, 4, 4)
		data.weight = []float64{0, 1, 1, 0, 1}
		s := must.Get(New("kmeans||", data, Options{K: 3}))(t)
		f := s.field(context.Background(), 1)
		must.Do(t, f.parallel(3, 0, 0))
		slices.Sort(f.chosen)
		if diff := cmp.Diff([]int{1, 2, 4}, f.chosen); diff != "" {
			t.Errorf("chosen rows (-want +got):\n%s", diff)
		}
	})
}
