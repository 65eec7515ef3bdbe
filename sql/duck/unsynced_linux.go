//go:build !duckdb_extension

package duck

// #include "unsynced_linux.h"
import "C"

import "runtime"

// leavesSync says that withoutSync does as it says.
const leavesSync = true

// withoutSync does work during which this thread writes no file through to the disk.
func withoutSync(work func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	C.sqlcluster_unsynced(1)
	defer C.sqlcluster_unsynced(0)
	work()
}
