#include <stdint.h>

// sqlcluster_copy copies n entries of a flat vector, from the one at `first`, to
// entries from `at` of another of the same type, which has room for them and whose
// masks are all set there. It returns 0, or the type that it does not know.
int sqlcluster_copy(void *from, uint64_t first, uint64_t n, void *to, uint64_t at);
