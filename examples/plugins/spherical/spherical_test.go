package main

import (
	"math"
	"os"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// TestMain is also the main function of the plugin: a test starts this executable.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "serve" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestLaws(t *testing.T) {
	conformance.RunClusterer(t, Spherical{}, conformance.Options{Profile: conformance.Full})
}

// TestLawsOfTheProcess leaves the laws of algorithms to TestLaws; sqlcluster plugin
// verify also checks them through the process.
func TestLawsOfTheProcess(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	conformance.RunPlugin(t, host.Program{Name: "spherical", Path: path, Args: []string{"serve"}},
		conformance.Options{Laws: []string{"process"}})
}

func TestRowsAreClusteredByDirectionWhateverTheirLength(t *testing.T) {
	const tiny = 5e-320 // 1 / length overflows
	x := framework.Matrix{Rows: 6, Cols: 2, Data: []float64{1, 0, 100, 0, tiny, 0, 0, 3, 0, 0.01, 0, 900}}
	params, err := Spherical{}.Describe().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := framework.Problem{N: 6, P: 2, K: 2, Mass: 6, Columns: make([]framework.Column, 2), Params: params}
	c, err := Spherical{}.New(p)
	if err != nil {
		t.Fatal(err)
	}
	s := fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 50, Empty: framework.Origin, Threads: 1}
	res, err := fit.Run(t.Context(), c, p, matrix.FromMatrix(x, nil, 0), fit.Start{Labels: []int32{0, 0, 1, 1, 1, 1}}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(res.Labels, []int32{0, 0, 0, 1, 1, 1}) {
		t.Fatalf("labels %v", res.Labels)
	}
	if math.Abs(res.Objective) > 1e-15 { // all rows lie on their centers
		t.Errorf("objective %v", res.Objective)
	}
}

func TestMissingCellsAreRefused(t *testing.T) {
	_, err := Spherical{}.New(framework.Problem{P: 1, K: 1, Columns: []framework.Column{{Missing: 1}},
		Params: framework.Params{"min_norm": 0.0}})
	if f := framework.AsFault(err); f == nil || f.Class != framework.Data || f.Hint == "" {
		t.Errorf("error %v", err)
	}
}
