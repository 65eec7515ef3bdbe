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

// by_label lists the numbered rows by the clusters that get and lose them, in their order: the list of cluster
// j begins at begin[j]. It returns 0, and does nothing, where a label is not below k.
TARGET static int NAME(by_label)(int32_t *begin, int32_t *list, double *mass, int64_t k, const int32_t *rows, int64_t count,
                               const int32_t *from, const int32_t *to) {
	memset(begin, 0, (size_t)(k + 1) * sizeof *begin);
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
	return 1;
}

// by_cluster moves the numbered rows of at most CHUNK. It returns 0, and does nothing, where a label
// is not below k, or this way would not pay.
TARGET static int NAME(by_cluster)(double *sum, double *low, double *mass, int64_t k, const double *x, int64_t p, const int32_t *rows,
                                   int64_t count, const int32_t *from, const int32_t *to) {
	int32_t begin[SORTED_CLUSTERS + 1], list[2 * CHUNK];
	if (p < 2 * LANES || p > SUMMED * LANES || k > SORTED_CLUSTERS || count < 2 * k) return 0;
	if (!NAME(by_label)(begin, list, mass, k, rows, count, from, to)) return 0;
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

// Rows of few features in a large table are moved one by one, after all of a list are on their way to the second cache.
// AVX-512 leaves those of FEW_CELLS features at most to AVX2: with vectors of its length they take longer.

#define ROW_SUMS 5        // vectors of sums, in two parts each
#define LISTED (CHUNK + CHUNK / 4) // rows of a list, at most
#define LESS_CLUSTERS 64  // clusters, at most, where a row is less than a vector

// row_sums moves the listed rows. T is n / LANES, rounded up: the last vector may overlap the one before. less says
// that n is below LANES: sums are of whole vectors then. It returns the first row with a label that is not below k, and -1 if there is none.
INLINE int64_t NAME(row_sums)(const int T, const int less, double *sum, double *low, double *mass, int64_t k, const double *x,
                              int64_t n, const int32_t *rows, int64_t count, const int32_t *from, const int32_t *to) {
	int64_t wide = less ? LANES : n, last = less ? 0 : n - LANES;
	for (int64_t r = 0; r < count; r++) {
		int64_t i = rows[r], between[2] = {from ? from[i] : -1, to[i]};
		if (between[0] >= k || between[1] >= k) return i;
		V high[ROW_SUMS], rest[ROW_SUMS], a[ROW_SUMS], b[ROW_SUMS];
		UNROLL for (int v = 0; v < T; v++) {
			V cells = less ? SOME(x + i * n, n) : LOAD(x + i * n + (v + 1 < T ? v * LANES : last));
			high[v] = HIGH(cells), rest[v] = SUB(cells, high[v]);
		}
		UNROLL for (int gets = 0; gets < 2; gets++) {
			if (between[gets] < 0) continue;
			double *s = sum + between[gets] * wide, *l = low + between[gets] * wide;
			mass[between[gets]] += gets ? 1 : -1;
			UNROLL for (int v = 0; v < T; v++) { // all of them before one is written: they may overlap
				int64_t at = v + 1 < T ? v * LANES : last;
				a[v] = gets ? ADD(LOAD(s + at), high[v]) : SUB(LOAD(s + at), high[v]);
				b[v] = gets ? ADD(LOAD(l + at), rest[v]) : SUB(LOAD(l + at), rest[v]);
			}
			UNROLL for (int v = 0; v < T; v++) {
				int64_t at = v + 1 < T ? v * LANES : last;
				STORE(s + at, a[v]), STORE(l + at, b[v]);
			}
		}
	}
	return -1;
}

// padded_sums is row_sums for rows of less than a vector.
TARGET static int64_t NAME(padded_sums)(double *sum, double *low, double *mass, int64_t k, const double *x, int64_t p, const int32_t *rows,
                                        int64_t count, const int32_t *from, const int32_t *to) {
	double high[LESS_CLUSTERS * LANES] = {0}, rest[LESS_CLUSTERS * LANES] = {0};
	for (int64_t j = 0; j < k; j++)
		for (int64_t l = 0; l < p; l++) high[j * LANES + l] = sum[j * p + l], rest[j * LANES + l] = low[j * p + l];
	int64_t wrong = NAME(row_sums)(1, 1, high, rest, mass, k, x, p, rows, count, from, to);
	for (int64_t j = 0; j < k; j++)
		for (int64_t l = 0; l < p; l++) sum[j * p + l] = high[j * LANES + l], low[j * p + l] = rest[j * LANES + l];
	return wrong;
}

TARGET static int64_t NAME(some_row_sums)(double *sum, double *low, double *mass, int64_t k, const double *x, int64_t p, const int32_t *rows,
                                          int64_t count, const int32_t *from, const int32_t *to) {
	switch ((p + LANES - 1) / LANES) {
	case 1: return NAME(row_sums)(1, 0, sum, low, mass, k, x, p, rows, count, from, to);
	case 2: return NAME(row_sums)(2, 0, sum, low, mass, k, x, p, rows, count, from, to);
	case 3: return NAME(row_sums)(3, 0, sum, low, mass, k, x, p, rows, count, from, to);
	case 4: return NAME(row_sums)(4, 0, sum, low, mass, k, x, p, rows, count, from, to);
	default: return NAME(row_sums)(ROW_SUMS, 0, sum, low, mass, k, x, p, rows, count, from, to);
	}
}

// by_row moves all rows, of few features, or those before the first with a label that is not below k. It returns how
// many those are, and -1 if it does nothing: rows have too many features, or there are too many clusters.
TARGET static int64_t NAME(by_row)(double *sum, double *low, double *mass, int64_t k, const double *x, int64_t p, int64_t n,
                                   const int32_t *from, const int32_t *to) {
	int32_t rows[LISTED + 16];
	if (p > ROW_SUMS * LANES || (p < LANES && k > LESS_CLUSTERS)) return -1;
	for (int64_t start = 0, some = 0; start < n; some = 0) {
		for (; start < n && some + CHUNK <= LISTED; start += CHUNK) {
			int64_t more = NAME(list)(rows + some, from, to, start, start + CHUNK < n ? start + CHUNK : n);
			for (int64_t r = some; r < some + more; r++) {
				const double *row = x + rows[r] * p;
				for (int64_t l = 0; l < p; l += 8) __builtin_prefetch(row + l, 0, SECOND);
				__builtin_prefetch(row + p - 1, 0, SECOND);
			}
			some += more;
		}
		int64_t wrong = p < LANES ? NAME(padded_sums)(sum, low, mass, k, x, p, rows, some, from, to)
		                          : NAME(some_row_sums)(sum, low, mass, k, x, p, rows, some, from, to);
		if (wrong >= 0) return wrong;
	}
	return n;
}

// Rows of many features are moved panel by panel: some columns of all listed rows, cluster by
// cluster, as above. So sums are read and written once for each panel of a block, and not once for each row;
// and the next panel of the rows is on its way to the second cache meanwhile.

#define WIDE_FEATURES 256 // from so many on: with fewer, rows one after the other come faster from memory
#define SWEEP 12          // rows of a panel that are handled, at least, until what is fetched is needed

// wide_sums is cluster_sums for n of the p cells of each row.
INLINE void NAME(wide_sums)(const int T, double *sum, double *low, const double *x, int64_t p, int64_t n, const int32_t *list, int64_t count) {
	V a[SUMMED + 1], b[SUMMED + 1], signs[2] = {ALL(1), ALL(-1)};
	UNROLL for (int v = 0; v < T; v++) {
		int64_t l = v + 1 < T ? v * LANES : n - LANES;
		a[v] = LOAD(sum + l), b[v] = LOAD(low + l);
	}
	for (int64_t r = 0; r < count; r++) {
		const double *row = x + (list[r] ^ list[r] >> 31) * p;
		V sign = signs[list[r] < 0];
		UNROLL for (int v = 0; v < T; v++) {
			V cells = LOAD(row + (v + 1 < T ? v * LANES : n - LANES)), high = HIGH(cells);
			a[v] = FMA(high, sign, a[v]), b[v] = FMA(SUB(cells, high), sign, b[v]); // a product with 1 or -1 is not rounded
		}
	}
	UNROLL for (int v = 0; v < T; v++) {
		int64_t l = v + 1 < T ? v * LANES : n - LANES;
		STORE(sum + l, a[v]), STORE(low + l, b[v]);
	}
}

TARGET static void NAME(panel_sums)(double *sum, double *low, const double *x, int64_t p, int64_t n, const int32_t *list, int64_t count) {
	switch ((n + LANES - 1) / LANES) {
	case 1: NAME(wide_sums)(1, sum, low, x, p, n, list, count); break;
	case 2: NAME(wide_sums)(2, sum, low, x, p, n, list, count); break;
	case 3: NAME(wide_sums)(3, sum, low, x, p, n, list, count); break;
	case SUMMED: NAME(wide_sums)(SUMMED, sum, low, x, p, n, list, count); break;
	default: NAME(wide_sums)(SUMMED + 1, sum, low, x, p, n, list, count);
	}
}

// by_panel moves the numbered rows of at most CHUNK. It returns 0, and does nothing, where a label
// is not below k, or this way would not pay.
TARGET static int NAME(by_panel)(double *sum, double *low, double *mass, int64_t k, const double *x, int64_t p, const int32_t *rows,
                                 int64_t count, const int32_t *from, const int32_t *to) {
	int32_t begin[SORTED_CLUSTERS + 1], list[2 * CHUNK], which[SORTED_CLUSTERS];
	if (k > SORTED_CLUSTERS || LANES < 4) return 0;
	if (!NAME(by_label)(begin, list, mass, k, rows, count, from, to)) return 0;
	int64_t clusters = 0, later = (1 + SWEEP / (count + 1)) * SUMMED * LANES;
	for (int64_t j = 0; j < k; j++)
		if (begin[j] < begin[j + 1]) which[clusters++] = (int32_t)j;
	for (int64_t at = 0, n; at < p; at += n) {
		n = p - at < (SUMMED + 1) * LANES ? p - at : SUMMED * LANES; // so that a vector is left at least
		int64_t coming = p - at - later < SUMMED * LANES ? p - at - later : SUMMED * LANES;
		for (int64_t c = 0; c < clusters; c++) {
			int64_t j = which[c];
			for (int64_t r = count * c / clusters; r < count * (c + 1) / clusters; r++)
				for (int64_t l = 0; l < coming; l += 8) __builtin_prefetch(x + rows[r] * p + at + later + l, 0, 2);
			NAME(panel_sums)(sum + j * p + at, low + j * p + at, x + at, p, n, list + begin[j], begin[j + 1] - begin[j]);
		}
	}
	return 1;
}
