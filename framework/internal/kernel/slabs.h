// Rows in slabs: see filter.h, and filter.go for what is computed. A slab has the cells of
// F_ROWS rows, feature by feature.

#define LATER 4096 // bytes, of the slabs that come next, after which lines are fetched: the processor does not look beyond a page

// lay is lay of kernel.h.
TARGET void NAME(lay)(float *slabs, const double *x, const double *origin, double scale, int64_t n, int64_t s) {
	for (int64_t i = 0; i < n; i += F_ROWS, slabs += F_ROWS * s) {
		const char *row[F_ROWS];
		for (int64_t r = 0; r < F_ROWS; r++) row[r] = (const char *)(x + (i + r < n ? i + r : n - 1) * s);
		NAME(narrow)(slabs, row, DOUBLE, origin, scale, 0, s, 0);
	}
}

// lay_halves is halve of kernel.h, for slabs.
TARGET float NAME(lay_halves)(uint16_t *slabs, const double *x, const double *origin, double scale, float rest, int64_t n, int64_t s) {
	float wide[PANEL * F_ROWS] __attribute__((aligned(64)));
	F share = F_ALL(0);
	for (int64_t i = 0; i < n; i += F_ROWS, slabs += F_ROWS * s) {
		NAME(lay)(wide, x + i * s, origin, scale, n - i < F_ROWS ? n - i : F_ROWS, s);
		UNROLL for (int v = 0; v < F_ROWS; v += F_LANES) {
			F lost = F_ALL(0), square = lost;
			for (int64_t l = 0; l < s; l++) NAME(halve_cells)(slabs + l * F_ROWS + v, F_LOAD(wide + l * F_ROWS + v), &lost, &square);
			share = NAME(larger)(share, lost, square, rest);
		}
	}
	return NAME(largest)(share);
}

// short_products handles all features of a slab, at most PANEL, and a tile of T centers.
// With the first tile it writes the squares of the rows.
INLINE void NAME(short_products)(const int T, const int halved, const char *slab, int64_t s, const float *centers, const float *half,
                                 int64_t j, NAME(near) *f, float *norm) {
	F sum[TILE][WIDE], square[WIDE];
	UNROLL for (int v = 0; v < WIDE; v++) square[v] = F_ALL(0);
	UNROLL for (int t = 0; t < T; t++)
		UNROLL for (int v = 0; v < WIDE; v++) sum[t][v] = F_ALL(half[j + t]);
	for (int64_t l = 0; l < s; l++) {
		F x[WIDE];
		UNROLL for (int v = 0; v < WIDE; v++) {
			int64_t at = l * F_ROWS + v * F_LANES;
			if (v == 0 || !halved) __builtin_prefetch(slab + at * (halved ? HALF : SINGLE) + LATER);
			x[v] = halved ? F_WIDEN((const uint16_t *)slab + at) : F_LOAD((const float *)slab + at);
			square[v] = F_FMA(x[v], x[v], square[v]);
		}
		UNROLL for (int t = 0; t < T; t++) {
			F c = F_ALL(centers[l * T + t]);
			UNROLL for (int v = 0; v < WIDE; v++) sum[t][v] = F_FMA(x[v], c, sum[t][v]);
		}
	}
	UNROLL for (int v = 0; v < WIDE; v++) F_STORE(norm + v * F_LANES, square[v]);
	NAME(choose)(T, sum, j, f);
}

#undef CASE
#define CASE(T, ...) \
	case T: \
		if (halved) NAME(short_products)(T, 1, slab, s, centers, half, j, f, norm); \
		else NAME(short_products)(T, 0, slab, s, centers, half, j, f, norm); \
		return;

TARGET static void NAME(some_short_products)(int64_t T, int halved, const char *slab, int64_t s, const float *centers, const float *half,
                                             int64_t j, NAME(near) *f, float *norm) {
	switch (T) { WIDTHS() }
}

// slabs is filter for rows in slabs, those of first..end-1, the first of which is at x: of
// the numbered ones, it handles those that have enough beside them in their slab, and leaves
// the others in rows, and their number in *scattered.
TARGET int64_t NAME(slabs)(const problem *p, const filter *w, const void *x, int64_t first, int64_t end, int32_t *rows, int64_t count,
                           const results *out, int32_t *unsure, int64_t *scattered) {
	int64_t s = p->s, k = p->k, left = 0, few = 0;
	int64_t tiles = (k + TILE - 1) / TILE;
	int32_t begin[STARTS + 1]; // of tiles; divisions take long
	for (int64_t t = 0; t <= tiles && t <= STARTS; t++) begin[t] = (int32_t)(t * k / tiles);
	for (int r = 0; r < F_ROWS; r++) rows[count + r] = INT32_MAX;
	for (int64_t i = 0, next; i < count; i = next) {
		int64_t at = first + (rows[i] - first) / F_ROWS * F_ROWS;
		int32_t more = 0, past = (int32_t)(at + F_ROWS);
		for (int r = 0; r < F_ROWS; r++) more += rows[i + r] < past;
		next = i + more;
		if (next - i < w->together) {
			while (i < next) rows[few++] = rows[i++];
			continue;
		}
		const char *slab = (const char *)x + (at - first) * s * p->size;
		NAME(near) f;
		float norm[F_ROWS];
		for (int r = 0; r < F_ROWS; r++) f.best[r] = f.second[r] = __builtin_inff(), f.label[r] = 0;
		for (int64_t t = 0; t < tiles; t++) {
			int64_t j = t < STARTS ? begin[t] : t * k / tiles, width = (t < STARTS ? begin[t + 1] : (t + 1) * k / tiles) - j;
			NAME(some_short_products)(width, p->size == HALF, slab, s, w->centers + j * s, w->half, j, &f, norm);
		}
		float certain[F_ROWS], gap[F_ROWS];
		int32_t label[F_ROWS];
		if (NAME(decide)(w, k, &f, norm, out, certain, label, gap) && at + F_ROWS <= end) {
			// Those that were not asked for keep their label, and get a later gap.
			int32_t *its = out->label + at, differ = 0;
			for (int r = 0; r < F_ROWS; r++) differ |= its[r] ^ label[r];
			if (differ) memcpy(its, label, sizeof label); // what is not written need not go back to memory
			memcpy(out->gap + at, gap, sizeof gap);
			continue;
		}
		for (; i < next; i++) {
			int64_t r = rows[i] - at;
			unsure[left] = rows[i];
			left += certain[r] == 0;
			if (certain[r] == 0) continue;
			out->label[rows[i]] = label[r];
			out->gap[rows[i]] = gap[r];
		}
	}
	*scattered = few;
	return left;
}
