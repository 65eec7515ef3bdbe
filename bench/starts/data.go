package main

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A dataset has rows in original units; a missing cell is NaN.
type dataset struct {
	kind, name string
	rows       [][]float64
}

// standardised returns the rows as in a fit, and the problem without k.
func (d dataset) standardised() (*matrix.Data, framework.Problem, error) {
	x := framework.NewMatrix(len(d.rows), len(d.rows[0]))
	for i, row := range d.rows {
		copy(x.Row(i), row)
	}
	b, err := matrix.BuilderOf(x, nil, matrix.Options{})
	if err != nil {
		return nil, framework.Problem{}, err
	}
	sources := make([]matrix.Source, x.Cols)
	for l := range sources {
		sources[l].Name = "x" + strconv.Itoa(l)
	}
	data, _, p, err := matrix.Prepare(b, sources, matrix.Scaling{Center: "mean", Scale: "sd"}, nil)
	return data, p, err
}

// readCSV reads a file with a header, compressed or not. It leaves out columns with
// text, and those to drop.
func readCSV(path string, drop []string) (dataset, error) {
	dir, name := filepath.Split(strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".csv"))
	if name == "X" || strings.HasPrefix(name, "data") { // one of several: the directory says which
		name = filepath.Base(dir) + strings.Trim(strings.TrimPrefix(name, "data"), "X")
	}
	d := dataset{name: name}
	file, err := os.Open(path)
	if err != nil {
		return d, err
	}
	defer func() { _ = file.Close() }()
	var text io.Reader = file
	if strings.HasSuffix(path, ".gz") {
		if text, err = gzip.NewReader(file); err != nil {
			return d, err
		}
	}
	lines, err := csv.NewReader(text).ReadAll()
	if err != nil {
		return d, err
	}
	if len(lines) < 2 {
		return d, fmt.Errorf("%s has no rows", path)
	}
	d.rows = make([][]float64, len(lines)-1)
	for l, column := range lines[0] {
		if slices.Contains(drop, column) {
			continue
		}
		values := make([]float64, len(d.rows))
		numeric := true
		for i, line := range lines[1:] {
			if values[i] = math.NaN(); line[l] != "" && line[l] != "NA" {
				values[i], err = strconv.ParseFloat(line[l], 64)
				numeric = numeric && err == nil
			}
		}
		if numeric {
			for i, v := range values {
				d.rows[i] = append(d.rows[i], v)
			}
		}
	}
	return d, nil
}

// madeUp returns data sets of 300 rows in 5 normal clusters.
func madeUp(draws int) (all []dataset) {
	for _, kind := range []struct {
		name string
		make func(r *rand.Rand) [][]float64
	}{
		{"made up: all columns matter", func(r *rand.Rand) [][]float64 { return clusters(r, 8, 0, 1) }},
		{"made up: noise columns", func(r *rand.Rand) [][]float64 { return clusters(r, 6, 24, 1) }},
		{"made up: loud noise columns", func(r *rand.Rand) [][]float64 { return clusters(r, 6, 24, 8) }},
		{"made up: different units", func(r *rand.Rand) [][]float64 { return units(r, clusters(r, 8, 0, 1)) }},
		{"made up: noise, different units", func(r *rand.Rand) [][]float64 { return units(r, clusters(r, 6, 24, 1)) }},
		{"made up: correlated columns", func(r *rand.Rand) [][]float64 { return correlated(r, 20) }},
		{"made up: correlated, different units", func(r *rand.Rand) [][]float64 { return units(r, correlated(r, 20)) }},
		{"made up: no clusters", func(r *rand.Rand) [][]float64 { return clusters(r, 0, 10, 1) }},
	} {
		for draw := range draws {
			r := framework.Rand(uint64(draw+1), "bench/starts", uint64(len(kind.name)))
			all = append(all, dataset{kind.name, kind.name, kind.make(r)})
		}
	}
	return all
}

// clusters returns rows whose first columns have a mean for each cluster, about 1.5
// deviations apart, and whose other columns are noise of the given deviation.
func clusters(r *rand.Rand, matter, noise int, loud float64) [][]float64 {
	const n, k = 300, 5
	mean := make([][]float64, k)
	for j := range mean {
		for range matter {
			mean[j] = append(mean[j], 1.5*r.NormFloat64())
		}
	}
	rows := make([][]float64, n)
	for i := range rows {
		for _, m := range mean[i%k] {
			rows[i] = append(rows[i], m+r.NormFloat64())
		}
		for range noise {
			rows[i] = append(rows[i], loud*r.NormFloat64())
		}
	}
	return rows
}

// correlated returns rows whose p columns are mixtures of three that have clusters.
func correlated(r *rand.Rand, p int) [][]float64 {
	latent := clusters(r, 3, 0, 0)
	mix := make([][]float64, p)
	for l := range mix {
		mix[l] = []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
	}
	rows := make([][]float64, len(latent))
	for i, z := range latent {
		for _, m := range mix {
			rows[i] = append(rows[i], m[0]*z[0]+m[1]*z[1]+m[2]*z[2]+0.5*r.NormFloat64())
		}
	}
	return rows
}

// units multiplies each column by a unit between 1/1000 and 1000.
func units(r *rand.Rand, rows [][]float64) [][]float64 {
	for l := range rows[0] {
		unit := math.Pow(10, 6*r.Float64()-3)
		for i := range rows {
			rows[i][l] *= unit
		}
	}
	return rows
}
