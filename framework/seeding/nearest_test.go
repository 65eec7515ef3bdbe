package seeding

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestNearest(t *testing.T) {
	t.Run("is_the_lowest_of_the_nearest_chosen_rows", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			space := gridSpace(t, data.x.Cols)
			chosen := rapid.SliceOfN(rapid.IntRange(0, data.Len()-1), 1, 6).Draw(t, "chosen")
			got := must.Get(Nearest(context.Background(), data, chosen, space))(t)
			for i, label := range got {
				if want, _ := plainNearest(data, i, chosen, space); label != want {
					t.Fatalf("row %d has label %d; the nearest of %v is number %d", i, label, chosen, want)
				}
			}
		})
	})
	t.Run("leaves_missing_cells_out_and_does_not_rescale", func(t *testing.T) {
		nan := math.NaN()
		// By hand: the last row is at 1 + 1 = 2 from row 0, and at 1.5² = 2.25
		// from row 1, of which it can compare one feature only. Rescaled by 2,
		// row 1 would be at 4.5.
		data := tableOf([]float64{0, 0}, []float64{2.5, nan}, []float64{1, 1})
		got, _ := Nearest(context.Background(), data, []int{0, 1}, nil)
		if diff := cmp.Diff([]int32{0, 1, 0}, got); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
		data.x.Row(1)[0] = 2 // now at 1, and nearest
		got, _ = Nearest(context.Background(), data, []int{0, 1}, nil)
		if diff := cmp.Diff([]int32{0, 1, 1}, got); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
	})
	t.Run("a_space_of_squared_scales_measures_original_units", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, false)
			chosen := rapid.SliceOfN(rapid.IntRange(0, data.Len()-1), 1, 4).Draw(t, "chosen")
			scale, space := make([]float64, data.x.Cols), make([]float64, data.x.Cols)
			for l := range scale { // powers of 2: no rounding
				scale[l] = math.Ldexp(1, rapid.IntRange(-2, 2).Draw(t, "scale"))
				space[l] = scale[l] * scale[l]
			}
			original := table{x: data.x.Clone(), block: data.block}
			for i := range original.x.Data {
				original.x.Data[i] *= scale[i%len(scale)]
			}
			got, _ := Nearest(context.Background(), data, chosen, space)
			want, _ := Nearest(context.Background(), original, chosen, nil)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("labels (-original units +space):\n%s", diff)
			}
		})
	})
	t.Run("ends_when_the_context_is_done", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Nearest(ctx, tableOf([]float64{1}), []int{0}, nil); err != context.Canceled {
			t.Errorf("error is %v", err)
		}
	})
}

// squares writes the squared distance of each row of x to c to dst.
func squares(dst, x, c, space []float64) {
	var m missing
	m.distances(dst, newGroups([][]float64{c}, 0, space)[0], x)
}

func TestSquares(t *testing.T) {
	t.Run("are_one_chain_of_fused_operations_for_any_number_of_rows", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			n, p := rapid.IntRange(0, 11).Draw(t, "n"), rapid.IntRange(1, 7).Draw(t, "p")
			cell := rapid.OneOf(rapid.Float64Range(-1e3, 1e3), rapid.Just(math.NaN()))
			x := rapid.SliceOfN(cell, n*p, n*p).Draw(t, "x")
			c := rapid.SliceOfN(cell, p, p).Draw(t, "c")
			var space []float64
			if rapid.Bool().Draw(t, "with space") {
				space = rapid.SliceOfN(rapid.Float64Range(0, 9), p, p).Draw(t, "space")
			}
			got := make([]float64, n)
			squares(got, x, c, space)
			for i, d := range got {
				want := 0.0
				for l, v := range c {
					if e := x[i*p+l] - v; !math.IsNaN(e) {
						w := 1.0
						if space != nil {
							w = space[l]
						}
						want = math.FMA(e*w, e, want)
					}
				}
				if d != want {
					t.Fatalf("row %d: %v; chain gives %v", i, d, want)
				}
			}
		})
	})
	t.Run("a_feature_of_weight_0_does_not_count_even_where_its_square_overflows", func(t *testing.T) {
		got := make([]float64, 4)
		squares(got, []float64{1e300, 3, -1e300, 3, 1e308, 3, 0, 3}, []float64{-1e308, 1}, []float64{0, 1})
		if diff := cmp.Diff([]float64{4, 4, 4, 4}, got); diff != "" { // (3 − 1)²
			t.Errorf("squares (-want +got):\n%s", diff)
		}
	})
}
