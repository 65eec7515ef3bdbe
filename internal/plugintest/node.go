package plugintest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Node makes the plugin of examples/plugins/kmedians-node from the sources in dir, and
// returns its path.
func Node(t *testing.T, dir string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(dir, "node_modules"))
	}
	need(t, "SQLCLUSTER_TEST_NODE", "Node.js 20, and `npm ci` in examples/plugins/kmedians-node", err)
	return build(t, dir, "sqlcluster-plugin-kmedians", []string{"src/*", "build.mjs", "protocol.proto", "package-lock.json"},
		node, filepath.Join(dir, "build.mjs"))
}
