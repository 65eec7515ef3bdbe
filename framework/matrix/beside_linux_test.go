//go:build !portable

package matrix_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// Sealing goes on beside what the caller does, but nobody hears of data before its end.
func TestAHandleIsOfDataThatAreSealed(t *testing.T) {
	const all = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	for range 20 {
		b := build(t, matrix.Memory, 100_000, 4)
		d := must.Get(b.Seal())(t)
		if got, want := d.Matrix().Row(99_999)[3], b.Rows(); want != 100_000 || got == 0 {
			t.Fatalf("the last of %d rows has %g", want, got)
		}
		path := d.Handle().Path
		fd := must.Get(strconv.Atoi(path[strings.LastIndexByte(path, '/')+1:]))(t)
		if got := must.Get(unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0))(t); got&all != all {
			t.Fatalf("seals %x of %x", got, all)
		}
		must.Do(t, d.Share())
		must.Do(t, d.Close())
	}
}

func TestDataThatAreClosedAtOnceLeaveNothing(t *testing.T) {
	const name = "/memfd:sqlcluster (deleted)"
	before := openFiles(t, name, nil)
	for range 20 {
		d := must.Get(build(t, matrix.Memory, 100_000, 20).Seal())(t) // 16 MB
		same := must.Get(matrix.Open(d.Handle()))(t)                  // its pages are touched beside what comes next
		must.Do(t, same.Close())
		must.Do(t, d.Close())
		must.Do(t, must.Get(build(t, matrix.Memory, 100_000, 4).Seal())(t).Close())
	}
	if left := openFiles(t, name, before); len(left) > 0 {
		t.Errorf("%d memory files are left", len(left))
	}
	if maps := must.Get(os.ReadFile("/proc/self/maps"))(t); strings.Contains(string(maps), name) {
		t.Error("a memory file is mapped still")
	}
}
