package duck

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestTheHeapOfAThreadHasRoomAtOnce(t *testing.T) {
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
