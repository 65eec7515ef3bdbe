package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/constraint/labelset"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
)

// A builtIn is a built-in kind of constraint rows, served as a plugin would serve
// it: under another name, since its own is taken.
type builtIn struct{ framework.SetDescription }

const asServed = "served_"

func (k builtIn) Describe() framework.SetDescription { return k.SetDescription }

func (k builtIn) Make(rows []framework.ConstraintRow, clusters int, columns []framework.Column) (framework.Set, error) {
	own := slices.Clone(rows)
	for i := range own {
		own[i].Kind = strings.TrimPrefix(k.Kind, asServed)
	}
	return declare.Rows(own, framework.Problem{K: clusters, Columns: columns})
}

// builtInKinds returns the built-in kinds whose names pass the test.
func builtInKinds(is func(name string) bool) []framework.SetKind {
	type rows = []framework.ConstraintRow
	examples := map[string]struct {
		uses string
		rows rows
	}{
		"box": {"cluster feature lo hi", rows{
			{Feature: new("f1"), Lo: new(-1.0), Hi: new(0.5)}, {Feature: new("f3"), Hi: new(2.0)},
			{Cluster: new(1), Feature: new("f2"), Lo: new(0.25)},
		}},
		"nonnegative": {"cluster feature", rows{{Feature: new("f1")}, {Cluster: new(2)}}},
		"fixed": {"cluster feature value",
			rows{{Feature: new("f4"), Value: new(0.5)}, {Cluster: new(0), Feature: new("f2"), Value: new(-1.0)}}},
		"halfspace": {"cluster feature coef lo hi value", rows{
			{Feature: new("f1"), Coef: new(1.0), Hi: new(1.0)}, {Feature: new("f2"), Coef: new(-2.0)},
			{Feature: new("f5"), Coef: new(0.5), Lo: new(-1.0)},
		}},
		"simplex": {"cluster feature value", rows{{Feature: new("f1"), Value: new(2.0)}, {Feature: new("f2")}, {Feature: new("f4")}}},
		"l1_ball": {"cluster feature value", rows{{Feature: new("f1"), Value: new(1.5)}, {Feature: new("f3")}}},
		"l2_ball": {"cluster feature value", rows{{Feature: new("f2"), Value: new(1.5)}, {Feature: new("f3")}, {Feature: new("f5")}}},
		"monotone": {"cluster feature value",
			rows{{Feature: new("f1"), Value: new(1.0)}, {Feature: new("f3"), Value: new(2.0)}, {Feature: new("f2"), Value: new(3.0)}}},
		"sparsity": {"cluster value", rows{{Value: new(2.0)}}},
	}
	var all []framework.SetKind
	for _, name := range declare.Kinds() {
		if !is(name) {
			continue
		}
		e := examples[name]
		d := framework.SetDescription{Kind: asServed + name, Version: "1.0", Summary: "the built-in " + name, Source: "docs/constraints.md",
			Uses: strings.Fields(e.uses), Example: e.rows}
		for i := range d.Example {
			d.Example[i].Kind = d.Kind
		}
		if !slices.ContainsFunc(d.Example, func(r framework.ConstraintRow) bool { return r.Cluster != nil }) {
			more := slices.Clone(d.Example)
			switch name {
			case "halfspace":
				more[0].Hi, more[2].Lo, more[0].Value = nil, nil, new(0.5)
			case "sparsity": // of all clusters or of none
				more = slices.Repeat(more, framework.ExampleClusters)
			}
			for i := range more {
				more[i].Cluster = new((i + 1) % framework.ExampleClusters)
				if name != "sparsity" {
					more[i].Cluster = new(1)
				}
			}
			d.More = [][]framework.ConstraintRow{more}
		}
		all = append(all, builtIn{d})
	}
	return all
}

// sparsityUnits is why sparsity breaks the law of units.
const sparsityUnits = "what a sparsity leaves out stays at the mean of its column, which is 0 in fitted units alone"

// TestTheBuiltInKindsOfConstraintRowsObeyTheLaws leaves two laws to the campaign:
// the tests of framework/constraint check them on the same sets.
func TestTheBuiltInKindsOfConstraintRowsObeyTheLaws(t *testing.T) {
	o := thorough
	for _, l := range conformance.Laws() {
		if !clustertest.Campaign && (strings.HasPrefix(l.Name, "set/") || strings.HasPrefix(l.Name, "kind/")) && l.Profile == o.Profile &&
			l.Name != "set/fixed-point" && l.Name != "set/obtuse-angle" {
			o.Laws = append(o.Laws, l.Name)
		}
	}
	for _, k := range builtInKinds(func(string) bool { return true }) {
		name := strings.TrimPrefix(k.Describe().Kind, asServed)
		of := o
		if name == "sparsity" && (of.Laws == nil || slices.Contains(of.Laws, "kind/units")) {
			of.Expected = map[string]string{"kind/units": sparsityUnits}
		}
		t.Run(name, func(t *testing.T) { conformance.RunKind(t, k, of) })
	}
}

func TestBuiltInKindsOfConstraintRowsObeyTheLawsOfSetsServedByAProcess(t *testing.T) {
	t.Parallel()
	// The other laws of processes do not depend on what a process serves.
	laws := []string{"set", "kind", "process/set-bits", "process/sets", "process/unknown-kind", "process/closed-set"}
	if !clustertest.Campaign {
		// One kind is enough: the wire treats all alike. The test above has checked
		// the other laws in this process.
		conformance.RunPlugin(t, itself(t, "halfspace"), conformance.Options{Laws: []string{"set/feasible", "kind/units"}})
		return
	}
	conformance.RunPlugin(t, itself(t, "built-in kinds"), conformance.Options{Laws: laws})
	conformance.RunPlugin(t, itself(t, "sparsity"), conformance.Options{Laws: laws, Expected: map[string]string{
		"kind/units": sparsityUnits,
	}})
}

func TestTheBuiltInKindsOfLimitsObeyTheLaws(t *testing.T) {
	for _, k := range labelset.Kinds() {
		o := thorough
		if k.Describe().Kind == "balance" && !clustertest.Campaign { // which takes its time
			o.Laws = []string{"labels/examples", "labels/optimal", "labels/limits", "labels/any-rows"}
		}
		t.Run(k.Describe().Kind, func(t *testing.T) { conformance.RunLabelKind(t, k, o) })
	}
}
