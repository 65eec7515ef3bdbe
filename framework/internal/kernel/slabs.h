// Rows in slabs: see filter.h, and filter.go for what is computed. A slab has the cells of
// F_ROWS rows, feature by feature. G names what there is once more for whole numbers.

#ifdef SHORTS
#include "short_slabs.h"
#else

#define LOOKS 4 // slabs of which rows are decided on together: each decision is a long chain

#define EVERY_ROW (0xffffffffu >> (32 - F_ROWS)) // a bit for each row of a slab
#define MANY 4      // rows of a slab
#define LINE 64     // bytes
#define LATER 4096 // bytes, of the slabs that come next, after which lines are fetched: the processor does not look beyond a page

// What slabs has to know of them: where the tiles of centers begin.
typedef struct {
	int64_t tiles;
	int32_t begin[STARTS + 1]; // divisions take long
} NAME(tiling);

INLINE void NAME(tile_all)(NAME(tiling) *t, int64_t k) {
	t->tiles = (k + TILE - 1) / TILE;
	for (int64_t i = 0; i <= t->tiles && i <= STARTS; i++) t->begin[i] = (int32_t)(i * k / t->tiles);
}

// tile_at returns the first center of a tile.
INLINE int64_t NAME(tile_at)(const NAME(tiling) *t, int64_t k, int64_t i) { return i <= STARTS ? t->begin[i] : i * k / t->tiles; }

// lay is lay of kernel.h.
TARGET void NAME(lay)(float *slabs, const double *x, const double *origin, double scale, int64_t n, int64_t s) {
	for (int64_t i = 0; i < n; i += F_ROWS, slabs += F_ROWS * s) {
		const char *row[F_ROWS];
		for (int64_t r = 0; r < F_ROWS; r++) row[r] = (const char *)(x + (i + r < n ? i + r : n - 1) * s);
		const char *next = (const char *)(x + (i + F_ROWS) * s);
		for (int64_t at = 0; at < F_ROWS * s * DOUBLE; at += LINE) __builtin_prefetch(next + at, 0, SECOND);
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
	if (j == 0) NAME(choose)(T, 1, sum, 0, f);
	else NAME(choose)(T, 0, sum, j, f);
}

#undef CASE
#define CASE(T, ...) \
	case T: \
		if (halved) NAME(short_products)(T, 1, slab, s, centers, half, j, f, norm); \
		else NAME(short_products)(T, 0, slab, s, centers, half, j, f, norm); \
		return;

INLINE void NAME(some_short_products)(int64_t T, int halved, const char *slab, int64_t s, const float *centers, const float *half,
                                             int64_t j, NAME(near) *f, float *norm) {
	switch (T) { WIDTHS() }
}

// Of a slab: the two smallest sums of each row, and the squares of the rows.
typedef struct {
	NAME(near) near;
	float norm[F_ROWS];
} G(seen);

// slab_sums finds them.
INLINE void G(slab_sums)(const problem *p, const filter *w, const NAME(tiling) *tiles, const char *slab, G(seen) *to) {
	for (int64_t t = 0; t < tiles->tiles; t++) {
		int64_t j = NAME(tile_at)(tiles, p->k, t), width = NAME(tile_at)(tiles, p->k, t + 1) - j;
		NAME(some_short_products)(width, p->size == HALF, slab, p->s, w->centers + j * p->s, w->half, j, &to->near, to->norm);
	}
}

// decide_slab is decide for a slab.
INLINE uint32_t G(decide_slab)(const filter *w, int64_t k, const G(seen) *f, const results *out, int32_t *label, float *gap) {
	if (w->reach) return NAME(decide)(HALVED, w, k, &f->near, f->norm, out, label, gap);
	return NAME(decide)(NOTHING, w, k, &f->near, f->norm, out, label, gap);
}

// asked returns a bit for each of n rows whose gap is not above the drift of their label, rounded up.
INLINE uint32_t NAME(asked)(const results *out, int64_t k, int64_t at, int64_t n) {
	uint32_t skipped = 0;
	if (!out->up || n < F_ROWS) {
		for (int64_t r = 0; r < F_ROWS; r++)
			skipped |= (uint32_t)(r >= n || (double)out->gap[at + r] > out->drift[out->label[at + r]]) << r;
	} else {
		UNROLL for (int r = 0; r < F_ROWS; r += F_LANES) {
			F drift = F_TABLE(out->up, k, F_NUMBERS(out->label + at + r));
			skipped |= (uint32_t)F_BITS(F_LESS(drift, F_LOAD(out->gap + at + r))) << r;
		}
	}
	return ~skipped & EVERY_ROW;
}

// soon fetches rows, a bit each, that are going to be measured, or to be added to other sums:
// they come from memory, and would be waited for then. Of few rows each is in a page of its own, and to
// find the page takes as long here as there.
INLINE void NAME(soon)(const problem *p, int64_t at, uint32_t bits) {
	int64_t size = DOUBLE * p->s;
	if (__builtin_popcount(bits) < MANY) return;
	for (; bits; bits &= bits - 1) {
		const char *row = (const char *)(p->x + (at + __builtin_ctz(bits)) * p->s);
		for (int64_t from = 0; from < size; from += LINE) __builtin_prefetch(row + from, 0, SECOND);
		__builtin_prefetch(row + size - 1, 0, SECOND);
	}
}

#endif

// A look at a slab: its first row, which rows are there, which are asked for, and of which what is decided is certain.
typedef struct {
	int64_t at;
	uint32_t there, ask, certain;
	G(seen) seen;
	float gap[F_ROWS];
	int32_t label[F_ROWS];
} G(look);

// enter_look writes what is decided. Rows that were not asked for get a later gap; those that are unclear keep what they had, and those
// of them that were asked for are written to unsure. It returns how many these are.
INLINE int64_t G(enter_look)(G(look) *one, uint32_t unclear, const results *out, int32_t *unsure, uint32_t *moved) {
	int64_t left = 0, n = __builtin_popcount(one->there);
	int32_t *its = out->label + one->at;
	float *gaps = out->gap + one->at;
	for (uint32_t bits = unclear; bits; bits &= bits - 1) {
		int r = __builtin_ctz(bits);
		one->label[r] = its[r], one->gap[r] = gaps[r];
		unsure[left] = (int32_t)(one->at + r);
		left += one->ask >> r & 1;
	}
	if (n < F_ROWS) {
		memcpy(its, one->label, (size_t)n * sizeof *its), memcpy(gaps, one->gap, (size_t)n * sizeof *gaps);
		return left;
	}
	UNROLL for (int r = 0; r < F_ROWS; r += F_LANES) *moved |= (uint32_t)F_DIFFER(its + r, one->label + r) << r;
	if (*moved) memcpy(its, one->label, sizeof one->label); // what is not written need not go back to memory
	memcpy(gaps, one->gap, sizeof one->gap);
	return left;
}

// slabs is filter for rows in slabs, those of first..end-1, the first of which is at x. It handles
// slabs of which enough rows are to be looked at, or all are, and all rows in them. It leaves other rows
// that are to be looked at in rows, their number in *scattered, and how many there were in all in
// *looked. fresh says that the rows have just been read.
TARGET int64_t G(slabs)(const problem *p, const filter *w, const void *x, int64_t first, int64_t end, int all, int fresh,
                           int32_t *rows, const results *out, int32_t *unsure, int64_t *scattered, int64_t *looked) {
	int64_t k = p->k, left = 0, few = 0, sum = 0;
	NAME(tiling) tiles;
	NAME(tile_all)(&tiles, k);
#ifdef SHORTS
	G(shorts) with;
	G(short_filter)(&with, w, p->s, k);
	const G(units) *units = x;
	const char *slab = (const char *)x + SHORT_HEAD;
	int64_t size = F_ROWS * short_row(p->s);
#else
	const char *slab = x;
	int64_t size = F_ROWS * p->s * p->size;
#endif
	for (int64_t at = first; at < end;) {
		G(look) looks[LOOKS];
		int64_t n = 0;
		for (; at < end && n < LOOKS; at += F_ROWS, slab += size) {
			int64_t here = end - at < F_ROWS ? end - at : F_ROWS;
			uint32_t there = EVERY_ROW >> (F_ROWS - here), ask = all ? there : NAME(asked)(out, k, at, here);
			if (!ask) continue;
			int64_t more = __builtin_popcount(ask);
			sum += more;
			if (more < w->together) {
				for (; ask; ask &= ask - 1) rows[few++] = (int32_t)(at + __builtin_ctz(ask));
				continue;
			}
			G(look) *one = looks + n++;
			one->at = at, one->there = there, one->ask = ask;
#ifdef SHORTS
			G(slab_sums)(p, &with, &tiles, slab, units + (at - first) / F_ROWS, &one->seen);
#else
			G(slab_sums)(p, w, &tiles, slab, &one->seen);
#endif
		}
		for (G(look) *one = looks; one < looks + n; one++)
#ifdef SHORTS
			one->certain = G(decide_slab)(&with, k, &one->seen, out, one->label, one->gap);
#else
			one->certain = G(decide_slab)(w, k, &one->seen, out, one->label, one->gap);
#endif
		for (G(look) *one = looks; one < looks + n; one++) {
			uint32_t moved = 0, unclear = one->there & ~one->certain;
			left += G(enter_look)(one, unclear, out, unsure + left, &moved);
			if (!fresh) NAME(soon)(p, one->at, moved | (unclear & one->ask));
		}
	}
	*scattered = few, *looked = sum;
	return left;
}
