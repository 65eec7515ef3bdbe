//go:build !portable

package host

import (
	"bufio"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestPlugin_dies_with_a_killed_host(t *testing.T) {
	for name, frozen := range map[string]bool{"at work": false, "frozen": true} {
		t.Run(name, func(t *testing.T) {
			emptyTemp(t)
			program := itself("host")
			host := exec.Command(program.Path, program.Args...)
			out := must.Get(host.StdoutPipe())(t)
			must.Do(t, host.Start())
			defer func() { _ = host.Process.Kill() }()
			line := must.Get(bufio.NewReader(out).ReadString('\n'))(t)
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("the host said %q", line)
			}
			plugin := must.Get(unix.PidfdOpen(pid, 0))(t)
			defer func() { _ = unix.Close(plugin) }()
			if frozen {
				_ = syscall.Kill(pid, syscall.SIGSTOP)
			}
			_ = host.Process.Kill()
			_ = host.Wait() // killed
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(plugin), Events: unix.POLLIN}}, int(patience.Milliseconds()))
			if n != 1 || err != nil {
				t.Errorf("plugin %d outlives its host (%d, %v)", pid, n, err)
			}
		})
	}
}
