// Package nodetest makes the plugin of examples/plugins/kmedians-node, which is
// written in Node.js, for the tests that run it.
package nodetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Needed is the environment variable that makes these tests fail on a machine without
// Node.js or the packages of the plugin. Without it they are skipped: all other tests
// need only Go and a C++ compiler.
const Needed = "SQLCLUSTER_TEST_NODE"

// Plugin builds the plugin from the sources in dir, and returns its path.
func Plugin(t *testing.T, dir string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "node_modules"))
	}
	if err != nil {
		if os.Getenv(Needed) != "" {
			t.Fatalf("%s is set, but: %v", Needed, err)
		}
		t.Skipf("needs Node.js 20, and `npm ci` in examples/plugins/kmedians-node: %v", err)
	}
	dependOnSources(t, dir)
	path := filepath.Join(t.TempDir(), "sqlcluster-plugin-kmedians")
	if said, err := exec.CommandContext(t.Context(), node, filepath.Join(dir, "build.mjs"), path).CombinedOutput(); err != nil {
		t.Fatalf("build.mjs: %v\n%s", err, said)
	}
	return path
}

// dependOnSources reads the sources of the plugin, so that go test does not take a
// cached result after they have changed.
func dependOnSources(t *testing.T, dir string) {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(dir, "src", "*"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("the plugin has no sources: %v", err)
	}
	for _, name := range []string{"build.mjs", "protocol.proto", "package-lock.json"} {
		sources = append(sources, filepath.Join(dir, name))
	}
	for _, path := range sources {
		if _, err := os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
}
