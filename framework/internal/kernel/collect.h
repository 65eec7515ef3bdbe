// Moving rows of a small table: see move_parts of tile.h, which includes this file. What each
// cluster gets and loses is taken together, so that its sums stay in registers, and in the
// order of the rows, so that they have the same bits. The rows are in a cache; those of a large
// table come from memory, and are read faster one after the other.

#define SUMMED 4            // vectors of sums, in two parts each
#define SORTED_CLUSTERS 256 // at most

// cluster_sums adds n cells of the listed rows to the sums of a cluster, or takes
// them from these where the list has the complement of a row's number. T is n / LANES, rounded up: the
// last vector may overlap the one before: both get the same numbers then.
INLINE void NAME(cluster_sums)(const int T, double *sum, double *low, const double *x, int64_t n, const int32_t *list, int64_t count) {
	int64_t last = n - LANES;
	V a[SUMMED], b[SUMMED];
	UNROLL for (int v = 0; v < T; v++) {
		int64_t l = v + 1 < T ? v * LANES : last;
		a[v] = LOAD(sum + l), b[v] = LOAD(low + l);
	}
	for (int64_t r = 0; r < count; r++) {
		int64_t i = list[r] ^ list[r] >> 31, soon = list[r + 8 < count ? r + 8 : count - 1];
		V sign = ALL(list[r] < 0 ? -1 : 1);
		UNROLL for (int v = 0; v < T; v++) {
			int64_t l = v + 1 < T ? v * LANES : last;
			V cells = MUL(LOAD(x + i * n + l), sign), high = HIGH(cells);
			__builtin_prefetch(x + (soon ^ soon >> 63) * n + l);
			a[v] = ADD(a[v], high), b[v] = ADD(b[v], SUB(cells, high));
		}
	}
	UNROLL for (int v = 0; v < T; v++) {
		int64_t l = v + 1 < T ? v * LANES : last;
		STORE(sum + l, a[v]), STORE(low + l, b[v]);
	}
}

// by_cluster moves the numbered rows of at most CHUNK. It returns 0, and does nothing, where a label
// is not below k, or this way would not pay.
TARGET static int NAME(by_cluster)(double *sum, double *low, double *mass, int64_t k, const double *x, int64_t p, const int32_t *rows,
                                   int64_t count, const int32_t *from, const int32_t *to) {
	int32_t begin[SORTED_CLUSTERS + 1] = {0}, list[2 * CHUNK];
	if (p < 2 * LANES || p > SUMMED * LANES || k > SORTED_CLUSTERS || count < 2 * k) return 0;
	for (int64_t r = 0; r < count; r++) {
		int64_t f = from ? from[rows[r]] : -1, t = to[rows[r]];
		if (f >= k || t >= k) return 0;
		if (f >= 0) begin[f]++;
		if (t >= 0) begin[t]++;
	}
	for (int64_t j = 0; j < k; j++) begin[j + 1] += begin[j]; // the end of each, before rows are listed
	for (int64_t r = count - 1; r >= 0; r--) {
		int64_t f = from ? from[rows[r]] : -1, t = to[rows[r]];
		if (f >= 0) list[--begin[f]] = ~rows[r], mass[f] -= 1;
		if (t >= 0) list[--begin[t]] = rows[r], mass[t] += 1;
	}
	for (int64_t j = 0; j < k; j++) {
		double *a = sum + j * p, *b = low + j * p;
		const int32_t *its = list + begin[j];
		int64_t n = begin[j + 1] - begin[j];
		if (n == 0) continue;
		switch ((p + LANES - 1) / LANES) {
		case 2: NAME(cluster_sums)(2, a, b, x, p, its, n); break;
		case 3: NAME(cluster_sums)(3, a, b, x, p, its, n); break;
		default: NAME(cluster_sums)(4, a, b, x, p, its, n);
		}
	}
	return 1;
}
