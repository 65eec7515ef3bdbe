package job_test

import (
	"os/exec"
	"strings"
	"testing"
)

func TestTheJobLayerLinksNoDatabaseAndNoProcess(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".", "../input", "../query", "../result", "../schema").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		for _, foreign := range []string{"duckdb", "database/sql", "google.golang.org/grpc", "go-plugin", "framework/plugin", "spf13"} {
			if strings.Contains(path, foreign) {
				t.Errorf("it links %s", path)
			}
		}
	}
}
