package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Leftovers lists the processes that a plugin, which has ended, has started and left
// behind, and kills them. They are known by the directory of its socket, which is in
// the environment that they have from it; one that has cleared that is not found. It is
// for tests of plugins.
func (p *Process) Leftovers() (left []string) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environments {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || pid == os.Getpid() {
			continue
		}
		text, err := os.ReadFile(path) // of other users, it cannot be read
		if err != nil || p.runner.dir == "" || !bytes.Contains(text, []byte(p.runner.dir)) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		left = append(left, fmt.Sprintf("%d (%s)", pid, bytes.ReplaceAll(bytes.Trim(line, "\x00"), []byte{0}, []byte(" "))))
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return left
}
