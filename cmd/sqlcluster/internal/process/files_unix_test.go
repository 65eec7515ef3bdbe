//go:build unix

package process

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAFileThatIsAPipeIsRefusedAndNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sqlcluster.toml")
	must.Do(t, syscall.Mkfifo(path, 0o600))
	if _, err := ReadAtMost(path, 1); err == nil || !strings.Contains(err.Error(), "it is a pipe") {
		t.Errorf("%v", err)
	}
}
