// Aggregates whose state is a number, which Go gives its meaning: 0 before the
// first row. What else a state has says whose it is.
#include "aggregate.h"
#include "entry.h"
#include "table.h"
#include "_cgo_export.h"

typedef struct {
    int64_t group;
    void *extra;
} state;

static idx_t size(void *info) {
    (void)info;
    return sizeof(state);
}

static void init(void *info, void *at) {
    *(state *)at = (state){0, duckdb_aggregate_function_get_extra_info(info)};
}

// entered reports whether a call may go on, and says why not.
static int entered(void *info) {
    const char *refused = sqlcluster_enter();
    if (refused) {
        duckdb_aggregate_function_set_error(info, refused);
    }
    return !refused;
}

static void update(void *info, void *input, void **states) {
    if (entered(info)) {
        sqlclusterUpdate(info, input, states);
        sqlcluster_leave();
    }
}

static void combine(void *info, void **from, void **into, idx_t n) {
    if (entered(info)) {
        sqlclusterCombine(info, from, into, n);
        sqlcluster_leave();
    }
}

static void finish(void *info, void **states, void *result, idx_t n, idx_t at) {
    if (entered(info)) {
        sqlclusterFinish(info, states, result, n, at);
        sqlcluster_leave();
    }
}

static void destroy(void **states, idx_t n) {
    for (idx_t i = 0; i < n; i++) {
        state *s = states[i];
        if (s->group != 0 && !sqlcluster_enter()) {
            sqlclusterDestroy(s->extra, s->group);
            sqlcluster_leave();
        }
        s->group = 0;
    }
}

int sqlcluster_add_aggregate(void *set, const char *name, void **parameters, idx_t n, void *returns, void *extra) {
    void *function = duckdb_create_aggregate_function();
    duckdb_aggregate_function_set_name(function, name);
    for (idx_t i = 0; i < n; i++) {
        duckdb_aggregate_function_add_parameter(function, parameters[i]);
    }
    duckdb_aggregate_function_set_return_type(function, returns);
    duckdb_aggregate_function_set_functions(function, size, init, update, combine, finish);
    duckdb_aggregate_function_set_destructor(function, destroy);
    duckdb_aggregate_function_set_special_handling(function); // rows with NULLs come too
    duckdb_aggregate_function_set_extra_info(function, extra, sqlcluster_forget);
    int failed = duckdb_add_aggregate_function_to_set(set, function);
    duckdb_destroy_aggregate_function(&function);
    return failed;
}
