package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// stratified returns a fold for each row, so that each fold has its share of each
// class, up to one row. The extra rows are spread over all folds.
func stratified(truth []int32, seed uint64) []int {
	random := framework.Rand(seed, "folds")
	fold, next := make([]int, len(truth)), 0
	for c := range slices.Max(truth) + 1 {
		var rows []int
		for i, of := range truth {
			if of == c {
				rows = append(rows, i)
			}
		}
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		for _, i := range rows {
			fold[i] = next % folds
			next++
		}
	}
	return fold
}

// pool returns all pairs of rows that are not of the fold.
func pool(fold []int, f int) []pair {
	var all []pair
	for b := range fold {
		for a := range b {
			if fold[a] != f && fold[b] != f {
				all = append(all, pair{int32(a), int32(b)})
			}
		}
	}
	return all
}

// count returns how many pairs a percentage is: an even number, of the pool of the
// first fold.
func (d *dataset) count(percent float64) int {
	n := int(math.Round(percent / 100 * float64(len(d.pools[0]))))
	return n + n%2
}

// draw draws pairs from the pool of a fold: all must or cannot, or in two halves that
// are drawn independently, so that a pair may be in both and then counts twice.
func (d *dataset) draw(s setting, run, fold int) []framework.Link {
	random := framework.Rand(d.seed, "pairs "+s.init+s.kind, uint64(s.percent*1000), uint64(run), uint64(fold))
	var from []pair
	for _, p := range d.pools[fold] {
		if same := d.truth[p.a] == d.truth[p.b]; s.kind == "both" || same == (s.kind == "ml") {
			from = append(from, p)
		}
	}
	n := d.count(s.percent)
	if s.kind != "both" {
		return d.links(nil, from, n, random)
	}
	return d.links(d.links(nil, from, n/2, random), from, n/2, random)
}

// links appends n different pairs as links, by the classes of their rows.
func (d *dataset) links(all []framework.Link, from []pair, n int, random *rand.Rand) []framework.Link {
	for _, i := range random.Perm(len(from))[:min(n, len(from))] {
		p := from[i]
		all = append(all, framework.Link{A: p.a, B: p.b, Cannot: d.truth[p.a] != d.truth[p.b], Weight: 1})
	}
	return all
}
