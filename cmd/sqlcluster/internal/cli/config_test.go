package cli

import (
	"os"
	"strings"
	"testing"
)

func TestAConfigurationThatIsTooMuchIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"lists in lists":   "features = " + strings.Repeat("[", 1<<20-100),
		"tables in tables": strings.Repeat("a = {", 1<<16),
		"a long file":      "# " + strings.Repeat("x", 1<<20),
		"a long number":    "seed = " + strings.Repeat("9", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile("sqlcluster.toml", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			code, _, errs := run("runs", "--db", "x.duckdb")
			if code != exitUsage || !strings.HasPrefix(errs, "error[bad-config]") || len(errs) > 1000 {
				t.Errorf("%d: %.300s", code, errs)
			}
		})
	}
}
