//go:build unix

package flags

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAConfigurationThatIsAPipeIsRefusedAndNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), configFile)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readAtMost(path, 1); err == nil || !strings.Contains(err.Error(), "it is a pipe") {
		t.Errorf("%v", err)
	}
}
