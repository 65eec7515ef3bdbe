//go:build unix && !linux

package plugin

import (
	"os/exec"
	"syscall"
)

// startProcess starts the process in a group of its own.
func startProcess(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Start()
}

// awaitEnd returns when the process has ended.
func awaitEnd(cmd *exec.Cmd) { _ = cmd.Wait() }
