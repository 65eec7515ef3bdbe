//go:build !portable

package matrix_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestSealedRowsCannotBeChangedOrCut(t *testing.T) {
	b := build(t, matrix.Memory, 100, 2)
	d := must.Get(b.Seal())(t)
	defer func() { _ = d.Close() }()
	f, err := os.OpenFile(d.Handle().Path, os.O_RDWR, 0)
	if err != nil {
		return // not even opened for writing
	}
	defer func() { _ = f.Close() }()
	if _, err := unix.Mmap(int(f.Fd()), 0, 100, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
		t.Error("the sealed rows can be mapped for writing")
	}
	if _, err := f.WriteAt([]byte{1}, 0); err == nil {
		t.Error("the sealed rows can be written")
	}
	if err := f.Truncate(8); err == nil {
		t.Error("the sealed rows can be cut")
	}
}

func TestAnUnsealedMemoryFileIsRefused(t *testing.T) {
	fd := must.Get(unix.MemfdCreate("open", unix.MFD_ALLOW_SEALING))(t)
	defer func() { _ = unix.Close(fd) }()
	must.Do(t, unix.Ftruncate(fd, 80))
	_, err := matrix.Open(matrix.Handle{Path: fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd), Rows: 10, Cols: 1, BlockRows: 64})
	if err == nil || !strings.Contains(err.Error(), "not sealed") {
		t.Errorf("got %v", err)
	}
}

// tooLarge returns a number of cells for which dir has no room.
func tooLarge(t *testing.T, dir string) int {
	t.Helper()
	var disk unix.Statfs_t
	must.Do(t, unix.Statfs(dir, &disk))
	return int(disk.Bfree)*int(disk.Bsize)/4 + 1<<27 // twice what is free, and 1 GiB
}

func TestADiskWithoutRoomIsAFaultBeforeAnythingIsWritten(t *testing.T) {
	dir := t.TempDir()
	check := func(err error) {
		t.Helper()
		f := framework.AsFault(err)
		if f == nil || f.Code != "no-storage" || !strings.Contains(f.Summary, "MB for the matrix: no space left on device") ||
			!strings.HasPrefix(f.Hint, "it was to go to "+dir+"; set TMPDIR to a directory with ") {
			t.Errorf("%v, %+v", err, f)
		}
	}
	_, err := matrix.NewBuilder(1, matrix.Options{RowsHint: tooLarge(t, dir), Storage: matrix.File, Dir: dir})
	check(err)
	b := must.Get(matrix.NewBuilder(1, matrix.Options{Storage: matrix.File, Dir: dir}))(t)
	defer func() { _ = b.Discard() }()
	cells := must.Get(b.Extend(10))(t)
	cells[9] = 7
	_, err = b.Extend(tooLarge(t, dir))
	check(err)
	if v := b.Values(); v.Rows != 10 || v.Row(9)[0] != 7 {
		t.Errorf("%d rows are left", v.Rows)
	}
	if _, err := b.Extend(1); err != nil { // it fits
		t.Error(err)
	}
}

func TestAFileHasRoomForAllOfTheMatrix(t *testing.T) {
	const name = " (deleted)" // or never there
	before := openFiles(t, name, nil)
	b := must.Get(matrix.NewBuilder(1, matrix.Options{RowsHint: 1 << 20, Storage: matrix.File, Dir: t.TempDir()}))(t)
	defer func() { _ = b.Discard() }()
	fds := openFiles(t, name, before)
	var info unix.Stat_t
	if len(fds) != 1 {
		t.Fatalf("%d files", len(fds))
	}
	must.Do(t, unix.Fstat(fds[0], &info))
	if got := info.Blocks * 512; got < 8<<20 { // st_blocks counts 512 bytes
		t.Errorf("%d bytes are reserved", got)
	}
}

// provides reports whether this system provides memory before it is written to (from Linux 5.14 on).
func provides(t *testing.T) bool {
	t.Helper()
	v := must.Get(unix.Mmap(-1, 0, os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS))(t)
	defer func() { must.Do(t, unix.Munmap(v)) }()
	return unix.Madvise(v, unix.MADV_POPULATE_WRITE) == nil
}

func TestRowsThatAreAboutToBeWrittenHaveTheirMemory(t *testing.T) {
	if !provides(t) {
		return
	}
	const name, cols, rows = "/memfd:sqlcluster (deleted)", 8, 4 << 10 // of 256 kB
	before := openFiles(t, name, nil)
	b := must.Get(matrix.NewBuilder(cols, matrix.Options{RowsHint: 4 * rows, Storage: matrix.Memory}))(t)
	defer func() { _ = b.Discard() }()
	mine := openFiles(t, name, before)
	if len(mine) == 0 {
		return // this system has no memory files
	}
	there := func() int64 {
		var info unix.Stat_t
		must.Do(t, unix.Fstat(mine[0], &info))
		return info.Blocks * 512 // st_blocks counts 512 bytes
	}
	if n := there(); n > 0 {
		t.Errorf("before there are rows, %d bytes are there", n)
	}
	cells := must.Get(b.ExtendUnprovided(rows))(t)
	if n := there(); n > 0 {
		t.Errorf("of rows that others provide, %d bytes are there", n)
	}
	b.Provide(cells)
	if n := there(); n < rows*cols*8 {
		t.Errorf("of rows that are provided, %d bytes are there", n)
	}
	must.Get(b.Extend(rows))(t)
	if n := there(); n < 2*rows*cols*8 {
		t.Errorf("of the next rows, too, %d bytes are there", n)
	}
}

func TestOfAFileOnADiskOnlyALittleIsProvidedAtOnce(t *testing.T) {
	var disk unix.Statfs_t
	dir := t.TempDir()
	must.Do(t, unix.Statfs(dir, &disk))
	if !provides(t) || disk.Type == unix.TMPFS_MAGIC { // where all that is reserved is there
		return
	}
	const cols, some, most = 8, 1 << 10, 16 << 20 // rows, and bytes that are provided at once
	b := must.Get(matrix.NewBuilder(cols, matrix.Options{RowsHint: some + most/8/cols + 1, Storage: matrix.File, Dir: dir}))(t)
	defer func() { _ = b.Discard() }()
	there := func(cells []float64) bool {
		first := uintptr(unsafe.Pointer(&cells[len(cells)-1])) &^ uintptr(os.Getpagesize()-1)
		var page byte
		if _, _, e := unix.Syscall(unix.SYS_MINCORE, first, 1, uintptr(unsafe.Pointer(&page))); e != 0 {
			t.Fatal(e)
		}
		return page&1 > 0
	}
	if !there(must.Get(b.Extend(some))(t)) {
		t.Error("of few rows in a file, the last is not there")
	}
	if there(must.Get(b.Extend(most/8/cols + 1))(t)) {
		t.Error("of many rows in a file, the last is there before it is written")
	}
}

func TestEntriesThatAreAboutToBeAddedHaveTheirMemory(t *testing.T) {
	if !provides(t) {
		return
	}
	const name, atOnce = "/memfd:sqlcluster (deleted)", 1 << 16 // entries
	before := openFiles(t, name, nil)
	b := matrix.NewSparseBuilder(10, matrix.Options{Storage: matrix.Memory})
	defer func() { _ = b.Discard() }()
	had, grown := int64(0), 0
	for i := range int64(4 * atOnce) {
		must.Do(t, b.AppendRow([]int32{int32(i % 10)}, []float64{1}))
		if i%512 > 0 {
			continue
		}
		size, there := int64(0), int64(0)
		for _, fd := range openFiles(t, name, before) { // of values, and of columns
			var info unix.Stat_t
			must.Do(t, unix.Fstat(fd, &info))
			size, there = size+info.Size, there+info.Blocks*512 // st_blocks counts 512 bytes
		}
		if size > had && i > atOnce {
			if grown++; there < min(size, 12*(i-512+atOnce)) {
				t.Errorf("of %d bytes for %d entries and more, %d are there", size, i+1, there)
			}
		}
		had = size
	}
	if had > 0 && grown == 0 {
		t.Error("the memory has not grown")
	}
}

func TestMemoryThatIsNotThereIsAFault(t *testing.T) {
	_, err := matrix.NewBuilder(1, matrix.Options{RowsHint: 1 << 46, Storage: matrix.Memory}) // 512 TiB
	f := framework.AsFault(err)
	if f == nil || f.Code != "no-storage" || !strings.Contains(f.Summary, "of memory are available") ||
		!strings.Contains(f.Hint, framework.SettingTo("storage", "file")) {
		t.Errorf("%v, %+v", err, f)
	}
}

func TestSealThatFailsFreesEverything(t *testing.T) {
	const name = "/memfd:sqlcluster (deleted)"
	before := openFiles(t, name, nil)
	b := must.Get(matrix.NewBuilder(1, matrix.Options{RowsHint: 4, Storage: matrix.Memory}))(t)
	must.Get(b.Extend(4))(t)
	if err := b.SetWeights([]float64{1, 2, 3, 4}); err != nil { // they need room
		t.Fatal(err)
	}
	mine := openFiles(t, name, before)
	if len(mine) != 1 {
		t.Fatalf("%d memory files", len(mine))
	}
	must.Get(unix.FcntlInt(uintptr(mine[0]), unix.F_ADD_SEALS, unix.F_SEAL_GROW))(t)
	if _, err := b.Seal(); err == nil {
		t.Fatal("it succeeds")
	}
	if left := openFiles(t, name, before); len(left) > 0 {
		t.Errorf("%d memory files are left", len(left))
	}
}

// openFiles returns the files of this process whose name ends so, but those that
// were open before.
func openFiles(t *testing.T, suffix string, before []int) []int {
	t.Helper()
	const dir = "/proc/self/fd"
	entries := must.Get(os.ReadDir(dir))(t)
	var fds []int
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && strings.HasSuffix(to, suffix) {
			fd := must.Get(strconv.Atoi(e.Name()))(t)
			if !slices.Contains(before, fd) {
				fds = append(fds, fd)
			}
		}
	}
	return fds
}
