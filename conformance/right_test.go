package conformance_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

var full = conformance.Options{Profile: conformance.Full}

func TestTheBuiltInAlgorithmsObeyAllLaws(t *testing.T) {
	for _, a := range skfr.Algorithms() {
		t.Run(a.Describe().Name, func(t *testing.T) { conformance.RunClusterer(t, a, full) })
	}
}

func TestTheSparsitySetsObeyAllLaws(t *testing.T) {
	for name, set := range map[string]func(s int) framework.Set{
		"TopColumns": func(s int) framework.Set { return constraint.TopColumns{S: s} },
		"TopEntries": func(s int) framework.Set { return constraint.TopEntries{S: s} },
	} {
		t.Run(name, func(t *testing.T) { conformance.RunSetTarget(t, sparse(name, set), full) })
	}
}
