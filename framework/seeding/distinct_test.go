package seeding

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestDistinctRows(t *testing.T) {
	t.Run("is_the_number_of_different_rows_of_positive_weight_up_to_the_bound", func(t *testing.T) {
		hashes := map[string]func([]float64) uint64{
			"row hash":           hashRow,
			"always a collision": func([]float64) uint64 { return 7 },
		}
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			data.weight = gridWeights(t, data.Len())
			texts := map[string]bool{}
			for i, w := range data.weight {
				if w > 0 {
					texts[fmt.Sprint(data.x.Row(i))] = true
				}
			}
			atLeast := rapid.IntRange(0, 30).Draw(t, "at least")
			for name, hash := range hashes {
				if got, want := distinct(data, atLeast, denseRow, hash, equal), min(atLeast, len(texts)); got != want {
					t.Fatalf("%s: %d distinct rows of %d", name, got, want)
				}
			}
		})
	})
	t.Run("zeros_of_both_signs_are_equal_and_so_are_all_missing_cells", func(t *testing.T) {
		otherNaN := math.Float64frombits(0x7ff8dead00000001)
		data := tableOf(
			[]float64{0, math.NaN()}, []float64{math.Copysign(0, -1), otherNaN},
			[]float64{0, 0}, []float64{math.NaN(), 0},
		)
		if got := DistinctRows(data, 10); got != 3 {
			t.Errorf("%d distinct rows, not 3", got)
		}
	})
	t.Run("keeps_no_more_rows_than_asked_for", func(t *testing.T) {
		hashed := 0
		counting := func(row []float64) uint64 { hashed++; return hashRow(row) }
		data := table{x: normal(1000, 2, 1), block: 100}
		if got := distinct(data, 8, denseRow, counting, equal); got != 8 || hashed != 8 {
			t.Errorf("found %d, looked at %d; normal rows are all different", got, hashed)
		}
	})
}
