package plugintest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// Python makes the plugin of examples/plugins/huber-python from the sources in dir, and
// returns its path.
func Python(t *testing.T, dir string) string {
	t.Helper()
	imports := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", "import cryptography, google.protobuf, grpc, numpy")
	said, err := imports.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said)
	}
	for _, tool := range []string{"protoc", "grpc_python_plugin"} {
		if _, missing := exec.LookPath(tool); missing != nil {
			err = missing
		}
	}
	need(t, "SQLCLUSTER_TEST_PYTHON", "Debian's packages for Python that examples/plugins/huber-python/README.md lists", err)
	return build(t, dir, "sqlcluster-plugin-huber", []string{"src/*", "build.sh", "protocol.proto"}, "sh", filepath.Join(dir, "build.sh"))
}
