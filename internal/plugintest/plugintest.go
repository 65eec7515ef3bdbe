// Package plugintest makes the plugins among the examples that are written in other
// languages than Go, for the tests that run them. These need what other tests do not:
// they are skipped on a machine without it, unless an environment variable says that
// it must be there.
package plugintest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// need skips the test because of an error, or fails it if the variable is set.
func need(t *testing.T, variable, what string, err error) {
	t.Helper()
	if err == nil {
		return
	}
	if os.Getenv(variable) != "" {
		t.Fatalf("%s is set, but: %v", variable, err)
	}
	t.Skipf("needs %s: %v", what, err)
}

// build runs a command whose last argument is the path of the plugin that it makes. The
// plugin depends on the files, relative to dir: they are read here, so that go test
// does not take a cached result after they have changed.
func build(t *testing.T, dir, name string, sources []string, command ...string) (plugin string) {
	t.Helper()
	for _, pattern := range sources {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatalf("the plugin has no %s: %v", pattern, err)
		}
		for _, path := range paths {
			if _, err := os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	plugin = filepath.Join(t.TempDir(), name)
	if said, err := exec.CommandContext(t.Context(), command[0], append(command[1:], plugin)...).CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", command, err, said)
	}
	return plugin
}
