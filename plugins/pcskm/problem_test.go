package pcskm_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// blocks are rows in blocks of a given number.
type blocks struct{ clustertest.Rows }

// problem describes the rows and their links to a clusterer.
func (b blocks) problem(k int, links []framework.Link) framework.Problem {
	p := b.Problem(k)
	p.Links = links
	return p
}

// fitted is one finished run.
type fitted struct {
	*fit.Result
	problem   framework.Problem
	clusterer framework.Clusterer
}

// run fits with the parameters given as text.
func (b blocks) run(a framework.Algorithm, k int, links []framework.Link, params map[string]string, start fit.Start,
	change func(*fit.Settings)) (fitted, error) {
	values, err := a.Describe().Resolve(params)
	if err != nil {
		return fitted{}, err
	}
	p := b.problem(k, links)
	p.Params = values
	c, err := a.New(p)
	if err != nil {
		return fitted{}, err
	}
	s := fit.Settings{Init: "kmeans++", InitSpace: "fitted", Restarts: 1, MaxIter: 1000, Empty: framework.Fail, Threads: 1}
	if change != nil {
		change(&s)
	}
	res, err := fit.Run(context.Background(), c, p, b, start, s, nil)
	return fitted{res, p, c}, err
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(path, err)
	}
}

// readTable returns the cells below the header, as numbers; text becomes 0.
func readTable(t testing.TB, path string) (header []string, rows [][]float64) {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer func() { _ = f.Close() }()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(path, err)
	}
	for _, line := range all[1:] {
		row := make([]float64, len(line))
		for l, cell := range line {
			row[l], _ = strconv.ParseFloat(cell, 64)
		}
		rows = append(rows, row)
	}
	return all[0], rows
}

func readMatrix(t testing.TB, path string) framework.Matrix {
	t.Helper()
	header, rows := readTable(t, path)
	m := framework.NewMatrix(len(rows), len(header))
	for i, row := range rows {
		copy(m.Row(i), row)
	}
	return m
}

// column returns one column as whole numbers.
func column(rows [][]float64, l int) []int32 {
	out := make([]int32, len(rows))
	for i, row := range rows {
		out[i] = int32(row[l])
	}
	return out
}
