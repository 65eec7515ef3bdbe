package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// manyBlocks is a number of rows of 20 columns that makes three blocks of 4096
// rows, and five in the campaign, the last partial.
var manyBlocks = map[bool]int{false: 2*4096 + 1000, true: 4*4096 + 1000}[clustertest.Campaign]

// writeRows writes rows of normal noise around four centers to data.csv, with
// some missing cells, in the given order.
func writeRows(t *testing.T, dir string, rows int, order []int) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 7))
	lines := make([]string, rows)
	for i := range lines {
		var b strings.Builder
		fmt.Fprintf(&b, "%d", 10*i)
		for l := range 20 {
			v := r.NormFloat64()
			if l < 5 {
				v += 3 * float64((i+l)%4)
			}
			if r.IntN(50) == 0 {
				b.WriteString(",")
				continue
			}
			fmt.Fprintf(&b, ",%.3f", v)
		}
		lines[i] = b.String()
	}
	header := "id"
	for l := range 20 {
		header += fmt.Sprintf(",x%d", l)
	}
	var text strings.Builder
	text.WriteString(header + "\n")
	for i := range lines {
		at := i
		if order != nil {
			at = order[i]
		}
		text.WriteString(lines[at] + "\n")
	}
	write(t, dir, "data.csv", text.String())
}

// stored returns the result tables of the run "ours" as text, and its run table.
func stored(t *testing.T, path string) (tables map[string]string, run map[string]any) {
	t.Helper()
	d := must.Get(store.Open(context.Background(), path, store.ReadOnly))(t)
	defer func() { _ = d.Close() }()
	tables, run = map[string]string{}, map[string]any{}
	for _, name := range schema.OfFit() {
		columns, rows, err := d.Show(context.Background(), "ours", name)
		if f := framework.AsFault(err); (name == schema.Violations || name == schema.Limits) && f != nil && f.Code == "result-table-missing" {
			continue // fitted without pairs
		}
		must.Do(t, err)
		if name == schema.Run { // times and threads
			for i, c := range columns {
				run[c] = rows[0][i]
			}
			continue
		}
		var b strings.Builder
		for _, row := range append([][]any{{columns}}, rows...) {
			fmt.Fprintf(&b, "%v\n", row) // %v writes doubles without loss
		}
		tables[name] = b.String()
	}
	return tables, run
}

func TestResultTablesAreTheSameForAnyThreadsRowOrderAndDriver(t *testing.T) {
	t.Parallel()
	order := rand.New(rand.NewPCG(1, 2)).Perm(manyBlocks)
	for name, algorithm := range map[string][]string{
		"skfr": {"-a", "skfr", "--sparsity", "5", "--restarts", map[bool]string{false: "2", true: "3"}[clustertest.Campaign], "--max-iter",
			"20"}, // a worker each
		"skfr local": {"-a", "skfr", "--sparsity", "3", "--scope", "local", "--restarts", "1"},
		"k-pod":      {"-a", "skfr", "--sparsity", "5", "--missing", "kpod", "--restarts", "1", "--max-iter", "20"},
		"skm":        {"-a", "skm", "--l1-bound", "1.7", "--restarts", "3"},
		"groupskm": {"-a", "groupskm", "--lambda", "0.4", "--restarts", "3", "--groups",
			"SELECT 'x' || i AS feature, 'g' || (i // 2) AS feature_group FROM range(20) r(i)"},
		"pcskm": {"-a", "pcskm", "--nulls", "drop", "--l1-bound", "1.5", "--restarts", "1", "--max-iter", "20", "--pairs",
			"SELECT a.id AS a, b.id AS b, CASE WHEN a.id // 10 % 4 = b.id // 10 % 4 THEN 'must' ELSE 'cannot' END AS kind, 1 + a.id // 10 % 3 AS " +
				"weight FROM 'data.csv' a JOIN 'data.csv' b ON b.id = a.id * 7 + 30 WHERE a.id % 50 = 0"},
		"mpckm": {"-a", "mpckm", "--nulls", "drop", "--restarts", "1", "--max-iter", "20", "--init", "seeding", "--pairs",
			"SELECT a.id AS a, b.id AS b, 'cannot' AS kind, NULL AS weight FROM 'data.csv' a JOIN 'data.csv' b ON b.id = a.id * 7 + 30 WHERE a.id " +
				"% 50 = 0 UNION ALL SELECT 0, 10, 'must', 2"},
		// Pairs in the order of the rows in the file, each twice, and those that follow.
		"pckm": {"-a", "pckm", "--nulls", "drop", "--closure", "true", "--duplicates", "add", "--restarts", "2", "--max-iter", "20", "--pairs",
			"SELECT a.id AS a, b.id AS b, CASE r % 2 WHEN 0 THEN 'must' ELSE 'cannot' END AS kind, 1 + a.id // 10 % 3 AS weight FROM (SELECT id, " +
				"row_number() OVER () AS place FROM 'data.csv') a, range(4) t(r) JOIN 'data.csv' b ON b.id = a.id + [200, 50][r % 2 + 1] WHERE a.id " +
				"% 50 = 0 AND a.id < 10000 ORDER BY a.place"},
		"batch":   {"--batch", "500", "--restarts", "3"},
		"medians": {"-a", "kmeans", "--loss", "l1", "--restarts", "1", "--max-iter", "5"},
	} {
		if !clustertest.Campaign && name != "skfr" && name != "batch" { // plugins and framework/fit compare threads and drivers in process
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var want map[string]string
			for _, how := range []struct {
				name  string
				flags []string
				order []int
			}{
				{"1 thread", []string{"--threads", "1"}, nil},
				{"2 threads", []string{"--threads", "2"}, nil},
				{"3 threads", []string{"--threads", "3"}, nil},
				{"shuffled rows", []string{"--threads", "2"}, order},
				{"rows in a file", []string{"--threads", "2", "--storage", "file"}, nil},
				{"host driver", []string{"--threads", "2", "--driver", "host"}, nil},
			} {
				if !clustertest.Campaign && (how.name == "2 threads" || how.name == "3 threads" || how.name == "rows in a file") {
					continue // the core has 2 threads with rows in another order, and with another driver
				}
				dir := t.TempDir()
				writeRows(t, dir, manyBlocks, how.order)
				served(t, dir, slices.Concat([]string{"fit", "data.csv", "--id", "id", "-k", "4", "--seed", "3", "--db", "out.duckdb", "--into",
					"ours"}, algorithm, how.flags)...)
				got, run := stored(t, filepath.Join(dir, "out.duckdb"))
				if want == nil {
					want = got
				}
				for table := range want {
					if want[table] != got[table] {
						t.Errorf("%s: the table %s differs: %s", how.name, table, cmp.Diff(firstLines(want[table]), firstLines(got[table])))
					}
				}
				if !slices.Contains(algorithm, "drop") { // which leaves too few blocks for all workers
					checkRun(t, how.name, run)
				} else if strings.Contains(fmt.Sprint(run["step_calls"]), "assign_linked") != (how.name == "host driver") {
					t.Errorf("%s: calls %v", how.name, run["step_calls"])
				}
			}
		})
	}
}

// firstLines keeps a difference readable.
func firstLines(text string) []string {
	lines := strings.Split(text, "\n")
	return lines[:min(len(lines), 50)]
}

// checkRun asks that the run went the way that it was told to.
func checkRun(t *testing.T, name string, run map[string]any) {
	t.Helper()
	var blocks []int
	var calls map[string]int
	for column, into := range map[string]any{"blocks_by_worker": &blocks, "step_calls": &calls} {
		must.Do(t, json.Unmarshal([]byte(run[column].(string)), into))
	}
	if int64(len(blocks)) != run["threads"].(int64) {
		t.Errorf("%s: %d workers took blocks, with %v threads", name, len(blocks), run["threads"])
	}
	seeding, iterations, all := run["seconds_seeding"].(float64), run["seconds_iterations"].(float64), run["seconds_fit"].(float64)
	if seeding <= 0 || iterations <= 0 || seeding+iterations > all {
		t.Errorf("%s: %v s for starts and %v s for iterations, of %v s", name, seeding, iterations, all)
	}
	steps := calls["assign"] > 0 && calls["update"] > 0 && calls["project"] > 0
	if host := run["driver"] == "host"; steps != host || (calls["fit"] > 0) == host {
		t.Errorf("%s: calls %v with the driver in %v", name, calls, run["driver"])
	}
}
