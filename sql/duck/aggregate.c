// Aggregates whose state is a number, which Go gives its meaning: 0 before the
// first row. There is no memory in a state, so none is lost when DuckDB drops one.
#include "aggregate.h"
#include "_cgo_export.h"

static idx_t size(void *info) {
    (void)info;
    return sizeof(int64_t);
}

static void init(void *info, void *state) {
    (void)info;
    *(int64_t *)state = 0;
}

int sqlcluster_add_aggregate(void *set, const char *name, void **parameters, idx_t n, void *returns, void *extra) {
    void *function = duckdb_create_aggregate_function();
    duckdb_aggregate_function_set_name(function, name);
    for (idx_t i = 0; i < n; i++) {
        duckdb_aggregate_function_add_parameter(function, parameters[i]);
    }
    duckdb_aggregate_function_set_return_type(function, returns);
    duckdb_aggregate_function_set_functions(function, size, init, sqlclusterUpdate, sqlclusterCombine, sqlclusterFinish);
    duckdb_aggregate_function_set_special_handling(function); // rows with NULLs come too
    duckdb_aggregate_function_set_extra_info(function, extra, sqlclusterForget);
    int failed = duckdb_add_aggregate_function_to_set(set, function);
    duckdb_destroy_aggregate_function(&function);
    return failed;
}
