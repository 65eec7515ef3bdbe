#include <stdint.h>

// sqlcluster_copy copies n entries of a flat vector, from the one at `first`, to
// entries from `at` of another of the same type, which has room for them and whose
// masks are all set there. It returns 0, or the type that it does not know.
int sqlcluster_copy(void *from, uint64_t first, uint64_t n, void *to, uint64_t at);

// sqlcluster_discard gives the memory of n entries of a vector, which nobody reads any more,
// back to the system: DuckDB's allocator keeps for seconds what it frees.
void sqlcluster_discard(void *vector, uint64_t n);

// sqlcluster_bytes returns the bytes that an entry of a vector takes at least.
int sqlcluster_bytes(void *vector);
