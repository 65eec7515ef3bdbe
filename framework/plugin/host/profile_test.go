package host

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestProfile_is_of_the_process_of_the_plugin(t *testing.T) {
	dir := t.TempDir()
	profile := Profile{CPU: filepath.Join(dir, "cpu"), Trace: filepath.Join(dir, "trace")}
	p := launch(t, "plugin", Options{Profile: profile})
	must.Do(t, fitting(t, p, "none"))
	must.Do(t, p.Close())
	zipped := must.Get(os.Open(profile.CPU))(t)
	defer func() { _ = zipped.Close() }()
	r := must.Get(gzip.NewReader(zipped))(t)
	if _, err := io.ReadAll(r); err != nil {
		t.Errorf("the profile is not complete: %v", err)
	}
	trace := must.Get(os.ReadFile(profile.Trace))(t)
	if !bytes.HasPrefix(trace, []byte("go 1.")) || !bytes.Contains(trace, []byte("framework/fit")) {
		t.Errorf("%d bytes are no trace of a fit", len(trace))
	}
}

func TestProfile_that_cannot_be_written_keeps_a_plugin_from_starting(t *testing.T) {
	_, err := Launch(t.Context(), itself("plugin"), Options{Profile: Profile{Trace: "/nowhere/trace"}})
	f := wantFault(t, err, "not-a-plugin")
	if all := strings.Join(f.Details, "\n"); !strings.Contains(all, "/nowhere/trace") {
		t.Errorf("it says %q", all)
	}
}

func TestProfile_of_a_half_that_cannot_be_written_stops_the_other(t *testing.T) {
	dir := t.TempDir()
	if _, err := (Profile{CPU: filepath.Join(dir, "cpu"), Trace: filepath.Join(dir, "none", "trace")}).Start(); err == nil {
		t.Fatal("no error")
	}
	stop := must.Get(Profile{CPU: filepath.Join(dir, "cpu")}.Start())(t) // fails while another profile runs
	must.Do(t, stop())
}
