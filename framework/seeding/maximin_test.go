package seeding

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// chosenByMaximin returns the rows that maximin chooses.
func chosenByMaximin(t rapid.TB, rows framework.Rows, o Options) []int {
	t.Helper()
	f := newField(context.Background(), rows, o.Space, o.Threads)
	must.Do(t, f.maximin(o.K))
	return f.chosen
}

func TestMaximin(t *testing.T) {
	t.Run("chooses_the_rows_of_the_reference_run", func(t *testing.T) {
		for _, name := range []string{"fisheriris", "ionosphere"} { // see testdata/README.md
			data := table{x: readCSV(t, "testdata/"+name+".csv"), block: 64}
			for k, want := range readChosen(t, "testdata/"+name+".json") {
				got := chosenByMaximin(t, data, Options{K: len(want)})
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s, %s (-reference +got):\n%s", name, k, diff)
				}
			}
		}
	})
	t.Run("is_the_definition_by_full_search", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			data := grid(t, true)
			data.weight = gridWeights(t, data.Len())
			space := gridSpace(t, data.x.Cols)
			k := choosable(data, rapid.IntRange(1, 6).Draw(t, "k"))
			got := chosenByMaximin(t, data, Options{K: k, Space: space, Threads: 2})
			if diff := cmp.Diff(plainMaximin(data, k, space), got); diff != "" {
				t.Fatalf("chosen rows (-search +got):\n%s", diff)
			}
		})
	})
	t.Run("equal_rows_are_taken_in_row_order", func(t *testing.T) {
		data := tableOf([]float64{1}, []float64{1}, []float64{-1}, []float64{1})
		// Norms are all 1: row 0. Row 2 is the only other value. Then 1 and 3 tie.
		if diff := cmp.Diff([]int{0, 2, 1, 3}, chosenByMaximin(t, data, Options{K: 4})); diff != "" {
			t.Errorf("chosen rows (-by hand +got):\n%s", diff)
		}
	})
	t.Run("the_lowest_of_equal_rows_wins_across_stretches", func(t *testing.T) {
		data := table{x: framework.NewMatrix(2*stretch+2, 1), block: 100}
		for _, i := range []int{7, stretch + 7, 2*stretch + 1} {
			data.x.Row(i)[0] = 1
		}
		// Row 7 has the largest norm, then row 0 is the lowest at distance 1.
		if diff := cmp.Diff([]int{7, 0}, chosenByMaximin(t, data, Options{K: 2, Threads: 2})); diff != "" {
			t.Errorf("chosen rows (-by hand +got):\n%s", diff)
		}
	})
}

// plainMaximin searches all rows for every choice.
func plainMaximin(data table, k int, space []float64) []int {
	origin := make([]float64, data.x.Cols)
	var chosen []int
	for range k {
		row, best := -1, 0.0
		for i := range data.Len() {
			if data.weight[i] == 0 || slices.Contains(chosen, i) {
				continue
			}
			d := plain(data.x.Row(i), origin, space)
			if len(chosen) > 0 {
				_, d = plainNearest(data, i, chosen, space)
			}
			if row < 0 || d > best {
				row, best = i, d
			}
		}
		chosen = append(chosen, row)
	}
	return chosen
}

// readCSV returns the numbers below the header.
func readCSV(t *testing.T, path string) framework.Matrix {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer file.Close()
	records := must.Get(csv.NewReader(file).ReadAll())(t)
	x := framework.NewMatrix(len(records)-1, len(records[0]))
	for i, record := range records[1:] {
		for l, text := range record {
			x.Row(i)[l] = must.Get(strconv.ParseFloat(text, 64))(t)
		}
	}
	return x
}

// readChosen returns the chosen rows by the name of k.
func readChosen(t *testing.T, path string) map[string][]int {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	var chosen map[string][]int
	must.Do(t, json.Unmarshal(text, &chosen))
	return chosen
}
