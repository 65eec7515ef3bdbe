// Command check runs some benchmarks and compares their ratios with those that are
// stored in ratios.tsv. A ratio is of two numbers of one run of one benchmark, so that
// it says little of the machine and much of the code: a kernel against the portable
// one, an iteration against a pass over all rows, one thread against two.
//
//	go run ./bench/check            # compare, and end with status 1 if one is worse
//	go run ./bench/check -update    # store what is measured
//
// Run it on a machine that has nothing else to do.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"text/tabwriter"
)

func main() {
	file := flag.String("ratios", filepath.Join("bench", "check", "ratios.tsv"), "the stored ratios")
	count := flag.Int("count", 3, "how often each benchmark is run; the best counts")
	worse := flag.Float64("worse", 0.25, "the share by which a ratio may be worse than the stored one")
	update := flag.Bool("update", false, "store what is measured")
	flag.Parse()
	ok, err := check(*file, *count, *worse, *update)
	if err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// check measures all ratios of a file, prints them, and reports whether none is worse.
func check(file string, count int, worse float64, update bool) (bool, error) {
	stored, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	ratios, err := parse(stored)
	if err != nil {
		return false, fmt.Errorf("%s: %w", file, err)
	}
	var runs runs
	for _, group := range byPackage(ratios) {
		out, err := bench(group, count)
		if err != nil {
			return false, err
		}
		runs = append(runs, readRuns(group[0].pkg, out)...)
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ratio\tstored\tmeasured\t")
	good := true
	for i := range ratios {
		r := &ratios[i]
		was := r.stored
		now, found := r.measure(runs)
		verdict := "not on this machine"
		if found {
			verdict = "as good"
			if r.isWorse(now, worse) {
				verdict, good = "worse", false
			}
			if update {
				r.stored, verdict = now, "stored"
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", r.name, round(was), round(now), verdict)
	}
	if err := t.Flush(); err != nil {
		return false, err
	}
	if update {
		return true, os.WriteFile(file, format(ratios), 0o644)
	}
	return good, nil
}

// bench runs the benchmarks of one package.
func bench(group []ratio, count int) ([]byte, error) {
	var all bytes.Buffer
	for _, pattern := range patterns(group) {
		cmd := exec.Command("go", "test", "-run", "^$", "-bench", pattern, "-count", strconv.Itoa(count), group[0].pkg)
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", group[0].pkg, err, out)
		}
		all.Write(out)
	}
	return all.Bytes(), nil
}

// round writes a ratio with three digits, or none.
func round(v float64) string {
	if math.IsNaN(v) {
		return none
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
