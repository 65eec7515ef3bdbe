//go:build unix

package conformance

import "syscall"

// hasLifeline says whether a host is tied to its plugins by a pipe.
const hasLifeline = true

// freeze stops a process, and reports whether it could.
func freeze(pid int) bool { return syscall.Kill(pid, syscall.SIGSTOP) == nil }
