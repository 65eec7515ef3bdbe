package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A ratio is of two numbers that benchmarks of one package report, or a number that
// one of them reports and that is a ratio already.
type ratio struct {
	name   string
	pkg    string
	above  number
	below  number // no benchmark: 1
	better string // "high" or "low"
	stored float64
}

// A number is what a benchmark reports in a unit: ns/op, GFLOP/s.
type number struct{ benchmark, unit string }

// none is what stands for a ratio that was not measured.
const none = "–"

// The columns of ratios.tsv.
const columns = "name\tpackage\tabove\tunit\tbelow\tunit\tbetter\tratio"

// parse reads a file of ratios. Lines that begin with # are left out.
func parse(file []byte) (all []ratio, err error) {
	lines := bufio.NewScanner(bytes.NewReader(file))
	for line := 1; lines.Scan(); line++ {
		text := lines.Text()
		if text == "" || text == columns || strings.HasPrefix(text, "#") {
			continue
		}
		f := strings.Split(text, "\t")
		if len(f) != strings.Count(columns, "\t")+1 || f[6] != "high" && f[6] != "low" {
			return nil, fmt.Errorf("line %d is not %q", line, columns)
		}
		r := ratio{name: f[0], pkg: f[1], above: number{f[2], f[3]}, below: number{f[4], f[5]}, better: f[6]}
		if f[7] == none {
			r.stored = math.NaN() // which nothing is worse than
		} else if r.stored, err = strconv.ParseFloat(f[7], 64); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		all = append(all, r)
	}
	return all, lines.Err()
}

// format writes a file of ratios.
func format(all []ratio) []byte {
	var b bytes.Buffer
	b.WriteString("# Written by go run ./bench/check -update, but for the choice of ratios.\n" + columns + "\n")
	for _, r := range all {
		b.WriteString(strings.Join([]string{r.name, r.pkg, r.above.benchmark, r.above.unit, r.below.benchmark, r.below.unit, r.better,
			round(r.stored)}, "\t") + "\n")
	}
	return b.Bytes()
}

// byPackage returns the ratios of each package, in the order of their first ones.
func byPackage(all []ratio) (groups [][]ratio) {
	for _, r := range all {
		i := slices.IndexFunc(groups, func(g []ratio) bool { return g[0].pkg == r.pkg })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// patterns returns what go test -bench takes to run these benchmarks and no others:
// one pattern for each, since the levels of a pattern are matched one by one.
func patterns(group []ratio) (all []string) {
	for _, r := range group {
		for _, n := range []number{r.above, r.below} {
			levels := strings.Split(n.benchmark, "/")
			for i, level := range levels {
				levels[i] = "^" + regexp.QuoteMeta(level) + "$"
			}
			if pattern := strings.Join(levels, "/"); n.benchmark != "" && !slices.Contains(all, pattern) {
				all = append(all, pattern)
			}
		}
	}
	return all
}

// runs are the lines that benchmarks print.
type runs []run

type run struct {
	pkg, benchmark string
	values         map[string]float64 // by unit
}

// processors is what the testing package appends to names.
var processors = regexp.MustCompile(`-\d+$`)

// readRuns reads what go test -bench prints for a package.
func readRuns(pkg string, out []byte) (all runs) {
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		r := run{pkg: pkg, benchmark: processors.ReplaceAllString(f[0], ""), values: map[string]float64{}}
		for i := 2; i+1 < len(f); i += 2 {
			if v, err := strconv.ParseFloat(f[i], 64); err == nil {
				r.values[f[i+1]] = v
			}
		}
		all = append(all, r)
	}
	return all
}

// best returns the best of the numbers that a benchmark has reported: the largest of
// something a second, the smallest of times. A number that is a ratio already is the
// median.
func (all runs) best(pkg string, n number, isRatio bool) (float64, bool) {
	var found []float64
	for _, r := range all {
		if v, ok := r.values[n.unit]; ok && r.pkg == pkg && r.benchmark == n.benchmark {
			found = append(found, v)
		}
	}
	switch {
	case len(found) == 0:
		return math.NaN(), false
	case isRatio:
		slices.Sort(found)
		return found[len(found)/2], true
	case strings.HasSuffix(n.unit, "/s"):
		return slices.Max(found), true
	}
	return slices.Min(found), true
}

// measure returns the ratio in the runs, false if a benchmark did not run.
func (r ratio) measure(all runs) (float64, bool) {
	above, ok := all.best(r.pkg, r.above, r.below.benchmark == "")
	if r.below.benchmark == "" || !ok {
		return above, ok
	}
	below, ok := all.best(r.pkg, r.below, false)
	return above / below, ok
}

// isWorse reports whether the ratio is worse than the stored one by more than a share.
func (r ratio) isWorse(now, share float64) bool {
	worse, better := r.stored, now
	if r.better == "low" {
		worse, better = now, r.stored
	}
	return cmp.Compare(better, worse*(1-share)) < 0
}
