package seeding

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// begin returns the field after the given choices, and its mass.
func begin(t rapid.TB, data framework.Rows, space []float64, chosen ...int) (*field, float64) {
	t.Helper()
	f := newField(context.Background(), data, space, 1)
	for _, i := range chosen {
		must.Do(t, f.choose(i))
	}
	total := must.Get(f.masses())(t)
	return f, total
}

func TestPlusPlusMass(t *testing.T) {
	t.Run("is_the_row_weight_before_the_first_choice", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			data.weight = gridWeights(t, data.Len())
			f, _ := begin(t, data, nil)
			for i, w := range data.weight {
				if f.mass(i) != w {
					t.Fatalf("row %d of weight %v has mass %v", i, w, f.mass(i))
				}
			}
		})
	})
	t.Run("is_weight_times_squared_distance_to_the_nearest_chosen_row", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			data.weight = gridWeights(t, data.Len())
			space := gridSpace(t, data.x.Cols)
			chosen := rapid.SliceOfN(rapid.IntRange(0, data.Len()-1), 1, 5).Draw(t, "chosen")
			f, total := begin(t, data, space, chosen...)
			sum := 0.0
			for i, w := range data.weight {
				_, d := plainNearest(data, i, chosen, space)
				if f.mass(i) != w*d {
					t.Fatalf("row %d has mass %v, not %v", i, f.mass(i), w*d)
				}
				sum += w * d
			}
			if total != sum { // integers: exact in any order
				t.Fatalf("total mass %v, not %v", total, sum)
			}
		})
	})
	t.Run("of_a_weighted_row_is_that_of_its_repetitions", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			data.weight = gridWeights(t, data.Len())
			first := rapid.IntRange(0, data.Len()-1).Draw(t, "first")
			if data.weight[first] == 0 {
				data.weight[first] = 1
			}
			repeated, copies := repeat(data)
			for _, chosen := range [][]int{nil, {first}} {
				var chosenCopy []int
				if chosen != nil {
					chosenCopy = []int{slices.Index(copies, first)}
				}
				weighted, total := begin(t, data, nil, chosen...)
				plain, plainTotal := begin(t, repeated, nil, chosenCopy...)
				got := make([]float64, data.Len())
				for c, i := range copies {
					got[i] += plain.mass(c)
				}
				for i, m := range got {
					if weighted.mass(i) != m || total != plainTotal {
						t.Fatalf("row %d: probability %v/%v, its copies %v/%v", i, weighted.mass(i), total, m, plainTotal)
					}
				}
			}
		})
	})
}

// repeat returns the table with every row given as often as its weight says,
// and the original row of each copy.
func repeat(data table) (repeated table, copies []int) {
	var cells []float64
	for i, w := range data.weight {
		for range int(w) {
			cells = append(cells, data.x.Row(i)...)
			copies = append(copies, i)
		}
	}
	x := framework.Matrix{Rows: len(copies), Cols: data.x.Cols, Data: cells}
	return table{x: x, block: data.block}, copies
}

func TestDraw(t *testing.T) {
	t.Run("gives_every_row_a_range_of_targets_as_long_as_its_mass", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, false)
			data.weight = gridWeights(t, data.Len())
			f, total := begin(t, data, nil, rapid.IntRange(0, data.Len()-1).Draw(t, "first"))
			got := make([]float64, data.Len())
			for target := range int(total) { // masses are integers
				got[f.draw(float64(target)+0.5)]++
			}
			for i, count := range got {
				if count != f.mass(i) {
					t.Fatalf("row %d of mass %v has %v targets", i, f.mass(i), count)
				}
			}
		})
	})
	t.Run("crosses_stretches_and_never_returns_a_row_without_mass", func(t *testing.T) {
		n := 3*stretch + 7
		data := table{x: framework.NewMatrix(n, 1), block: 100}
		// Mass 1 at six rows: the ends of stretches, two inside of one, and one
		// in the last.
		massive := []int{5, stretch - 1, stretch, stretch + 3, 3*stretch - 1, n - 2}
		for _, i := range massive {
			data.x.Row(i)[0] = 1
		}
		f, total := begin(t, data, nil, 0)
		if total != 6 {
			t.Fatalf("total mass %v", total)
		}
		for j, want := range massive {
			if got := f.draw(float64(j)); got != want { // a bound belongs to the next row
				t.Errorf("target %d draws row %d, not %d", j, got, want)
			}
		}
		// Rounding may bring the target up to the total.
		if got := f.draw(total); got != n-2 {
			t.Errorf("target at the total draws row %d", got)
		}
	})
}

func TestPlusPlus(t *testing.T) {
	t.Run("draws_pairs_of_rows_with_their_exact_probabilities", func(t *testing.T) {
		data := tableOf([]float64{0}, []float64{1}, []float64{3}, []float64{3}, []float64{7})
		data.weight = []float64{1, 2, 0, 1, 1}
		const runs = 20000
		count := map[[2]int]float64{}
		for restart := range runs {
			f := newField(context.Background(), data, nil, 1)
			must.Do(t, f.plusPlus(2, streams(1, "kmeans++", restart)))
			count[[2]int{f.chosen[0], f.chosen[1]}]++
		}
		chi, pairs := 0.0, 0
		for first, w := range data.weight {
			_, total := begin(t, data, nil, first)
			for second, v := range data.weight {
				d := plain(data.x.Row(first), data.x.Row(second), nil)
				want := runs * w / 5 * v * d / total // 5: the sum of the weights
				got := count[[2]int{first, second}]
				if want == 0 {
					if got != 0 {
						t.Errorf("pair %d, %d was drawn %v times; it is impossible", first, second, got)
					}
					continue
				}
				chi += (got - want) * (got - want) / want
				pairs++
			}
		}
		// 12 cells of one multinomial with known probabilities: 11
		// degrees of freedom, whose chi-square quantile 0.999 is 31.26.
		if pairs != 12 || chi > 31.26 {
			t.Errorf("chi-square over %d pairs is %v", pairs, chi)
		}
	})
	t.Run("never_chooses_a_row_of_weight_0_or_a_row_twice", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			data.weight = gridWeights(t, data.Len())
			k, seed := choosable(data, rapid.IntRange(1, 24).Draw(t, "k")), rapid.Uint64().Draw(t, "seed")
			f := newField(context.Background(), data, nil, 1)
			must.Do(t, f.plusPlus(k, streams(seed, "kmeans++", 0)))
			for j, i := range f.chosen {
				if data.weight[i] == 0 || slices.Contains(f.chosen[:j], i) {
					t.Fatalf("choice %d of %v: weight %v", j, f.chosen, data.weight[i])
				}
			}
		})
	})
	t.Run("takes_the_lowest_rows_left_when_all_distinct_ones_are_chosen", func(t *testing.T) {
		data := tableOf([]float64{4}, []float64{4}, []float64{4}, []float64{4})
		data.weight = []float64{0, 1, 0, 1}
		f := newField(context.Background(), data, nil, 1)
		must.Do(t, f.plusPlus(2, streams(0, "kmeans++", 0)))
		slices.Sort(f.chosen)
		if diff := cmp.Diff([]int{1, 3}, f.chosen); diff != "" {
			t.Errorf("chosen rows (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]int32{0, 0, 0, 0}, f.label); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
	})
}
