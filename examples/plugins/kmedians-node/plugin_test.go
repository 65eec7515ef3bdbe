// Package kmedians holds the plugin in this directory, which is written in
// Node.js, to the laws.
package kmedians

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

// needNode is the environment variable that makes a machine without Node.js, or
// without the packages of this directory, a failure.
const needNode = "SQLCLUSTER_TEST_NODE"

// built makes the plugin of its sources, and returns its path. Without Node.js
// the test is skipped, unless the environment demands it.
func built(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat("node_modules")
	}
	if err != nil {
		if os.Getenv(needNode) != "" {
			t.Fatalf("%s is set, but %v", needNode, err)
		}
		t.Skipf("needs Node.js 20 and `npm ci` in this directory: %v", err)
	}
	readSources(t)
	path := filepath.Join(t.TempDir(), "sqlcluster-plugin-kmedians")
	if said, err := exec.CommandContext(t.Context(), node, "build.mjs", path).CombinedOutput(); err != nil {
		t.Fatalf("build.mjs: %v\n%s", err, said)
	}
	return path
}

// readSources opens what the plugin is made of, so that Go runs the test again
// when it has changed.
func readSources(t *testing.T) {
	t.Helper()
	files, err := fs.Glob(os.DirFS("."), "src/*")
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, name := range append(files, "build.mjs", "protocol.proto", "package-lock.json") {
		if _, err := os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLaws(t *testing.T) {
	conformance.RunPlugin(t, plugin.Program{Name: "kmedians", Path: built(t)})
}
