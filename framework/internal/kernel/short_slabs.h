// Slabs in short whole numbers: see whole.go for what is computed, and for the proof. Two features
// of a row are side by side. A chunk of a copy has first, for each of its slabs, a and 1/a, and then
// the slabs. slabs.h includes this file in place of what it has for other slabs.

#define SHORT_UNIT (0.5 + 0x1p-8) // what rounding adds to a cell, at most

// a and 1/a of a slab.
typedef struct {
	float a, by;
} G(units);

// lay_shorts is of kernel.h.
TARGET void G(lay_shorts)(void *chunk, const double *x, const double *origin, double limit, double least, int64_t n, int64_t s) {
	float wide[(SHORT_FEATURES + 1) * F_ROWS] __attribute__((aligned(64)));
	G(units) *units = chunk;
	char *slab = (char *)chunk + SHORT_HEAD;
	for (int64_t i = 0; i < n; i += F_ROWS, slab += F_ROWS * short_row(s)) {
		NAME(lay)(wide, x + i * s, origin, 1, n - i < F_ROWS ? n - i : F_ROWS, s);
		F most = F_ALL(0), square[WIDE];
		UNROLL for (int v = 0; v < WIDE; v++) {
			square[v] = F_ALL(0);
			F_STORE(wide + s * F_ROWS + v * F_LANES, F_ALL(0)); // beside the last feature, if their number is odd
			for (int64_t l = 0; l < s; l++) {
				F cell = F_LOAD(wide + l * F_ROWS + v * F_LANES);
				square[v] = F_FMA(cell, cell, square[v]), most = F_MAX(F_ABS(cell), most);
			}
		}
		float to = __builtin_inff(); // of rows of which nothing can be said
		if (F_BITS(F_BOTH(F_LESS(square[0], F_ALL((float)limit)), F_LESS(square[1], F_ALL((float)limit)))) == (1u << F_LANES) - 1) {
			double length = G(length)(F_MOST(F_MAX(square[0], square[1]))), largest = F_MOST(most);
			if (length < least) length = least;
			to = (float)(length / LENGTH > largest / LARGEST ? length / LENGTH : largest / LARGEST);
		}
		F scale = F_ALL(1 / to);
		units[i / F_ROWS] = (G(units)){1 / to, to};
		for (int64_t l = 0; l < s; l += 2)
			UNROLL for (int v = 0; v < WIDE; v++) {
				const float *cells = wide + l * F_ROWS + v * F_LANES;
				I low = I_OF(F_MUL(F_LOAD(cells), scale)), high = I_OF(F_MUL(F_LOAD(cells + F_ROWS), scale));
				I_STORE(slab + (l * F_ROWS + v * 2 * F_LANES) * 2, I_PAIRS(low, high));
			}
	}
}

// What G(slabs) keeps beside a filter: what depends on how centers are rounded, and what of the bits of a sum is the number of
// its center.
typedef struct {
	float slope, above_slope;   // those of w,
	float doubt, above;         // and for a slab of rows without length
	float unit, length, square; // of 1/a in δ; of δ in what leads lose, and of its square in T
	float by;                   // 1/b
	float half[SHORT_CENTERS + F_LANES]; // of the squares of centers, by b
	const int16_t *centers;
	int32_t numbers;
} G(shorts);

INLINE void G(short_filter)(G(shorts) *with, const filter *w, int64_t s, int64_t k) {
	const double up = 1 + 0x1p-20;
	double share = w->gone / w->longest, fixed = w->gone * w->longest;
	with->slope = (float)((w->slope * (1 + 0x1p-7) + share) * up * up), with->doubt = (float)((w->doubt + fixed) * up);
	with->above_slope = (float)((w->above_slope + w->slope * 0x1p-7 + share) * up * up), with->above = (float)((w->above + fixed) * up);
	with->unit = (float)(G(length)((double)s) * SHORT_UNIT * up);
	with->length = (float)(2 * w->longest * up), with->square = (float)(0x1p9 * w->slope * up);
	with->by = (float)w->inverse, with->centers = w->whole;
	memset(with->half + k / F_LANES * F_LANES, 0, F_LANES * sizeof *with->half);
	for (int64_t j = 0; j < k; j++) with->half[j] = w->half[j] * (float)(1 / w->inverse);
	with->numbers = 1;
	while (with->numbers < k - 1) with->numbers = 2 * with->numbers + 1;
}

// Of a slab: the two smallest sums of each row, with the numbers of their centers, and the squares of the rows; and their
// units: 1/(ab), what squares are in T and in D², what else is in these, δ, and 2δC.
typedef struct {
	I best[WIDE], second[WIDE], square[WIDE];
	float size, slope, above_slope, doubt, above, delta, turned;
} G(seen);

// short_sums handles all features of a slab, and a tile of T centers, whose halves are whole numbers. With the first tile
// it writes the squares of the rows.
INLINE void G(short_sums)(const int T, const int first, const char *slab, int64_t s, const int16_t *centers, const int32_t *half,
                          int32_t numbers, int64_t j, G(seen) *f) {
	I acc[TILE][WIDE], square[WIDE];
	UNROLL for (int v = 0; v < WIDE; v++) square[v] = I_ALL(0);
	UNROLL for (int t = 0; t < T; t++)
		UNROLL for (int v = 0; v < WIDE; v++) acc[t][v] = I_ALL(half[j + t]);
	for (int64_t l = 0; l < s; l += 2) {
		I x[WIDE];
		UNROLL for (int v = 0; v < WIDE; v++) {
			const char *at = slab + (l * F_ROWS + v * 2 * F_LANES) * 2;
			if (first) __builtin_prefetch(at + LATER);
			x[v] = I_LOAD(at);
			if (first) DOTS(square[v], x[v], x[v]);
		}
		UNROLL for (int t = 0; t < T; t++) {
			I c = I_ALL(*(const G(pair) *)(centers + l * T + 2 * t));
			UNROLL for (int v = 0; v < WIDE; v++) DOTS(acc[t][v], x[v], c);
		}
	}
	I its = I_ALL(numbers);
	UNROLL for (int v = 0; v < WIDE; v++) {
		I best, second;
		UNROLL for (int t = 0; t < T; t++) {
			// the bits of acc that are not of its, and the number
			I sum = I_MARK(acc[t][v], its, I_ALL((int32_t)(j + t)));
			if (t == 0 && first) {
				best = sum, second = I_ALL(INT32_MAX);
				continue;
			}
			if (t == 0) best = f->best[v], second = f->second[v];
			second = I_MIN(I_MAX(best, sum), second);
			best = I_MIN(best, sum);
		}
		f->best[v] = best, f->second[v] = second;
		if (first) f->square[v] = square[v];
	}
}

#undef CASE
#define CASE(T, ...) \
	case T: \
		if (j == 0) G(short_sums)(T, 1, slab, s, centers, half, numbers, 0, f); \
		else G(short_sums)(T, 0, slab, s, centers, half, numbers, j, f); \
		return;

INLINE void G(some_short_sums)(int64_t T, const char *slab, int64_t s, const int16_t *centers, const int32_t *half, int32_t numbers,
                               int64_t j, G(seen) *f) {
	switch (T) { WIDTHS() }
}

// slab_sums is that of slabs.h.
INLINE void G(slab_sums)(const problem *p, const G(shorts) *with, const NAME(tiling) *tiles, const char *slab, const G(units) *unit,
                         G(seen) *to) {
	const float up = 1 + 0x1p-20f;
	int64_t even = (p->s + 1) / 2 * 2;
	float by = unit->by, delta = by * with->unit, size = by * with->by, marks = 2 * (float)(with->numbers + 1) * size * up;
	to->size = size, to->slope = by * by * with->slope, to->above_slope = by * by * with->above_slope;
	to->doubt = (with->doubt + delta * delta * with->square + marks) * up, to->above = with->above + marks;
	to->delta = delta * up, to->turned = delta * with->length * up;
	int32_t half[SHORT_CENTERS + F_LANES];
	for (int64_t j = 0; j < p->k; j += F_LANES) I_STORE(half + j, I_OF(F_MUL(F_LOAD(with->half + j), F_ALL(unit->a))));
	for (int64_t t = 0; t < tiles->tiles; t++) {
		int64_t j = NAME(tile_at)(tiles, p->k, t), width = NAME(tile_at)(tiles, p->k, t + 1) - j;
		G(some_short_sums)(width, slab, p->s, with->centers + j * even, half, with->numbers, j, to);
	}
}

// decide_slab is that of slabs.h. It is judge of filter.h for a slab, whose units make for fewer operations. A row of
// which nothing can be said has no finite units.
INLINE uint32_t G(decide_slab)(const G(shorts) *with, int64_t k, const G(seen) *f, const results *out, int32_t *label, float *gap) {
	const float up = 1 + 0x1p-20f, down = 1 - 0x1p-20f;
	uint32_t certain = 0;
	UNROLL for (int v = 0; v < WIDE; v++) {
		I number = I_AND(f->best[v], I_ALL(with->numbers));
		F best = I_TO(f->best[v]), second = I_TO(f->second[v]), square = I_TO(f->square[v]);
		F lead = F_MUL(F_SUB(second, best), F_ALL(f->size * down));
		F base = F_FMA(square, F_ALL(f->above_slope), F_ALL(f->above));
		F first = F_FMA(best, F_ALL(2 * f->size), base), other = F_FMA(second, F_ALL(2 * f->size), base);
		// Upper bounds of both distances, and what they differ by.
		F sum = F_MUL(F_ADD(F_ROOT(first), F_ROOT(other)), F_ALL((1 + F_ROUGH) * up));
		F doubt = F_FMA(square, F_ALL(f->slope), F_ALL(f->doubt));
		doubt = F_ADD(doubt, F_MIN(F_ALL(f->turned), F_MUL(F_ALL(f->delta), sum)));
		sum = F_ADD(sum, F_ALL(2 * f->delta));
		F g = F_MUL(F_RATIO(F_SUB(lead, doubt), sum), F_ALL(2 * (down - F_ROUGH)));
		g = F_SUB(g, F_MUL(F_ALL(out->part), sum));
		F later = F_MUL(F_MIN(F_ADD(g, I_TABLE(out->up, k, number)), F_ALL((float)MAX_GAP)), F_ALL(down));
		F_STORE(gap + v * F_LANES, F_PICK(F_LESS(F_ALL((float)MIN_GAP), g), later, F_ALL(-1)));
		I_STORE(label + v * F_LANES, number);
		certain |= (uint32_t)F_BITS(F_LESS(doubt, lead)) << v * F_LANES;
	}
	return certain;
}
