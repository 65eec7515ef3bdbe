//go:build !portable

package host

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// startProcess starts the process in a group of its own. The kernel kills it
// when the calling thread ends: a help besides the lifeline, since it works on
// a frozen process too.
func startProcess(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd.Start()
}

// awaitEnd returns when the process has ended, and leaves it to be waited for,
// so that its id still is its own.
func awaitEnd(cmd *exec.Cmd) (reaped bool) {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return false
		}
	}
}

// killGroup kills the process and all of its group. It must not have been
// waited for.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
