//go:build !duckdb_extension

// DuckDB has no setting that leaves out fsync. This one takes the place of the C library's
// when the program is linked, and is the same but for a thread that has asked not to wait.
#include "unsynced_linux.h"

#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local int unsynced;

void sqlcluster_unsynced(int yes) { unsynced = yes; }

int fsync(int fd) { return unsynced ? 0 : (int)syscall(SYS_fsync, fd); }
