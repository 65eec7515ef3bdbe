//go:build unix && (!linux || portable)

package host

import (
	"os/exec"
	"syscall"
)

// startProcess starts the process in a group of its own.
func startProcess(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Start()
}

// awaitEnd returns when the process has ended. Here it cannot be known without
// waiting for it, so its id, and that of its group, may be another's by then:
// what it has started lives on, unless the process was killed.
func awaitEnd(cmd *exec.Cmd) (reaped bool) {
	_ = cmd.Wait()
	return true
}

// killGroup kills the process and all of its group, unless it was waited for.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process.Signal(syscall.Signal(0)) == nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
