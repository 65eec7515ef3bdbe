package duck

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAThreadHasRoomForDuckDBAtOnce(t *testing.T) {
	if os.Getenv("TEST_OF_A_NEW_PROCESS") == "" { // or memory that other tests have freed would do
		again := exec.Command(must.Get(os.Executable())(t), "-test.run=^"+t.Name()+"$")
		again.Env = append(os.Environ(), "TEST_OF_A_NEW_PROCESS=1")
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := uintptr(reserveHeap())
	if p == 0 {
		t.Skip("this C library is not glibc")
	}
	var room uintptr // of the mapping that can be written to
	for line := range strings.Lines(string(must.Get(os.ReadFile("/proc/self/maps"))(t))) {
		var from, to uintptr
		var may string
		must.Get(fmt.Sscanf(line, "%x-%x %s", &from, &to, &may))(t)
		if from <= p && p < to && strings.HasPrefix(may, "rw") {
			room = to - p
		}
	}
	if room < reserved*3/4 {
		t.Errorf("%d of %d bytes are reserved", room, reserved)
	}
}
