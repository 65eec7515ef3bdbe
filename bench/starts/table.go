package main

import (
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// same is the relative difference up to which objectives are equal.
const same = 1e-6

// worse returns by how much a is worse than b, relative to their size; 0 if it is not
// worse.
func worse(a, b float64) float64 {
	d := (a - b) / max(math.Abs(a), math.Abs(b), 1e-300)
	if d <= same {
		return 0
	}
	return d
}

// printTable sums cases up by key: for all starts, and for one start alone.
func printTable(title string, cases []comparison, key func(comparison) string) {
	fmt.Printf("\n| %s | fits | raw is worse | fitted is worse | median difference | mean loss: raw | fitted | both "+
		"| largest loss: raw | fitted | both | one start: raw is worse | fitted is worse |\n", title)
	fmt.Println("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
	parts := map[string][]comparison{}
	for _, c := range cases {
		parts[key(c)] = append(parts[key(c)], c)
	}
	for _, k := range slices.Sorted(maps.Keys(parts)) {
		fmt.Println(line(k, parts[k]))
	}
}

// line returns one line of the table. The loss of a policy is how much worse it is
// than the best of the three. The median is over the fits in which raw and fitted
// differ.
func line(name string, cases []comparison) string {
	var raw, fitted, oneRaw, oneFitted int // how many are worse
	var sum, most [policies]float64
	var differences []float64
	for _, c := range cases {
		of := c.best(0, restarts)
		best := slices.Min(of[:])
		for i, v := range of {
			sum[i] += worse(v, best)
			most[i] = max(most[i], worse(v, best))
		}
		count(&raw, &fitted, of)
		if d := max(worse(of[rawOnly], of[fittedOnly]), worse(of[fittedOnly], of[rawOnly])); d > 0 {
			differences = append(differences, d)
		}
		for start := range restarts {
			count(&oneRaw, &oneFitted, c.best(start, 1))
		}
	}
	text := fmt.Sprintf("| %s | %d | %d | %d | %s ", name, len(cases), raw, fitted, percent(median(differences), 2))
	for i := range sum {
		text += "| " + percent(sum[i]/float64(len(cases)), 2) + " "
	}
	for i := range most {
		text += "| " + percent(most[i], 0) + " "
	}
	return text + fmt.Sprintf("| %s | %s |", percent(float64(oneRaw)/float64(restarts*len(cases)), 0),
		percent(float64(oneFitted)/float64(restarts*len(cases)), 0))
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// count counts which of the two policies is worse.
func count(raw, fitted *int, of [policies]float64) {
	switch {
	case worse(of[rawOnly], of[fittedOnly]) > 0:
		*raw++
	case worse(of[fittedOnly], of[rawOnly]) > 0:
		*fitted++
	}
}

func percent(v float64, digits int) string { return strconv.FormatFloat(100*v, 'f', digits, 64) + " %" }

// writeCSV writes a line for each case.
func writeCSV(path string, cases []comparison) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(file)
	_ = w.Write([]string{"kind", "data", "algorithm", "k", "seed", "space", "start", "objective"})
	for _, c := range cases {
		for space, of := range map[string][]float64{fit.Raw: c.raw, fit.Fitted: c.fitted} {
			for start, v := range of {
				_ = w.Write([]string{c.kind, c.data, c.algorithm, strconv.Itoa(c.k), strconv.FormatUint(c.seed, 10), space,
					strconv.Itoa(start), strconv.FormatFloat(v, 'g', -1, 64)})
			}
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}
