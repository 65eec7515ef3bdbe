//go:build !unix

package host

import (
	"os"
	"os/exec"
)

// There is no lifeline here: a plugin whose host is killed goes on until its
// connection is used again.

func (r *runner) tie() (*os.File, error) { return nil, nil }

func startProcess(cmd *exec.Cmd) error { return cmd.Start() }

func awaitEnd(cmd *exec.Cmd) (reaped bool) {
	_ = cmd.Wait()
	return true
}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
