//go:build unix

package plugin

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a group of its own, so that Ctrl-C in the
// terminal reaches the host only, and all that it starts can be killed.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
