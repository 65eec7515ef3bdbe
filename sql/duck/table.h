// Functions that DuckDB calls, each of which asks before it enters Go (entry.h).
#include <stdint.h>

void sqlcluster_heap_bind(void *info);
void sqlcluster_heap_init(void *info);
void sqlcluster_heap_next(void *info, void *output);

void sqlcluster_listed_bind(void *info);
void sqlcluster_listed_init(void *info);
void sqlcluster_listed_next(void *info, void *output);

void sqlcluster_token_bind(void *info);
void sqlcluster_token_init(void *info);
void sqlcluster_token_next(void *info, void *output);
void sqlcluster_token_end(void *run);

void sqlcluster_scalar(void *info, void *input, void *output);

// sqlcluster_forget frees what newHandle has made.
void sqlcluster_forget(void *extra);
