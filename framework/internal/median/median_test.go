package median_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework/internal/median"
)

func TestMedianMinimisesTheSumOfDistancesAndIsTheMidpointOfAllThatDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := make([]median.Cell, rapid.IntRange(1, 9).Draw(t, "n"))
		for i := range cells {
			cells[i] = median.Cell{Value: float64(rapid.IntRange(-4, 4).Draw(t, "value")), Weight: float64(rapid.IntRange(1, 3).Draw(t, "weight"))}
		}
		cost := func(m float64) (sum float64) {
			for _, c := range cells {
				sum += c.Weight * math.Abs(c.Value-m)
			}
			return sum
		}
		got := median.Of(cells)
		low, high, best := 0.0, 0.0, math.Inf(1)
		for v := -4.0; v <= 4; v++ { // the cost is linear between integers
			switch c := cost(v); {
			case c < best:
				low, high, best = v, v, c
			case c == best:
				high = v
			}
		}
		if want := (low + high) / 2; got != want || cost(got) != best {
			t.Fatalf("median %v of %v, want %v", got, cells, want)
		}
	})
}
