//go:build unix

package process

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAFileThatIsAPipeIsRefusedAndNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sqlcluster.toml")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadAtMost(path, 1); err == nil || !strings.Contains(err.Error(), "it is a pipe") {
		t.Errorf("%v", err)
	}
}
