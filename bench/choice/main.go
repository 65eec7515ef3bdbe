// Command choice compares rules that choose a number of clusters, on mixtures of normal
// clusters that overlap and on rows without clusters. Its argument is how many tables
// of each kind are drawn. docs/tuning.md has what it found.
package main

import (
	"context"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

const (
	draws = 40
	mostK = 10
)

// choices returns the number of clusters that each rule chooses; 1: there is no
// structure.
func choices(rows clustertest.Rows) map[string]int {
	rows.Standardise()
	p, data := rows.Problem(1), matrix.FromMatrix(rows.X, nil, 0)
	params, err := skfr.KMeans{}.Describe().Resolve(nil)
	check(err)
	s := tune.Study{Methods: tune.Methods(), Draws: draws, Seed: 1, Threads: 2}
	for k := 1; k <= mostK; k++ {
		s.Candidates = append(s.Candidates, tune.Candidate{K: k, Params: params})
	}
	ctx := context.Background()
	check(s.Run(func(sweep tune.Sweep, each func(tune.Trial) error) error {
		sweep.Settings = fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: 10, MaxIter: 300, Empty: framework.Reseed, Threads: 2}
		return sweep.Run(ctx, tune.Here(skfr.KMeans{}, nil), p, data, each)
	}, nil))
	all, err := s.Judge(ctx, data)
	check(err)
	chosen := map[string]int{}
	for _, j := range all {
		switch chosen[string(j.Method)] = 1 + max(0, j.Best); {
		case j.Method == tune.MethodGap && j.P > 0.05:
			chosen[string(j.Method)] = 1
		case j.Method == tune.MethodGapAxes:
			chosen["gap-axes, first within one standard error"] = 1 + j.OneSE
			delete(chosen, string(j.Method))
			other(chosen, j.Values)
		}
	}
	return chosen
}

// other adds the choices of other rules for the same gaps.
func other(chosen map[string]int, gaps []tune.Value) {
	best := 0
	for i, v := range gaps {
		if v.Score > gaps[best].Score {
			best = i
		}
	}
	chosen["gap-axes, largest gap"] = 1 + best
	chosen["gap-axes, within one standard error of the largest"] = 1 + slices.IndexFunc(gaps, func(v tune.Value) bool {
		return v.Score >= gaps[best].Score-gaps[best].Error
	})
	paper := 0
	for paper+1 < len(gaps) && gaps[paper+1].Score-gaps[paper+1].Error > gaps[paper].Score {
		paper++
	}
	chosen["gap-axes, rule of the paper"] = 1 + paper
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	count := 10
	if len(os.Args) > 1 {
		var err error
		count, err = strconv.Atoi(os.Args[1])
		check(err)
	}
	columns, sizes := []int{2, 4, 8, 15, 20}, []int{200, 400, 800}
	right := map[string]int{}
	for i := range count {
		m := clustertest.Mixture{K: 2 + i%7, P: columns[i/2%5], N: sizes[i%3], Seed: uint64(i + 1)}
		rows, _ := m.Rows()
		for rule, k := range choices(rows) {
			if k == m.K {
				right[rule]++
			}
		}
	}
	report(fmt.Sprintf("of %d mixtures, the right k in", count), right)
	for _, uniform := range []bool{false, true} {
		for _, correlated := range []bool{false, true} {
			none := map[string]int{}
			for i := range count {
				b := clustertest.Blob{P: columns[i%5], N: sizes[i%3], Uniform: uniform, Correlated: correlated, Seed: uint64(i + 1)}
				for rule, k := range choices(b.Rows()) {
					if k == 1 {
						none[rule]++
					}
				}
			}
			report(fmt.Sprintf("of %d without clusters (uniform %v, correlated %v), no structure in", count, uniform, correlated), none)
		}
	}
}

func report(title string, counts map[string]int) {
	fmt.Println(title)
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("  %3d  %s\n", counts[rule], rule)
	}
}
