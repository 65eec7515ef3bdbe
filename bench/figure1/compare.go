package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A point has the reference's scores for one setting.
type point struct {
	setting
	rows []referenceRow
}

// A referenceRow is a row of the reference's file.
type referenceRow struct {
	method string // LKM, PCKM, or SKM and PCSKM with the rule for the bound
	bound  string // "" if there is no single bound
	mean   float64
	error  float64 // standard error of the mean of the folds; NaN: not given
	failed int
}

// readReference reads a file of the reference's scores.
func readReference(path string) ([]point, error) {
	header, lines, err := readTable(path)
	if err != nil {
		return nil, err
	}
	const want = "init,constraints,percent,method,s,mean_f,std_error_runs,std_error_folds,runs,failed_fits"
	if got := strings.Join(header, ","); got != want {
		return nil, fmt.Errorf("%s has the columns %s", path, got)
	}
	var all []point
	for _, l := range lines {
		var numbers [5]float64
		for i, cell := range []string{l[2], l[5], l[7], l[8], l[9]} {
			if numbers[i] = math.NaN(); cell != "" {
				if numbers[i], err = strconv.ParseFloat(cell, 64); err != nil {
					return nil, fmt.Errorf("%s: %w", path, err)
				}
			}
		}
		s := setting{init: l[0], kind: l[1], percent: numbers[0], runs: int(numbers[3])}
		if len(all) == 0 || all[len(all)-1].setting != s {
			all = append(all, point{setting: s})
		}
		p := &all[len(all)-1]
		p.rows = append(p.rows, referenceRow{method: l[3], bound: l[4], mean: numbers[1], error: numbers[2], failed: int(numbers[4])})
	}
	return all, nil
}

// A summary is what a row of the reference says about the scores of one method.
type summary struct {
	bound  string // "" if there is no single bound
	mean   float64
	error  float64 // of the mean of the folds
	failed int
}

// summarise summarises the scores in the way of the reference's rows.
func (all scores) summarise(method string) summary {
	name, how, _ := strings.Cut(method, "_")
	var best summary
	switch how {
	case "best_s_per_fold":
		return average(combine(all[name], math.Max, math.Inf(-1), func(sum float64, _ int) float64 { return sum }), "")
	case "mean_over_s":
		return average(combine(all[name], func(x, y float64) float64 { return x + y }, 0,
			func(sum float64, n int) float64 { return sum / float64(n) }), "")
	}
	for i, bound := range sortedBounds(all[name]) {
		if s := average(all[name][bound], bound); i == 0 || s.mean > best.mean {
			best = s
		}
	}
	return best
}

// combine combines the scores of all bounds into one, for each run and fold. It
// leaves out failed fits.
func combine(of map[string][][folds]float64, add func(x, y float64) float64, first float64,
	end func(sum float64, n int) float64) [][folds]float64 {
	var out [][folds]float64
	for _, f := range of {
		out = make([][folds]float64, len(f))
	}
	for run := range out {
		for fold := range folds {
			sum, n := first, 0
			for _, b := range sortedBounds(of) {
				if v := of[b][run][fold]; v == v {
					sum, n = add(sum, v), n+1
				}
			}
			if out[run][fold] = math.NaN(); n > 0 {
				out[run][fold] = end(sum, n)
			}
		}
	}
	return out
}

// sortedBounds returns the bounds in ascending order. Sorting texts is enough: all
// have one digit before the point.
func sortedBounds(of map[string][][folds]float64) []string { return slices.Sorted(maps.Keys(of)) }

// average returns the mean over runs and folds, with its standard error by the means
// of the folds.
func average(f [][folds]float64, bound string) summary {
	s := summary{bound: bound}
	var means [folds]float64
	total, count := 0.0, 0
	for fold := range folds {
		sum, n := 0.0, 0
		for _, run := range f {
			if run[fold] != run[fold] {
				s.failed++
				continue
			}
			sum, n = sum+run[fold], n+1
		}
		means[fold] = sum / float64(n)
		total, count = total+sum, count+n
	}
	s.mean = total / float64(count)
	square := 0.0
	for _, m := range means {
		square += (m - s.mean) * (m - s.mean)
	}
	s.error = math.Sqrt(square / (folds - 1) / folds)
	return s
}

// A comparison has a score of ours and one of the reference.
type comparison struct {
	setting
	theirs referenceRow
	ours   summary
}

// compare returns the comparisons for a point.
func compare(p point, all scores) []comparison {
	var out []comparison
	for _, row := range p.rows {
		out = append(out, comparison{p.setting, row, all.summarise(row.method)})
	}
	return out
}

// standardError is the reference's, or ours if it gives none.
func (c comparison) standardError() float64 {
	if c.theirs.error == c.theirs.error {
		return c.theirs.error
	}
	return c.ours.error
}

// within reports whether the means are at most two standard errors apart.
func (c comparison) within() bool {
	return math.Abs(c.ours.mean-c.theirs.mean) <= 2*c.standardError()
}

const tableHead = `| start | pairs | % | method | s: ours, reference | F: ours | reference | difference in SE | within 2 SE |
|---|---|---|---|---|---|---|---|---|`

// String is a row of the table.
func (c comparison) String() string {
	verdict := "yes"
	if !c.within() {
		verdict = "**no**"
	}
	bounds := ""
	if c.theirs.bound != "" {
		bounds = c.ours.bound + ", " + c.theirs.bound
	}
	return fmt.Sprintf("| %s | %s | %g | %s | %s | %.4f | %.4f | %.2f | %s |", c.init, c.kind, c.percent, c.theirs.method, bounds,
		c.ours.mean, c.theirs.mean, (c.ours.mean-c.theirs.mean)/c.standardError(), verdict)
}
