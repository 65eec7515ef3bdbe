package matrix_test

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func readCSV(t *testing.T, path string) [][]string {
	f := must.Get(os.Open(path))(t)
	defer func() { _ = f.Close() }()
	return must.Get(csv.NewReader(f).ReadAll())(t)
}

// coded returns the table of a folder as cells, categories being indices into
// their levels in the order of bytes.
func coded(t *testing.T, dir string) ([]matrix.Source, [][]float64) {
	x, kinds := readCSV(t, filepath.Join(dir, "X.csv")), readCSV(t, filepath.Join(dir, "groups.csv"))
	sources, rows := make([]matrix.Source, len(x[0])), make([][]float64, len(x)-1)
	for i := range rows {
		rows[i] = make([]float64, len(sources))
	}
	for t, name := range x[0] {
		sources[t].Name = name
		for _, line := range kinds[1:] {
			if line[0] == name {
				sources[t].Categorical = line[1] == "categorical"
			}
		}
		if sources[t].Categorical {
			for _, row := range x[1:] {
				sources[t].Levels = append(sources[t].Levels, row[t])
			}
			slices.Sort(sources[t].Levels)
			sources[t].Levels = slices.Compact(sources[t].Levels)
		}
		for i, row := range x[1:] {
			if sources[t].Categorical {
				rows[i][t] = float64(slices.Index(sources[t].Levels, row[t]))
			} else {
				rows[i][t], _ = strconv.ParseFloat(row[t], 64)
			}
		}
	}
	return sources, rows
}

func TestMixedTablesAreRecodedAsTheReferenceRunsAre(t *testing.T) {
	unpacked, remove := clustertest.Unpack("testdata/recoding")
	defer remove()
	for _, name := range []string{"heart_k2", "synth_mixed_k3", "cat_only_k2", "recode_small"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(unpacked, name)
			sources, rows := coded(t, dir)
			b, r, _ := fitted(t, rowsOf(t, len(sources), rows, nil), sources, "sd_n", "auto")
			want, described := readCSV(t, filepath.Join(dir, "recoded.csv")), readCSV(t, filepath.Join(dir, "recoded_columns.csv"))
			if len(want[0]) != b.Cols() || len(want)-1 != b.Rows() {
				t.Fatalf("%d × %d cells, want %d × %d", b.Rows(), b.Cols(), len(want)-1, len(want[0]))
			}
			values, compared := b.Values(), 0
			for c, column := range want[0] {
				l := slices.IndexFunc(r.Features, func(f matrix.Feature) bool { return f.Name == column })
				if l < 0 {
					t.Fatalf("there is no column %q", column)
				}
				center, _ := strconv.ParseFloat(described[c+1][4], 64)
				scale, _ := strconv.ParseFloat(described[c+1][5], 64)
				if f := r.Features[l]; math.Abs(f.Location-center) > 1e-12*math.Abs(center) ||
					math.Abs(f.Scale-scale) > 1e-12*scale || f.Column() != described[c+1][1] {
					t.Errorf("%s: location %v and scale %v of column %s, want %v, %v, %s",
						column, f.Location, f.Scale, f.Column(), center, scale, described[c+1][1])
				}
				for i, line := range want[1:] {
					cell := must.Get(strconv.ParseFloat(line[c], 64))(t)
					if got := values.Row(i)[l]; math.Abs(got-cell) > 1e-12*max(1, math.Abs(cell)) {
						t.Errorf("row %d, %s: %v, want %v", i, column, got, cell)
					}
					compared++
				}
			}
			if compared != b.Rows()*b.Cols() {
				t.Errorf("%d cells compared", compared)
			}
		})
	}
}
