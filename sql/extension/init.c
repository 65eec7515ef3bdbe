//go:build duckdb_extension

// How DuckDB loads the extension: the one function that the file exports.
#define DUCKDB_API_EXCLUDE_FUNCTIONS
#include "capi/duckdb_extension.h"
#include "_cgo_export.h"
#include "../duck/entry.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

// The functions of DuckDB (forward.c).
DUCKDB_EXTENSION_GLOBAL

// leave ends what is under way before the program ends, which takes away what it works
// with. It does not wait for long: nobody is to notice.
static void leave(void) {
    if (!sqlcluster_enter()) {
        sqlclusterLeave();
        sqlcluster_leave();
        sqlcluster_close(2000);
    }
}

// What Go's runtime changes of a program, and the extension gives back:
//
// SIGURG, with which it would interrupt loops of its own, and of which it hands none on: a
// program with a handler for it would get none any more, and one that is written in Go
// could not interrupt its own loops. The extension is built so that it sends none (Makefile:
// asyncpreemptoff). The handlers of faults, and of SIGPIPE, hand on what is not theirs: they stay.
//
// The number of files that may be open, which it raises to what the system allows.
static struct sigaction urgent;
static struct rlimit files;

__attribute__((constructor(101))) static void remember(void) { // before Go's runtime
    sigaction(SIGURG, 0, &urgent);
    getrlimit(RLIMIT_NOFILE, &files);
}

// give_back undoes that. Go has begun.
static void give_back(void) {
    static atomic_flag given = ATOMIC_FLAG_INIT;
    struct rlimit now;
    if (!atomic_flag_test_and_set(&given) && !getrlimit(RLIMIT_NOFILE, &now) && now.rlim_cur != files.rlim_cur) {
        now.rlim_cur = files.rlim_cur;
        setrlimit(RLIMIT_NOFILE, &now);
    }
}

// take keeps DuckDB's functions, and reports whether that can be done: there is one
// place for them.
static bool take(const duckdb_ext_api_v1 *api) {
    static atomic_flag taking = ATOMIC_FLAG_INIT;
    static atomic_int taken;
    if (!atomic_flag_test_and_set(&taking)) {
        sigaction(SIGURG, &urgent, 0);
        duckdb_ext_api = *api;
        atexit(leave);
        atomic_store(&taken, 1);
    }
    while (!atomic_load(&taken)) {
    }
    return memcmp(&duckdb_ext_api, api, sizeof duckdb_ext_api) == 0;
}

// is_old reports whether this is DuckDB 1.2, which has the same interface, but ends the
// program where it calls an aggregate of several columns in groups.
static bool is_old(void) {
    int major = 0, minor = 0;
    return sscanf(duckdb_library_version(), "v%d.%d", &major, &minor) == 2 && major == 1 && minor < 3;
}

DUCKDB_CAPI_ENTRY_VISIBILITY bool sqlcluster_init_c_api(duckdb_extension_info info, struct duckdb_extension_access *access) {
    const char *refused = sqlcluster_enter();
    if (refused) {
        access->set_error(info, refused);
        return false;
    }
    bool done = false;
    const duckdb_ext_api_v1 *api = access->get_api(info, "v1.2.0");
    duckdb_connection connection;
    if (!api) {
        // DuckDB has set the error.
    } else if (!take(api)) {
        access->set_error(info, "sqlcluster has been loaded by another copy of DuckDB in this process");
    } else if (is_old()) {
        access->set_error(info, "sqlcluster needs DuckDB 1.3 or newer");
    } else if (duckdb_connect(*access->get_database(info), &connection) == DuckDBError) {
        access->set_error(info, "sqlcluster cannot connect to the database");
    } else {
        char *error = sqlclusterLoad(connection);
        give_back();
        duckdb_disconnect(&connection); // one that stays would keep the file open
        done = !error;
        if (error) {
            access->set_error(info, error);
            free(error);
        }
    }
    sqlcluster_leave();
    return done;
}
