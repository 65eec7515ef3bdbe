package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// referenceRuns is the number of runs in the testdata of plugins/skfr, which
// compares them all in process: 27 of SKFR1, 19 of SKFR2, 10 of Lloyd, 4 of k-pod
// and 3 with medians.
const referenceRuns = 63

// throughTheCommand are those that are compared through the command too, one of
// each kind, and all of them in a campaign.
var throughTheCommand = []string{"iris/skfr1_s2", "iris/skfr2_s2", "iris/lloyd_s_eq_p", "miss_p20/kpod_oracle_s10", "iris/l1_oracle_s2"}

// A referenceRun is a run of the authors' program, or of an oracle; see
// plugins/skfr/testdata/reference/README.md.
type referenceRun struct {
	dir    string
	k      int
	ID     string
	S      int
	Margin any `json:"min_assign_margin"` // a number, if it is known
}

// flags returns the command line of the run. The reference centers at means
// throughout, leaves empty clusters at the origin and has no limit of iterations.
func (r referenceRun) flags() []string {
	f := []string{"-k", strconv.Itoa(r.k), "--empty", "origin", "--center", "mean", "--max-iter", "1000"}
	kind, _, _ := strings.Cut(r.ID, "_")
	if kind == "lloyd" {
		return append(f, "-a", "kmeans")
	}
	more := map[string][]string{"skfr2": {"--scope", "local"}, "kpod": {"--missing", "kpod"}, "l1": {"--loss", "l1"}}
	return slices.Concat(f, []string{"-a", "skfr", "--sparsity", strconv.Itoa(r.S)}, more[kind])
}

func TestReferenceRunsAreReproducedThroughTheCommand(t *testing.T) {
	t.Parallel()
	ran, want := 0, len(throughTheCommand)
	if clustertest.Campaign {
		want = referenceRuns
	}
	type params struct {
		K    int
		Runs []referenceRun
	}
	for dir, c := range readParams[params](t, "skfr") {
		for _, r := range c.Runs {
			r.dir, r.k = dir, c.K
			name := filepath.Base(dir) + "/" + r.ID
			if !clustertest.Campaign && !slices.Contains(throughTheCommand, name) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r.compare(t)
			})
			ran++
		}
	}
	if ran != want {
		t.Errorf("%d runs were compared, want %d", ran, want)
	}
}

func (r referenceRun) compare(t *testing.T) {
	work := t.TempDir()
	start := "SELECT row_number() OVER () AS row_id, label::INTEGER AS cluster " + rowsOf(t, filepath.Join(r.dir, "init.csv"))
	fit := []string{"fit", rowsOf(t, filepath.Join(r.dir, "X.csv")), "--db", "runs.duckdb", "--into", "ours", "--start", start}
	served(t, work, append(fit, r.flags()...)...)
	d := opened(t, work, "runs.duckdb")
	r.compareLabels(t, d)
	r.compareSelection(t, d)
	r.compareObjectives(t, d)
	r.compareCenters(t, d)
}

// compareLabels asks for equal labels in every run: where a margin is 0 the
// tie rule is the reference's.
func (r referenceRun) compareLabels(t *testing.T, d *store.DB) {
	want := r.read(t, "labels.csv")
	got := show(t, d, "assignments")
	if len(got) != len(want) {
		t.Fatalf("%d labels, want %d", len(got), len(want))
	}
	wrong := 0
	for i := range want {
		if fmt.Sprint(got[i][1]) != want[i][0] {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d labels differ (smallest margin %v)", wrong, len(want), r.Margin)
	}
}

func (r referenceRun) compareSelection(t *testing.T, d *store.DB) {
	if strings.HasPrefix(r.ID, "lloyd") {
		return // it selects nothing
	}
	local := strings.HasPrefix(r.ID, "skfr2")
	names := r.header(t)
	want := map[string]bool{}
	clusters := map[string]bool{}
	for _, row := range r.read(t, "selected.csv") {
		cluster, feature := "", row[0]
		if local {
			cluster, feature = row[0], row[1]
			clusters[cluster] = true
		}
		l := must.Get(strconv.Atoi(feature))(t)
		want[cluster+"/"+names[l]] = true
	}
	found := 0
	for _, row := range show(t, d, "features") {
		cluster := ""
		if local {
			cluster = fmt.Sprint(row[3])
			if !clusters[cluster] {
				continue // it had no rows in the last update: the reference lists no selection
			}
		}
		key, selected := cluster+"/"+fmt.Sprint(row[0]), row[4].(bool)
		if selected != want[key] {
			t.Errorf("%s: selected %v, want %v", key, selected, want[key])
		}
		if selected {
			found++
		}
	}
	if found != len(want) {
		t.Errorf("%d features are selected, want %d", found, len(want))
	}
}

// compareObjectives compares iteration by iteration. k-pod stops by another
// rule, so that only the common part of the trace counts.
func (r referenceRun) compareObjectives(t *testing.T, d *store.DB) {
	if strings.HasPrefix(r.ID, "lloyd") {
		return // R reports none
	}
	want, got := r.read(t, "objective.csv"), show(t, d, "trace")
	kpod := strings.HasPrefix(r.ID, "kpod")
	if len(got) != len(want) && !kpod {
		t.Errorf("%d iterations, want %d", len(got), len(want))
	}
	common := min(len(got), len(want))
	if common < 10 && kpod { // the reference took 18 to 24
		t.Errorf("only %d iterations are common", common)
	}
	for i := range common {
		w := number(t, want[i][1])
		if g := got[i][2].(float64); math.Abs(g-w) > 1e-9*w {
			t.Errorf("objective of iteration %d: %v, want %v", i+1, g, w)
		}
	}
}

func (r referenceRun) compareCenters(t *testing.T, d *store.DB) {
	want := r.read(t, "centers.csv")
	// k-pod: the centers are still on their way when the reference stops.
	tolerance := 1e-9
	if strings.HasPrefix(r.ID, "kpod") {
		tolerance = 1e-5
	}
	p := len(r.header(t))
	for i, row := range show(t, d, "centers") {
		w, g := number(t, want[i/p][i%p]), row[4].(float64)
		if math.Abs(g-w) > tolerance*(1+math.Abs(w)) {
			t.Errorf("center %d, feature %d: %v, want %v", i/p, i%p, g, w)
		}
	}
}

func show(t *testing.T, d *store.DB, table string) [][]any {
	t.Helper()
	return showRun(t, d, "ours", table)
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v := must.Get(strconv.ParseFloat(text, 64))(t)
	return v
}

func (r referenceRun) header(t *testing.T) []string {
	return readCSV(t, filepath.Join(r.dir, "X.csv"))[0]
}

func (r referenceRun) read(t *testing.T, file string) [][]string {
	return readCSV(t, filepath.Join(r.dir, r.ID, file))[1:]
}

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer func() { _ = f.Close() }()
	rows := must.Get(csv.NewReader(f).ReadAll())(t)
	return rows
}
