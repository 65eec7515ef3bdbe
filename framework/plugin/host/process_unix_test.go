//go:build unix && (!linux || portable)

package host

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// The id of a process that was waited for may belong to another group. Here the
// group is known to be still its own: one that answers was not killed.
func TestGroup_of_a_process_that_was_waited_for_is_left_alone(t *testing.T) {
	var ends [4]*os.File // question: read, write; answer: read, write
	for i := 0; i < len(ends); i += 2 {
		var err error
		if ends[i], ends[i+1], err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "-c", "cat <&3 >&4 &")
	cmd.ExtraFiles = []*os.File{ends[0], ends[3]}
	must.Do(t, startProcess(cmd))
	_, _ = ends[0].Close(), ends[3].Close()
	if !awaitEnd(cmd) {
		t.Fatal("it was not waited for")
	}
	defer func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }()
	killGroup(cmd)
	_, _ = ends[1].WriteString("?") // fails if nobody reads, and so does the next
	answer := make([]byte, 1)
	if _, err := ends[2].Read(answer); err != nil {
		t.Errorf("no answer: %v", err)
	}
	_, _ = ends[1].Close(), ends[2].Close()
}
