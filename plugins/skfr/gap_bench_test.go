package skfr_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// BenchmarkGap is a gap over numbers of features, with permuting and measuring
// distances. ms/fit is the time for one number of features in one data set, with all
// its starts.
func BenchmarkGap(b *testing.B) {
	for _, c := range []struct {
		name         string
		k, starts    int
		permutations int
		s            []int
		rows         func(b *testing.B) (framework.Problem, *matrix.Data)
	}{
		{"n=400/p=1000", 10, 20, 8, []int{2, 3, 5, 8, 12, 20, 32, 50, 80, 125, 200, 320}, func(b *testing.B) (framework.Problem, *matrix.Data) {
			_, p, data := design{"", 400, 1000, 10, 20, 10, 1}.problem(b)
			return p, data
		}},
		{"wine", 3, 10, 25, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, func(b *testing.B) (framework.Problem, *matrix.Data) {
			return example(b, "wine.csv", 3)
		}},
		{"mice", 8, 5, 25, []int{2, 4, 6, 8, 12, 16, 24, 32, 40, 50, 60, 77}, func(b *testing.B) (framework.Problem, *matrix.Data) {
			return example(b, "mice_protein.csv", 8)
		}},
	} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/starts=%d/permutations=%d/threads=%d", c.name, c.starts, c.permutations, threads), func(b *testing.B) {
				p, data := c.rows(b)
				defer func() { _ = data.Close() }()
				sweep := tune.Sweep{Settings: fit.Settings{Init: "kmeans++", InitSpace: fit.Fitted, Restarts: c.starts, MaxIter: 300,
					Empty: framework.Reseed, Threads: threads}}
				for _, s := range c.s {
					params := must.Get(skfr.SKFR{}.Describe().Resolve(map[string]string{"sparsity": fmt.Sprint(s)}))(b)
					sweep.Candidates = append(sweep.Candidates, tune.Candidate{K: c.k, Params: params})
				}
				for number := range c.permutations {
					sweep.Draws = append(sweep.Draws, tune.Draw{Kind: tune.Permuted, Number: number})
				}
				b.ResetTimer()
				for range b.N {
					must.Do(b, sweep.Run(b.Context(), tune.Here(skfr.SKFR{}, nil), p, data, func(tune.Trial) error { return nil }))
				}
				b.ReportMetric(b.Elapsed().Seconds()*1000/float64(b.N*len(sweep.Draws)*len(sweep.Candidates)), "ms/fit")
			})
		}
	}
}

// example reads the numbers of a table of the examples, but its key, standardised; a
// missing cell is at the mean.
func example(b *testing.B, name string, k int) (framework.Problem, *matrix.Data) {
	table := clustertest.ReadTable(b, filepath.Join("../../examples", name))
	rows := clustertest.Rows{Size: len(table.Cells)}
	var columns []int
	for l, name := range table.Header {
		if name != "id" && name != "class" {
			columns = append(columns, l)
		}
	}
	rows.X = framework.NewMatrix(len(table.Cells), len(columns))
	for i := range table.Cells {
		for t, l := range columns {
			rows.X.Row(i)[t], _ = strconv.ParseFloat(table.Cells[i][l], 64)
		}
	}
	rows.Standardise()
	return rows.Problem(k), matrix.FromMatrix(rows.X, nil, 0)
}
