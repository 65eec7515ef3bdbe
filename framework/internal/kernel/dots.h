// The filter for few centers of many features: features are in the lanes, so that rows
// need not be turned. See filter.go for what it computes. Centers are one after the
// other, filled up with zeros to a multiple of WHOLE features. The file that includes
// this one includes filter.h before, and defines, beside what that needs,
//
//   HOLD(a)  keeps a vector in a register, which is loaded once for two uses

#define PAIR 2    // rows that are handled together
#define WHOLE 16  // features, a multiple of F_LANES
#define DOTTED 64 // centers, at most
#define SPAN (F_LANES < 8 ? PANEL * F_LANES : PANEL * 8) // features, for which few centers stay in the first cache

// dot adds the products of n cells of two rows and T centers to sums, and those of the
// rows with themselves to square. rest has what n is more than a multiple of WHOLE.
// Meanwhile it fetches the cells that come next.
INLINE void NAME(dot)(const int T, const int squares, const int halved, const char *const *row, const char *const *rest, int64_t n,
                      const float *centers, int64_t stride, float *const *sums, float *const *square, const char *const *next, int64_t size) {
	F acc[PAIR][TILE], own[PAIR];
	UNROLL for (int r = 0; r < PAIR; r++) {
		own[r] = F_ALL(0);
		UNROLL for (int t = 0; t < T; t++) acc[r][t] = F_ALL(0);
	}
	for (int64_t l = 0; l < n; l += WHOLE) {
		const char *cells[PAIR];
		UNROLL for (int r = 0; r < PAIR; r++) cells[r] = l + WHOLE <= n ? row[r] + l * (halved ? HALF : SINGLE) : rest[r];
		UNROLL for (int v = 0; v < WHOLE; v += F_LANES) {
			F x[PAIR];
			UNROLL for (int r = 0; r < PAIR; r++)
				x[r] = halved ? F_WIDEN((const uint16_t *)cells[r] + v) : F_LOAD((const float *)cells[r] + v);
			UNROLL for (int t = 0; t < T; t++) {
				F c = F_LOAD(centers + t * stride + l + v);
				HOLD(c);
				UNROLL for (int r = 0; r < PAIR; r++) acc[r][t] = F_FMA(x[r], c, acc[r][t]);
			}
			UNROLL for (int r = 0; squares && r < PAIR; r++) own[r] = F_FMA(x[r], x[r], own[r]);
		}
		UNROLL for (int r = 0; squares && r < PAIR; r++) {
			if (size != HALF || l % (2 * WHOLE) == 0) __builtin_prefetch(next[r] + l * size);
			if (size == DOUBLE) __builtin_prefetch(next[r] + l * size + 64);
		}
	}
	UNROLL for (int r = 0; r < PAIR; r++) {
		UNROLL for (int t = 0; t < T; t++) sums[r][t * F_ROWS] += F_SUM(acc[r][t]);
		if (squares) *square[r] += F_SUM(own[r]);
	}
}

#undef CASE
#define CASE(T, ...) \
	case T: \
		if (size == HALF && squares) NAME(dot)(T, 1, 1, row, rest, n, centers, stride, sums, square, next, size); \
		else if (size == HALF) NAME(dot)(T, 0, 1, row, rest, n, centers, stride, sums, square, next, size); \
		else if (squares) NAME(dot)(T, 1, 0, row, rest, n, centers, stride, sums, square, next, size); \
		else NAME(dot)(T, 0, 0, row, rest, n, centers, stride, sums, square, next, size); \
		return;

TARGET static void NAME(some_dots)(int64_t T, int squares, const char *const *row, const char *const *rest, int64_t n,
                                   const float *centers, int64_t stride, float *const *sums, float *const *square,
                                   const char *const *next, int64_t size) {
	switch (T) { WIDTHS() }
}

// dots is filter for few centers.
TARGET int64_t NAME(dots)(const problem *p, const filter *w, const int32_t *rows, int64_t count, const results *out, int32_t *unsure) {
	float sums[DOTTED * F_ROWS] __attribute__((aligned(64)));
	float own[PAIR][SPAN] __attribute__((aligned(64))), rest[PAIR][WHOLE] __attribute__((aligned(64)));
	int64_t s = p->s, k = p->k, left = 0, stride = (s + WHOLE - 1) / WHOLE * WHOLE, tiles = (k + TILE - 1) / TILE;
	int64_t size = p->narrow ? p->size : DOUBLE;
	const char *x = p->narrow ? (const char *)p->narrow : (const char *)p->x;
	for (int64_t i = 0; i < count; i += F_ROWS) {
		NAME(near) f;
		float norm[F_ROWS];
		int64_t here = count - i < F_ROWS ? count - i : F_ROWS;
		for (int r = 0; r < F_ROWS; r++) f.best[r] = f.second[r] = __builtin_inff(), f.label[r] = norm[r] = 0;
		for (int64_t j = 0; j < k; j++)
			for (int r = 0; r < F_ROWS; r++) sums[j * F_ROWS + r] = w->half[j];
		for (int64_t at = 0; at < s; at += SPAN) {
			int64_t n = s - at < SPAN ? s - at : SPAN, whole = n / WHOLE * WHOLE;
			for (int64_t r = 0; r < here; r += PAIR) {
				const char *row[PAIR], *ends[PAIR], *next[PAIR];
				float *square[PAIR], none = 0;
				for (int64_t t = 0; t < PAIR; t++) {
					int64_t a = r + t < here ? i + r + t : i + here - 1, b = a + PAIR < count ? a + PAIR : count - 1;
					const char *its = x + ((rows ? rows[a] : a) * s + at) * size;
					next[t] = x + ((rows ? rows[b] : b) * s + at) * size;
					row[t] = its, ends[t] = (const char *)rest[t], square[t] = r + t < here ? norm + r + t : &none;
					if (size == DOUBLE) {
						NAME(narrow_rows)(own[t], (const double *)its, w->origin + at, w->scale, 1, n);
						row[t] = (const char *)own[t];
					}
					memset(rest[t], 0, sizeof rest[t]);
					int64_t bytes = size == HALF ? HALF : SINGLE;
					memcpy(rest[t], row[t] + whole * bytes, (size_t)((n - whole) * bytes));
				}
				for (int64_t t = 0; t < tiles; t++) {
					int64_t j = t * k / tiles, width = (t + 1) * k / tiles - j;
					float *to[PAIR];
					for (int64_t a = 0; a < PAIR; a++) to[a] = sums + j * F_ROWS + r + a;
					NAME(some_dots)(width, t == 0, row, ends, n, w->centers + j * stride + at, stride, to, square, next, size);
				}
			}
		}
		for (int64_t j = 0; j < k; j++) {
			F sum[1][WIDE];
			UNROLL for (int v = 0; v < WIDE; v++) sum[0][v] = F_LOAD(sums + j * F_ROWS + v * F_LANES);
			NAME(choose)(1, 0, sum, j, &f);
		}
		left += w->reach ? NAME(settle)(HALVED, w, k, &f, norm, rows, i, count, out, unsure + left)
		                 : NAME(settle)(NOTHING, w, k, &f, norm, rows, i, count, out, unsure + left);
	}
	return left;
}

#undef PAIR
#undef WHOLE
#undef DOTTED
#undef SPAN
