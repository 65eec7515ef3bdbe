package cli

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestNothingIsProposedThatAShellWouldWaitFor(t *testing.T) {
	defer func(before time.Duration) { help.CompletionTime = before }(help.CompletionTime)
	help.CompletionTime = time.Millisecond
	pipe := t.TempDir() + "/pipe" // of which nobody writes the other end
	must.Do(t, unix.Mkfifo(pipe, 0o600))
	if names, _ := proposals(t, "fit", "FROM read_csv('"+pipe+"')", "--id", ""); names != nil {
		t.Errorf("%q", names)
	}
	if end, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil { // whoever waits for it goes on
		_ = end.Close()
	}
}
