package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestProfilesAreOfTheProcessThatDoesTheWork(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := served(t, dir, "fit", "SELECT i AS id, hash(i) % 1000 AS a, hash(i + 7) % 1000 AS b, hash(i * 3) % 997 AS c FROM range(40000) t(i)",
		"--id", "id", "-k", "50", "--restarts", "2", "--max-iter", "100", "--cpuprofile", "cpu", "--trace", "trace")
	says(t, o.stderr, "CPU profiles: cpu of the command, cpu.plugin of the algorithm",
		"traces: trace of the command, trace.plugin of the algorithm")
	// Functions are named in a profile when they were seen at work.
	const step = "sqlcluster/framework/fit.(*state)"
	if got := unzipped(t, filepath.Join(dir, "cpu.plugin")); !bytes.Contains(got, []byte(step)) {
		t.Errorf("%s is not in %d bytes of the plugin's profile", step, len(got))
	}
	if got := unzipped(t, filepath.Join(dir, "cpu")); bytes.Contains(got, []byte(step)) {
		t.Errorf("the command has done the work of the plugin")
	}
	for _, name := range []string{"trace", "trace.plugin"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.HasPrefix(got, []byte("go 1.")) {
			t.Errorf("%s: %v, %d bytes", name, err, len(got))
		}
		if fits := bytes.Contains(got, []byte("framework/fit.Stream")); fits != (name == "trace.plugin") {
			t.Errorf("%s: a fit is in it: %v", name, fits)
		}
	}
}

func unzipped(t *testing.T, path string) []byte {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer func() { _ = f.Close() }()
	r := must.Get(gzip.NewReader(f))(t)
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%s is not complete: %v", path, err)
	}
	return text
}
