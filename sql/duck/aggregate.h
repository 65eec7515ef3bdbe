// What aggregate.c needs of DuckDB's C interface, whose header comes with the
// bindings, where this package cannot include it. Handles are pointers there too.
#include <stdint.h>

typedef uint64_t idx_t;

void *duckdb_create_aggregate_function(void);
void duckdb_destroy_aggregate_function(void **function);
void duckdb_aggregate_function_add_parameter(void *function, void *type);
void duckdb_aggregate_function_set_return_type(void *function, void *type);
void duckdb_aggregate_function_set_functions(void *function, idx_t (*size)(void *), void (*init)(void *, void *),
    void (*update)(void *, void *, void **), void (*combine)(void *, void **, void **, idx_t),
    void (*finalize)(void *, void **, void *, idx_t, idx_t));
void duckdb_aggregate_function_set_destructor(void *function, void (*destroy)(void **, idx_t));
void duckdb_aggregate_function_set_special_handling(void *function);
void duckdb_aggregate_function_set_extra_info(void *function, void *extra, void (*destroy)(void *));
void *duckdb_aggregate_function_get_extra_info(void *info);
void duckdb_aggregate_function_set_error(void *info, const char *error);
void duckdb_aggregate_function_set_name(void *function, const char *name);
void *duckdb_create_aggregate_function_set(const char *name);
void duckdb_destroy_aggregate_function_set(void **set);
int duckdb_add_aggregate_function_to_set(void *set, void *function);
int duckdb_register_aggregate_function_set(void *connection, void *set);

// sqlcluster_add_aggregate adds an overload to a set of functions. Extra is what
// newHandle made of the aggregate.
int sqlcluster_add_aggregate(void *set, const char *name, void **parameters, idx_t n, void *returns, void *extra);
