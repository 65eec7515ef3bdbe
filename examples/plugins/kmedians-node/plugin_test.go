// Package kmedians checks the laws on the plugin in this directory, which is written
// in Node.js.
package kmedians

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/internal/plugintest"
)

func TestLaws(t *testing.T) {
	conformance.RunPlugin(t, host.Program{Name: "kmedians", Path: plugintest.Node(t, ".")})
}
