package labelset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
)

const seeds = 20

func TestTight(t *testing.T) {
	for _, c := range []struct {
		n, k int
		make string
	}{{24, 6, "cap1"}, {40, 5, "cap1"}, {60, 10, "cap1"}, {60, 10, "cap3"}, {60, 10, "both"}, {200, 20, "cap.2"}, {200, 20, "two.5"}} {
		found, gap, start := 0, 0.0, time.Now()
		costs, bounds := 0.0, 0.0
		slow := time.Duration(0)
		for seed := range uint64(seeds) {
			random := rand.New(rand.NewPCG(seed, 1))
			numbers, sum := make([]float64, c.n), 0.0
			for i := range numbers {
				numbers[i] = float64(10 + random.IntN(90))
				sum += numbers[i]
			}
			table := column(c.k, numbers)
			g := framework.LabelColumn{Name: "g", Values: []string{"a", "b", "c"}}
			counts := [3]float64{}
			for range c.n {
				v := int32(min(random.IntN(4), 2))
				g.Codes = append(g.Codes, v)
				counts[v]++
			}
			table.Columns = append(table.Columns, g)
			k := float64(c.k)
			var lines []string
			switch c.make {
			case "cap1":
				lines = []string{fmt.Sprintf("capacity - w - %g", math.Ceil(sum/k*1.01))}
			case "cap3":
				lines = []string{fmt.Sprintf("capacity - w - %g", math.Ceil(sum/k*1.03))}
			case "cap.2":
				lines = []string{fmt.Sprintf("capacity - w - %g", math.Ceil(sum/k*1.002))}
			case "two.5":
				lines = []string{fmt.Sprintf("capacity - w %g %g", math.Floor(sum/k*0.995), math.Ceil(sum/k*1.005))}
			case "both":
				lines = []string{fmt.Sprintf("capacity - w - %g", math.Ceil(sum/k*1.02)), fmt.Sprintf("size - - %d %d", c.n/c.k, c.n/c.k)}
			case "bal":
				lines = []string{fmt.Sprintf("balance - g 0.2 0.55")}
			case "balsize":
				lines = []string{fmt.Sprintf("balance - g 0.2 0.52"), fmt.Sprintf("size - - %d %d", c.n/c.k, c.n/c.k)}
			}
			at := blobs(seed, c.n, c.k)
			labels := slices.Repeat([]int32{-1}, c.n)
			t0 := time.Now()
			if p, err := declared(t, table, lines...).Project(t.Context(), labels, at); err == nil {
				found++
				gap += (p.Cost - p.Bound) / p.Cost
				costs, bounds = costs+p.Cost, bounds+p.Bound
			}
			slow = max(slow, time.Since(t0))
		}
		fmt.Printf("%v found %d of 20, cost %.6g bound %.6g mean gap %.4f, %v each, slowest %v\n", c, found, costs, bounds, gap/float64(max(found, 1)), time.Since(start)/20, slow)
	}
}
