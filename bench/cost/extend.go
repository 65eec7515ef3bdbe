package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// What is assumed of servers, beside what was measured.
const (
	cores     = 16     // of each server, as fast as those that were measured, which had other work, too
	tripTime  = 0.5e-3 // seconds to a server and back
	bandwidth = 1.25e9 // bytes a second, of the server that is asked
	mergeTime = 20e-9  // seconds to add one number of a shard to another
	uneven    = 0.1    // standard deviation of the logarithm of a shard's time
	late      = 0.01   // probability that a shard takes three times as long
	draws     = 2000
)

// extended is a table of iterations over more rows, on more servers: the mean over drawn times
// of the slowest shard, and the 95th percentile.
func extended(m model, engine string) string {
	var b strings.Builder
	b.WriteString("| rows | columns | k | servers | iteration, s | of that the slowest shard, s | 95th percentile, s |\n")
	b.WriteString("|---|---|---|---|---|---|---|\n")
	r := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []float64{1e9, 1e10} {
		for _, k := range []float64{10, 100} {
			for _, servers := range []int{1, 10, 100} {
				if engine == "duckdb" && servers > 1 {
					continue
				}
				l := line{servers: float64(servers), rows: rows, p: 20, k: k}
				all := make([]float64, draws)
				mean, slow := 0.0, 0.0
				for i := range all {
					var s float64
					all[i], s = m.drawn(l, r)
					mean, slow = mean+all[i]/draws, slow+s/draws
				}
				slices.Sort(all)
				fmt.Fprintf(&b, "| 10^%.0f | %.0f | %.0f | %d | %.3g | %.3g | %.3g |\n",
					math.Log10(rows), l.p, k, servers, mean, slow, all[draws*95/100])
			}
		}
	}
	return b.String()
}

// drawn draws the time of an iteration, and what of it the slowest shard takes.
func (m model) drawn(l line, r *rand.Rand) (all, slowest float64) {
	plan, here, parts := 0.0, 0.0, l.parts()
	for i := range terms {
		switch {
		case i >= planning:
			here += m[i] * parts[i]
		case i == sharing:
			plan += m[i] * parts[i]
		case l.servers > 1: // the server that is asked, and then the others, side by side
			plan += 2 * m[i] * parts[i] / l.servers
		default:
			plan += m[i] * parts[i]
		}
	}
	each := here / cores / l.servers
	for range int(l.servers) {
		t := each * math.Exp(uneven*r.NormFloat64())
		if r.Float64() < late {
			t *= 3
		}
		slowest = max(slowest, t)
	}
	numbers := l.k * (2*l.p + 4) // sums in two parts, and counts
	ship := 0.0
	if l.servers > 1 {
		ship = tripTime + l.servers*numbers*(8/bandwidth+mergeTime)
	}
	return plan + slowest + ship, slowest
}
