//go:build unix

package zoo

import (
	"os/exec"
	"syscall"
)

// ownSession makes the process start in a session of its own, out of reach of
// signals to the process group of this one.
func ownSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
