//go:build campaign

package skeleton_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/skeleton"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// TestANewPluginBuildsAndPassesItsTest builds with the modules that this one was built
// with.
func TestANewPluginBuildsAndPassesItsTest(t *testing.T) {
	dir, source := filepath.Join(t.TempDir(), "plugin"), must.Get(filepath.Abs("../../../.."))(t)
	must.Get(skeleton.Plugin{Name: "mine", Source: source}.Write(dir))(t)
	sums := must.Get(os.ReadFile(filepath.Join(source, "go.sum")))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o600))
	for _, args := range [][]string{{"vet", "-mod=mod", "."}, {"test", "-mod=mod", "."}, {"build", "-mod=mod", "-o", "mine", "."}} {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %q: %v\n%s", args, err, out)
		}
	}
}
