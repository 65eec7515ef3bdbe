package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework"
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

func TestLaws(t *testing.T) { conformance.RunLabelKind(t, Together{}) }

// TestLawsOfTheProcess takes some laws of sets of labels through the process, and leaves the rest
// to TestLaws; sqlcluster plugin verify checks all of them.
func TestLawsOfTheProcess(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	conformance.RunPlugin(t, host.Program{Name: "together", Path: program, Args: []string{"serve"}},
		conformance.Options{Laws: []string{"process", "labels/feasible", "labels/lowest", "labels/limits", "labels/forbidden"}})
}

func TestAHouseholdByHand(t *testing.T) {
	// By hand: rows 0 and 2 cost 1+5 in cluster 0 and 4+1 in cluster 1; row 1 has no
	// household.
	home := framework.LabelColumn{Name: "home", Codes: []int32{0, -1, 0}, Values: []string{"a"}}
	s, err := Together{}.Make([]framework.ConstraintRow{{Kind: "keep_together", Feature: new("home")}},
		framework.LabelTable{N: 3, K: 2, Columns: []framework.LabelColumn{home}})
	if err != nil {
		t.Fatal(err)
	}
	labels := []int32{-1, -1, -1}
	at := framework.LabelCosts{Costs: framework.Matrix{Rows: 3, Cols: 2, Data: []float64{1, 4, 0, 1, 5, 1}}}
	point, err := s.Project(t.Context(), labels, at)
	if err != nil || point.Cost != 5 || cmp.Diff([]int32{1, 0, 1}, labels) != "" {
		t.Errorf("labels %v, %+v, error %v", labels, point, err)
	}
	if got := s.Violation([]int32{1, 0, 0}); got != 1 {
		t.Errorf("the violation is %g", got)
	}
}
