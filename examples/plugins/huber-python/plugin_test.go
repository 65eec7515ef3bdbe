// Package huber checks the laws on the plugin in this directory, which is written in
// Python.
package huber

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/plugintest"
)

// A call of Python takes a millisecond, and all laws make many: they are a campaign.
func TestLaws(t *testing.T) {
	o := conformance.Options{Profile: conformance.Full}
	if !clustertest.Campaign {
		o = conformance.Options{Laws: []string{"process/data-handle", "process/strangers", "process/orphan", "clusterer/mass",
			"clusterer/missing", "clusterer/parts"}}
	}
	conformance.RunPlugin(t, host.Program{Name: "huber", Path: plugintest.Python(t, ".")}, o)
}
