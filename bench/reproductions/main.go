// Reproductions runs the simulated experiments of Zhang, Lange and Xu (2020) and prints
// their tables.
//
//	go run ./bench/reproductions [-trials N] [-most P] [-restarts N] EXPERIMENT
//	go run ./bench/reproductions rows P INFORMATIVE SEED >FILE.csv
//
// EXPERIMENT is time, clean, outliers, medians, local or missing. docs/reproductions has the results beside those of the paper.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// An experiment fits samples of several widths with several methods.
type experiment struct {
	k        int
	methods  []method
	draw     func(r *rand.Rand, p int) sample
	restarts int // of each fit, unless a flag says otherwise
}

var experiments = map[string]experiment{
	"time": {10, []method{skfr1, kmeans},
		func(r *rand.Rand, p int) sample { return groups(r, p, 10, false) }, 1},
	"clean": {10, []method{skfr1, skm1, kmeans},
		func(r *rand.Rand, p int) sample { return groups(r, p, 10, false) }, 20},
	"outliers": {10, []method{skfr1, skm1, kmeans},
		func(r *rand.Rand, p int) sample { return groups(r, p, 10, true) }, 20},
	"medians": {10, []method{skfrL1, kmedians},
		func(r *rand.Rand, p int) sample { return groups(r, p, 10, true) }, 20},
	"local": {5, []method{skfr2, skfr1, skm1, kmeans},
		func(r *rand.Rand, p int) sample { return classes(r, p, true, 3, 0) }, 20},
	"missing": {5, []method{skfr1, skfrFill, kpod},
		func(r *rand.Rand, p int) sample { return classes(r, p, false, 1.5, 0.1) }, 10},
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "reproductions:", err)
		os.Exit(1)
	}
}

func run() error {
	trials := flag.Int("trials", 20, "samples of each width")
	most := flag.Int("most", 1000, "largest number of features")
	restarts := flag.Int("restarts", 0, "starts of each fit; 0: as the paper has it")
	flag.Parse()
	if flag.Arg(0) == "rows" && flag.NArg() == 4 {
		return rows(flag.Args()[1:])
	}
	e, found := experiments[flag.Arg(0)]
	if !found || flag.NArg() != 1 {
		return errors.New("which experiment? time, clean, outliers, medians, local, missing, or rows P INFORMATIVE SEED")
	}
	e.restarts = cmp.Or(*restarts, e.restarts)
	fmt.Println("| p | method | starts in | median ARI | mean ARI | false positives | false negatives | iterations | median ms |")
	fmt.Println("|--:|---|---|--:|--:|--:|--:|--:|--:|")
	for _, p := range []int{20, 50, 100, 200, 500, 1000} {
		if p > *most {
			break
		}
		for _, m := range e.methods {
			for _, space := range []string{fit.Raw, fit.Fitted} {
				if err := e.print(p, m, space, *trials); err != nil {
					return fmt.Errorf("%s, p = %d: %w", m.name, p, err)
				}
			}
		}
	}
	return nil
}

// rows prints a sample of groups.
func rows(arguments []string) error {
	var numbers [3]int
	for i, text := range arguments {
		var err error
		if numbers[i], err = strconv.Atoi(text); err != nil {
			return err
		}
	}
	p, informative, seed := numbers[0], numbers[1], uint64(numbers[2])
	if informative < 1 || informative > p {
		return fmt.Errorf("there are %d informative features of %d", informative, p)
	}
	return groups(framework.Rand(seed, "reproductions", uint64(p)), p, informative, false).writeTo(os.Stdout)
}

// print prints the line of a method on all samples of p features, which are the same for
// all methods.
func (e experiment) print(p int, m method, space string, trials int) error {
	all := make([]outcome, trials)
	for t := range all {
		var err error
		s := e.draw(framework.Rand(uint64(t+1), "reproductions", uint64(p)), p)
		if all[t], err = m.fit(s, e.k, space, e.restarts, uint64(t+1)); err != nil {
			return err
		}
	}
	column := func(of func(outcome) float64) []float64 {
		values := make([]float64, trials)
		for t, o := range all {
			values[t] = of(o)
		}
		return values
	}
	ari := column(func(o outcome) float64 { return o.ari })
	fmt.Printf("| %d | %s | %s | %.3f | %s | %s | %s | %s | %.2f |\n", p, m.name, space, median(ari), mean(ari, 3),
		rate(column(func(o outcome) float64 { return o.positive })), rate(column(func(o outcome) float64 { return o.negative })),
		mean(column(func(o outcome) float64 { return o.iterations }), 1),
		median(column(func(o outcome) float64 { return 1000 * o.seconds })))
	return nil
}

// rate returns the median of rates, and their mean with its standard error.
func rate(values []float64) string {
	if math.IsNaN(values[0]) {
		return "–"
	}
	return fmt.Sprintf("%.3f (%s)", median(values), mean(values, 3))
}

// mean returns the mean with its standard error.
func mean(values []float64, digits int) string {
	n, sum, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	for _, v := range values {
		squares += (v - sum/n) * (v - sum/n)
	}
	return fmt.Sprintf("%.*f ± %.*f", digits, sum/n, digits, math.Sqrt(squares/(n-1)/n))
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
