//go:build unix

package zoo

import (
	"os/exec"
	"syscall"
)

// ownSession puts the process that is to be started out of reach of signals to
// the group of this one.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
