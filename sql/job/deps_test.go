package job_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestTheJobLayerLinksNoDatabaseAndNoProcess(t *testing.T) {
	out := must.Get(exec.CommandContext(t.Context(), "go", "list", "-deps",
		".", "../grouped", "../export", "../input", "../query", "../result",
		"../schema").Output())(t)
	for path := range strings.Lines(string(out)) {
		for _, foreign := range []string{"duckdb", "database/sql", "google.golang.org/grpc", "go-plugin", "framework/plugin", "spf13"} {
			if strings.Contains(path, foreign) {
				t.Errorf("it links %s", path)
			}
		}
	}
}
