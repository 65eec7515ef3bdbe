package skfr_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// referenceRuns is the number of runs in testdata/reference: 27 of SKFR1, 19 of
// SKFR2, 10 of Lloyd, 4 of k-pod and 3 with medians.
const referenceRuns = 63

// A reference is one run of the authors' program, or of an oracle; see
// testdata/reference/README.md.
type reference struct {
	dir, kind string // kind: skfr1, skfr2, lloyd, kpod or l1
	k         int
	ID        string `json:"id"`
	S         int    `json:"s"`
	rows      clustertest.Rows
	start     []int32
}

// references reads all runs, with their rows standardised.
func references(t *testing.T) map[string]reference {
	t.Helper()
	paths := must.Get(filepath.Glob(filepath.Join(unpacked, "*/params.json")))(t)
	all := map[string]reference{}
	for _, path := range paths {
		text := must.Get(os.ReadFile(path))(t)
		var c struct {
			Case string      `json:"case"`
			K    int         `json:"k"`
			Runs []reference `json:"runs"`
		}
		if err := json.Unmarshal(text, &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		dir := filepath.Dir(path)
		rows := clustertest.ReadTable(t, filepath.Join(dir, "X.csv")).Rows(t)
		rows.Standardise()
		start := clustertest.ReadTable(t, filepath.Join(dir, "init.csv")).Labels(t, "label", 0)
		for _, r := range c.Runs {
			r.dir, r.k, r.rows, r.start = filepath.Join(dir, r.ID), c.K, rows, start
			r.kind, _, _ = strings.Cut(r.ID, "_")
			all[c.Case+"/"+r.ID] = r
		}
	}
	return all
}

// algorithm returns what makes the run, and its parameters.
func (r reference) algorithm() (framework.Algorithm, map[string]string) {
	params := map[string]string{"sparsity": strconv.Itoa(r.S)}
	switch r.kind {
	case "lloyd":
		return skfr.KMeans{}, map[string]string{}
	case "skfr2":
		params["scope"] = "local"
	case "kpod":
		params["missing"] = "kpod"
	case "l1":
		params["loss"] = "l1"
	}
	return skfr.SKFR{}, params
}

func (r reference) table(t *testing.T, file string) clustertest.Table {
	t.Helper()
	return clustertest.ReadTable(t, filepath.Join(r.dir, file))
}

func TestEveryReferenceRunIsReproduced(t *testing.T) {
	all := references(t)
	for name, r := range all {
		t.Run(name, func(t *testing.T) {
			algorithm, params := r.algorithm()
			// The reference leaves empty clusters at the origin.
			res := r.rows.Fit(t, algorithm, r.rows.Problem(r.k), params, fit.Start{Labels: r.start},
				func(s *fit.Settings) { s.Empty = framework.Origin })
			if want := r.table(t, "labels.csv").Labels(t, "label", 0); !slices.Equal(res.Labels, want) {
				t.Errorf("labels %v, want %v", res.Labels, want)
			}
			r.compareCenters(t, res)
			if r.kind != "lloyd" { // which selects nothing, and of which R reports no objective
				r.compareSelection(t, res)
				r.compareObjectives(t, res)
			}
		})
	}
	if len(all) != referenceRuns {
		t.Errorf("%d runs were compared, want %d", len(all), referenceRuns)
	}
}

func (r reference) compareCenters(t *testing.T, res clustertest.Fitted) {
	t.Helper()
	tolerance := 1e-9
	if r.kind == "kpod" { // its centers are still on their way when the reference stops
		tolerance = 1e-5
	}
	for j, row := range r.table(t, "centers.csv").Rows(t).X.Data {
		if got := res.Model.Centers.Data[j]; math.Abs(got-row) > tolerance*(1+math.Abs(row)) {
			t.Errorf("center %d, feature %d: %v, want %v", j/r.rows.X.Cols, j%r.rows.X.Cols, got, row)
		}
	}
}

// compareSelection leaves out the clusters of which the reference lists no
// selection, because they had no rows in the last update.
func (r reference) compareSelection(t *testing.T, res clustertest.Fitted) {
	t.Helper()
	table := r.table(t, "selected.csv")
	features := table.Labels(t, "feature", 0)
	clusters := slices.Repeat([]int32{-1}, len(features))
	if r.kind == "skfr2" {
		clusters = table.Labels(t, "cluster", 0)
	}
	type entry struct{ cluster, feature int32 }
	want := map[entry]bool{}
	for i, l := range features {
		want[entry{clusters[i], l}] = true
	}
	found := 0
	for _, f := range res.Clusterer.(framework.Selector).Features(res.Model) {
		if !slices.Contains(clusters, int32(f.Cluster)) {
			continue
		}
		if f.Selected != want[entry{int32(f.Cluster), int32(f.Column)}] {
			t.Errorf("feature %d of cluster %d: selected %v", f.Column, f.Cluster, f.Selected)
		}
		if f.Selected {
			found++
		}
	}
	if found != len(want) {
		t.Errorf("%d features are selected, want %d", found, len(want))
	}
}

// compareObjectives compares iteration by iteration. k-pod stops by another rule,
// so that only the common part of the trace counts.
func (r reference) compareObjectives(t *testing.T, res clustertest.Fitted) {
	t.Helper()
	name := "objective"
	if r.kind == "kpod" {
		name = "obj_observed"
	}
	want := r.table(t, "objective.csv").Column(t, name)
	common := min(len(res.Trace), len(want))
	if r.kind != "kpod" && len(res.Trace) != len(want) || common < 10 && r.kind == "kpod" { // the reference took 18 to 24
		t.Errorf("%d iterations, want %d", len(res.Trace), len(want))
	}
	for i, w := range want[:common] {
		if got := res.Trace[i].Objective; math.Abs(got-w) > 1e-9*w {
			t.Errorf("objective of iteration %d: %v, want %v", i+1, got, w)
		}
	}
}
