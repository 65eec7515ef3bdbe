package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// folds is the number of parts that rows are cut into.
const folds = 10

// A dataset has the rows of one panel of the figure.
type dataset struct {
	data    *matrix.Data
	problem framework.Problem
	truth   []int32 // class of each row, from 0
	seed    uint64
	fold    []int              // of each row
	pools   [folds][]pair      // pairs of rows that are not of the fold
	dkm     framework.Matrix   // centers of the start dkm++
	sparse  map[string][]int32 // labels of SKM by l1_bound, which do not depend on pairs
}

// A pair has two rows, the lower one first.
type pair struct{ a, b int32 }

// readDataset reads X.csv and truth.csv of a directory, and cuts the rows into
// folds. Its memory is held until the program ends.
func readDataset(dir string, seed uint64) (*dataset, error) {
	header, cells, err := readTable(dir + "/X.csv")
	if err != nil {
		return nil, err
	}
	_, classes, err := readTable(dir + "/truth.csv")
	if err != nil {
		return nil, err
	}
	if len(classes) != len(cells) {
		return nil, fmt.Errorf("%s: %d classes of %d rows", dir, len(classes), len(cells))
	}
	d := &dataset{seed: seed, sparse: map[string][]int32{}}
	k := 0
	for _, line := range classes {
		class, err := strconv.Atoi(line[len(line)-1])
		if err != nil {
			return nil, err
		}
		d.truth = append(d.truth, int32(class-1))
		k = max(k, class)
	}
	if err := d.build(header, cells, k); err != nil {
		return nil, err
	}
	d.fold = stratified(d.truth, seed)
	for f := range d.pools {
		d.pools[f] = pool(d.fold, f)
	}
	d.dkm, err = d.start("dkm++", nil, 0)
	return d, err
}

// build makes a problem of the cells as they are, without scaling.
func (d *dataset) build(header []string, cells [][]string, k int) error {
	values := framework.NewMatrix(len(cells), len(header))
	for i, line := range cells {
		for l, cell := range line {
			var err error
			if values.Row(i)[l], err = strconv.ParseFloat(cell, 64); err != nil {
				return err
			}
		}
	}
	b, err := matrix.BuilderOf(values, nil, matrix.Options{})
	if err != nil {
		return err
	}
	scaling, err := matrix.ParseScale("raw", "auto")
	if err != nil {
		return err
	}
	sources := make([]matrix.Source, len(header))
	for l, name := range header {
		sources[l].Name = name
	}
	d.data, _, d.problem, err = matrix.Prepare(b, sources, scaling, nil)
	d.problem.K, d.problem.Seed = k, d.seed
	return err
}

// readTable reads a CSV file.
func readTable(path string) (header []string, lines [][]string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(all) < 2 {
		return nil, nil, fmt.Errorf("%s has no rows", path)
	}
	return all[0], all[1:], nil
}
