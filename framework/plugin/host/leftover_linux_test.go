//go:build !portable

package host

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func init() {
	roles["never ready"] = func() { os.Stderr.WriteString("here\n"); forever() }
	roles["waiting host"] = func() { _, _ = Launch(context.Background(), itself("never ready"), Options{Stderr: os.Stdout}) }
}

// TestStart_removes_what_a_killed_host_has_left kills a host that waits for its plugin, so that
// there are a directory and a socket to come.
func TestStart_removes_what_a_killed_host_has_left(t *testing.T) {
	emptyTemp(t)
	program := itself("waiting host")
	host := exec.Command(program.Path, program.Args...)
	out := must.Get(host.StdoutPipe())(t)
	must.Do(t, host.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "here\n" {
		t.Fatalf("the plugin said %q (%v)", line, err)
	}
	_ = host.Process.Kill()
	_ = host.Wait() // killed
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 1 {
		t.Fatalf("the host has left %v (%v); the test wants one directory", left, err)
	}
	p := must.Get(Launch(t.Context(), itself("plugin"), Options{}))(t)
	must.Do(t, p.Close())
}
