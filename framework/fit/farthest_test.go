package fit_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/fit"
)

func TestTheFarthestRowsAreThoseOfAFullSort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rows := make(line, 9000) // so many that a sample says which to sort
	distance, order := make([]float64, len(rows)), make([]int, len(rows))
	for i := range distance {
		distance[i] = float64(random.IntN(50)) * float64(1+i%10) // ties, and a regular order
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(distance[b], distance[a]), b-a) })
	for _, weight := range []float64{0, 0.5, 1, 180, 4500, 9000, 9001} {
		got := fit.Farthest(rows, distance, weight)
		if want := min(int(math.Ceil(weight)), len(rows)); len(got) != want {
			t.Fatalf("%d rows of weight %v, want %d", len(got), weight, want)
		}
		for i, f := range got {
			if f.Row != order[i] || f.Distance != distance[order[i]] || f.Weight != 1 {
				t.Fatalf("weight %v: at place %d is %+v, want row %d", weight, i, f, order[i])
			}
		}
	}
}
