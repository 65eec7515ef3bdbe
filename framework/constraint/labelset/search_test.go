package labelset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// column returns a table of one column of numbers.
func column(k int, numbers []float64) framework.LabelTable {
	return framework.LabelTable{N: len(numbers), K: k, Columns: []framework.LabelColumn{{Name: "w", Numbers: numbers}}}
}

// narrow draws amounts of 24 rows that six clusters share to one part in a hundred, and costs.
func narrow(seed uint64) (table framework.LabelTable, line string, at framework.LabelCosts) {
	random := rand.New(rand.NewPCG(seed, 1))
	numbers, sum := make([]float64, 24), 0.0
	for i := range numbers {
		numbers[i] = float64(10 + random.IntN(90))
		sum += numbers[i]
	}
	at = framework.LabelCosts{Costs: framework.NewMatrix(24, 6)}
	for i := range at.Costs.Data {
		at.Costs.Data[i] = float64(random.IntN(1000))
	}
	return column(6, numbers), fmt.Sprintf("capacity - w %g %g", sum/6*0.99, sum/6*1.01), at
}

func TestASearchGoesOnAsLongAsNothingIsFound(t *testing.T) {
	found := 0
	for seed := range uint64(30) {
		table, line, at := narrow(seed)
		labels := slices.Repeat([]int32{-1}, table.N)
		if _, err := declared(t, table, line).Project(t.Context(), labels, at); err == nil {
			found++
		}
	}
	if found != 30 {
		t.Fatalf("labels within one part in a hundred are found for %d of 30 tables", found)
	}
}

func TestTightLimitsAreKept(t *testing.T) {
	for _, c := range []struct {
		n, k   int
		lo, hi float64 // of the mean of a cluster
		sizes  bool    // all the same
	}{{40, 5, 0, 1.01, false}, {60, 10, 0, 1.01, false}, {60, 10, 0, 1.02, true}, {200, 20, 0, 1.002, false}, {200, 20, 0.995, 1.005, false}} {
		random := rand.New(rand.NewPCG(3, 1))
		numbers, sum := make([]float64, c.n), 0.0
		for i := range numbers {
			numbers[i] = float64(10 + random.IntN(90))
			sum += numbers[i]
		}
		mean := sum / float64(c.k)
		lines := []string{fmt.Sprintf("capacity - w %g %g", math.Floor(mean*c.lo), math.Ceil(mean*c.hi))}
		if c.sizes {
			lines = append(lines, fmt.Sprintf("size - - %d %d", c.n/c.k, c.n/c.k))
		}
		set, labels := declared(t, column(c.k, numbers), lines...), slices.Repeat([]int32{-1}, c.n)
		must.Get(set.Project(t.Context(), labels, blobs(3, c.n, c.k)))(t)
		must.Equal(t, 0.0, set.Violation(labels))
	}
}

func TestOneClusterIsAnsweredForAnyNumberOfRows(t *testing.T) {
	const n = 3_000_000 // rows of one call each would need more than the stack has
	numbers := slices.Repeat([]float64{1}, n)
	at := framework.LabelCosts{Costs: framework.NewMatrix(n, 1)}
	for lines, some := range map[string]bool{"capacity - w - 3e6": true, "capacity - w - 2999999": false} {
		set := declared(t, column(1, numbers), lines)
		labels := slices.Repeat([]int32{-1}, n)
		_, err := set.Project(t.Context(), labels, at)
		if (err == nil) != some || (set.Feasible(t.Context()) == nil) != some {
			t.Fatalf("%s: Project says %v, and Feasible %v", lines, err, set.Feasible(t.Context()))
		}
	}
}

func TestALimitBeyondAllAmountsLeavesTheOtherAsItIs(t *testing.T) {
	numbers := slices.Repeat([]float64{0.5}, 12)
	at := framework.LabelCosts{Costs: framework.NewMatrix(12, 2)}
	for i := range 12 {
		at.Costs.Row(i)[1] = float64(i + 1)
	}
	for _, lo := range []string{"2.5 100", "2.5 1e18", "2.5 1e300", "2.5 -", "-100 3.5", "-1e300 3.5"} {
		labels := slices.Repeat([]int32{-1}, 12)
		set := declared(t, column(2, numbers), "capacity - w "+lo)
		must.Get(set.Project(t.Context(), labels, at))(t)
		must.Equal(t, []int32{1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}, labels) // five halves are 2.5, seven 3.5
	}
	for _, none := range []string{"7 -", "1e18 -", "1e300 1e301", "- -7", "-1e301 -1e300"} {
		set := declared(t, column(2, numbers), "capacity - w "+none)
		if f := framework.AsFault(set.Feasible(t.Context())); f == nil || f.Code != "infeasible-labels" {
			t.Fatalf("%s: %v", none, f)
		}
	}
}

func TestSizesThatAreNotDeclaredAreShownAsNone(t *testing.T) {
	labels := []int32{0, 0, 1}
	inf := math.Inf(1)
	for line, want := range map[string][2]float64{"size 0 - 1 -": {1, inf}, "size 0 - - 100": {-inf, 100}, "share 0 - 0.5 -": {2, inf}} {
		l := declared(t, column(2, []float64{1, 1, 1}), line).Limits(labels, nil)[0]
		must.Equal(t, want, [2]float64{l.Lo, l.Hi})
	}
}

func TestWhatEveryLabelOfARowCostsMovesNoSearch(t *testing.T) {
	for seed := range uint64(10) {
		table, line, at := narrow(seed)
		set := declared(t, table, line)
		gap := [2]float64{}
		for i, offset := range []float64{0, 1e8} { // which double precision adds to whole numbers without rounding
			moved := framework.LabelCosts{Costs: framework.NewMatrix(table.N, table.K)}
			for c, v := range at.Costs.Data {
				moved.Costs.Data[c] = v + offset
			}
			labels := slices.Repeat([]int32{-1}, table.N)
			point := must.Get(set.Project(t.Context(), labels, moved))(t)
			gap[i] = point.Cost - point.Bound
		}
		if plain := gap[0]; gap[1] > 1.2*plain+24 {
			t.Fatalf("table %d: the gap is %g, and %g with 1e8 more for each row", seed, plain, gap[1])
		}
	}
}
