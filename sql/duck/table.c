#include "table.h"
#include "entry.h"
#include "_cgo_export.h"

#include <stdlib.h>

void duckdb_bind_set_error(void *info, const char *error);
void duckdb_init_set_error(void *info, const char *error);
void duckdb_function_set_error(void *info, const char *error);
void duckdb_scalar_function_set_error(void *info, const char *error);

// ENTER makes a call into Go, or tells DuckDB why not.
#define ENTER(call, set_error)                \
    const char *refused = sqlcluster_enter(); \
    if (refused) {                            \
        set_error(info, refused);             \
        return;                               \
    }                                         \
    call;                                     \
    sqlcluster_leave()

void sqlcluster_heap_bind(void *info) { ENTER(sqlclusterHeapBind(info), duckdb_bind_set_error); }

void sqlcluster_heap_init(void *info) { ENTER(sqlclusterHeapInit(info), duckdb_init_set_error); }

void sqlcluster_heap_next(void *info, void *output) { ENTER(sqlclusterHeapNext(info, output), duckdb_function_set_error); }

void sqlcluster_listed_bind(void *info) { ENTER(sqlclusterListedBind(info), duckdb_bind_set_error); }

void sqlcluster_listed_init(void *info) { ENTER(sqlclusterListedInit(info), duckdb_init_set_error); }

void sqlcluster_listed_next(void *info, void *output) { ENTER(sqlclusterListedNext(info, output), duckdb_function_set_error); }

void sqlcluster_token_bind(void *info) { ENTER(sqlclusterTokenBind(info), duckdb_bind_set_error); }

void sqlcluster_token_init(void *info) { ENTER(sqlclusterTokenInit(info), duckdb_init_set_error); }

void sqlcluster_token_next(void *info, void *output) { ENTER(sqlclusterTokenNext(info, output), duckdb_function_set_error); }

void sqlcluster_token_end(void *run) {
    if (!sqlcluster_enter()) {
        sqlclusterTokenEnd(run);
        sqlcluster_leave();
    }
    free(run);
}

void sqlcluster_scalar(void *info, void *input, void *output) {
    ENTER(sqlclusterScalar(info, input, output), duckdb_scalar_function_set_error);
}

void sqlcluster_forget(void *extra) {
    if (!sqlcluster_enter()) {
        sqlclusterForget(extra);
        sqlcluster_leave();
    }
}
