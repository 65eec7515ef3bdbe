package fit_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	_ "github.com/sqlcluster/sqlcluster/internal/draws"
)

// heavy is rows of one column, with weights.
type heavy struct {
	line
	weights []float64
}

func (h heavy) Block(i int) framework.Block {
	b := h.line.Block(i)
	b.RowWeight = h.weights[b.Row0 : b.Row0+b.X.Rows]
	return b
}

func TestATailHasTheDistancesThatAFullSortHas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 7, 300, 9000}).Draw(t, "rows") // of many, a sample says which to look at
		values := rapid.SampledFrom([]int{1, 3, 1000, math.MaxInt32}).Draw(t, "values")
		random := framework.Rand(rapid.Uint64Range(0, 99).Draw(t, "seed"), "tail")
		rows := heavy{line: make(line, n), weights: make([]float64, n)}
		distance, order := make([]float64, n), []int(nil)
		for i := range distance {
			distance[i], rows.weights[i] = float64(random.IntN(values)), float64(random.IntN(3))
			if random.IntN(10) == 0 {
				distance[i] = math.NaN()
			} else {
				order = append(order, i)
			}
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(distance[b], distance[a]), b-a) })
		var beyond []float64
		for range 5 {
			beyond = append(beyond, rapid.Float64Range(0, 0.4).Draw(t, "share")*float64(n))
		}
		slices.Sort(beyond)
		for _, given := range []struct {
			framework.Rows
			weigh func(row int) float64
		}{{rows.line, func(int) float64 { return 1 }}, {rows, func(row int) float64 { return rows.weights[row] }}} {
			var want []float64
			passed := 0.0
			for _, row := range order {
				for passed += given.weigh(row); len(want) < len(beyond) && passed > beyond[len(want)]; {
					want = append(want, distance[row])
				}
			}
			if got := fit.Tail(given.Rows, distance, beyond); !slices.Equal(got, want) {
				t.Fatalf("tail %v beyond %v, want %v", got, beyond, want)
			}
		}
	})
}
