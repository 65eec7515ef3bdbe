//go:build !portable

package matrix

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAFileThatBecomesShorterWhileItIsMappedAheadEndsNothing(t *testing.T) {
	const size = 1 << 21
	f := os.NewFile(uintptr(must.Get(unix.MemfdCreate("sqlcluster", 0))(t)), "rows")
	defer func() { _ = f.Close() }()
	must.Do(t, f.Truncate(size))
	a := &mappedAhead{mapping: must.Get(mapFile(f, size, false))(t), ended: make(chan struct{})}
	must.Do(t, f.Truncate(size/4))
	a.read(t.Context())
	a.end()
	if a.bytes != nil {
		t.Error("it is mapped still")
	}
}
