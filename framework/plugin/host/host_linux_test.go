//go:build !portable

package host

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
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

// own is this program, started once more.
func own(role string) Program {
	p := itself(role)
	p.Own = true
	return p
}

func TestAProgramOfOnesOwnNeedsNoCertificateAndStillAnswersItsHostAlone(t *testing.T) {
	p := must.Get(Launch(t.Context(), own("plugin"), Options{}))(t)
	must.Equal(t, len(toys), len(must.Get(p.Describe(t.Context()))(t)))
	must.Do(t, p.Close())
	must.Equal(t, false, must.Get(AnswersStrangers(t.Context(), own("plugin"), Options{}))(t))
	var errs bytes.Buffer
	_, err := Launch(t.Context(), own("environment"), Options{Stderr: &errs})
	wantFault(t, err, "not-a-plugin")
	own := fmt.Sprintf("%s=%d", wire.HostKey, os.Getpid())
	if said := errs.String(); strings.Contains(said, "PLUGIN_CLIENT_CERT") || !strings.Contains(said, own) {
		t.Error(said)
	}
}

// A process that says it is the program, and listens elsewhere than where it was
// started, is not spoken to: another listens at the socket that it names.
func TestAHostDoesNotSpeakToAProcessThatItHasNotStarted(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l := must.Get(net.Listen("unix", socket))(t)
	defer func() { _ = l.Close() }()
	prog := own("elsewhere")
	prog.Env = []string{"SQLCLUSTER_TEST_SOCKET=" + socket}
	_, err := Launch(t.Context(), prog, Options{})
	wantFault(t, err, "not-a-plugin")
}
