// Rows and centers in short whole numbers, for groups of centers: see whole.go for what is
// computed, and for the proof. Products take half the time that they take in single precision.
// Two cells of a row, or of a center, are side by side: they are multiplied and added together.
// groups.h includes this file in place of what it has for single precision.

#define CHAIN 128      // features whose products are added as whole numbers, as in Go
#define LONGEST 4096   // features, as in Go
#define LENGTH 46300   // of a row in CHAIN features, at most, as in Go
#define LARGEST 32766  // cell, as in Go
#define TINY 0x1p-80f  // squares of lengths that are smaller say nothing about cells

// stride returns how many cells a row has: zeros fill whole vectors.
INLINE int64_t G(stride)(int64_t s) { return (s + 31) / 32 * 32; }

// Two cells that are side by side.
typedef int32_t __attribute__((may_alias)) G(pair);

INLINE double G(length)(double square) {
	__m128d a = _mm_set_sd(square > 0 ? square : 0);
	return _mm_cvtsd_f64(_mm_sqrt_sd(a, a));
}

// shorten writes the cells of a row as whole numbers, by the largest factor that its length and
// its cells allow, and what that adds to T, and its length.
INLINE void G(shorten)(const groups *w, const float *x, int64_t s, double limit, G(visitor) *v) {
	int16_t *to = (int16_t *)v->x;
	F most = F_ALL(0), lost = most;
	float square = 0, norm = 0;
	for (int64_t at = 0; at < s; at += CHAIN) {
		F sum = F_ALL(0);
		for (int64_t l = at; l < s && l < at + CHAIN; l += F_LANES) {
			F cells = F_SOME(x + l, s - l, F_ALL(0));
			sum = F_FMA(cells, cells, sum), most = F_MAX(F_ABS(cells), most);
		}
		float its = F_SUM(sum);
		norm += its, square = its > square ? its : square;
	}
	float by = 0;
	v->square = norm;
	if (norm < limit && norm > TINY) {
		double length = LENGTH / G(length)(square), largest = LARGEST / (double)F_MOST(most);
		by = (float)(length < largest ? length : largest);
	}
	for (int64_t l = 0; l < G(stride)(s); l += F_LANES) {
		F cells = F_MUL(F_SOME(x + l, s - l, F_ALL(0)), F_ALL(by));
		I whole = I_OF(cells);
		F off = F_SUB(cells, I_TO(whole));
		lost = F_FMA(off, off, lost);
		I_SHORTS(to + l, whole);
	}
	double length = G(length)(norm) * (1 + 0x1p-10) + 0x1p-60;
	double delta = by > 0 ? G(length)(F_SUM(lost)) * (1 + 0x1p-10) / by + length * 0x1p-22 : length;
	v->lost = (float)(2 * (delta * w->longest + length * w->gone) * (1 + 0x1p-8));
	v->by = by > 0 ? (float)(1 / (by * w->scale)) : 0;
}

// spread writes the sums of TOGETHER rows and the centers of a group.
INLINE void G(spread)(G(visitor) *const *now, int64_t s, const int16_t *centers, const float *half, float *sums) {
	int16_t x[TOGETHER][CHAIN] __attribute__((aligned(64))); // side by side, so that they take one register to address
	int64_t cells = G(stride)(s);
	UNROLL for (int r = 0; r < TOGETHER; r++)
		UNROLL for (int v = 0; v < VECTORS; v++) F_STORE(sums + r * GROUPED + v * F_LANES, F_LOAD(half + v * F_LANES));
	for (int64_t at = 0; at < cells; at += CHAIN) {
		int64_t n = cells - at < CHAIN ? cells - at : CHAIN;
		I acc[TOGETHER][VECTORS];
		for (int r = 0; r < TOGETHER; r++)
			for (int64_t l = 0; l < n; l += 2 * F_LANES) {
				I some = I_LOAD(now[r]->x + at + l);
				HOLD(some); // or GCC calls for a copy of memory, which takes longer
				I_STORE(x[r] + l, some);
			}
		UNROLL for (int r = 0; r < TOGETHER; r++)
			UNROLL for (int v = 0; v < VECTORS; v++) acc[r][v] = I_ALL(0);
		for (int64_t l = 0; l < n; l += 2) {
			I c[VECTORS];
			UNROLL for (int v = 0; v < VECTORS; v++) c[v] = I_LOAD(centers + (at + l) * GROUPED + v * 2 * F_LANES);
			UNROLL for (int r = 0; r < TOGETHER; r++)
				UNROLL for (int v = 0; v < VECTORS; v++) DOTS_ALL(acc[r][v], c[v], x[r] + l);
		}
		UNROLL for (int r = 0; r < TOGETHER; r++)
			UNROLL for (int v = 0; v < VECTORS; v++) {
				float *sum = sums + r * GROUPED + v * F_LANES;
				F_STORE(sum, F_FMA(I_TO(acc[r][v]), F_ALL(now[r]->by), F_LOAD(sum)));
			}
	}
}

// part_sums is that of everywhere.h.
INLINE void G(part_sums)(const int first, const int T, const int16_t *panel, const float *by, int64_t s, const int16_t *centers,
                         const float *half, float *sums, NAME(ahead) *coming, int64_t lines) {
	float *to = sums + first * F_ROWS;
	int64_t cells = G(stride)(s);
	for (int64_t at = 0; at < cells; at += CHAIN) {
		int64_t end = cells - at < CHAIN ? cells : at + CHAIN;
		I acc[8][WIDE];
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) acc[t][v] = I_ALL(0);
		for (int64_t l = at; l < end; l += 2) {
			I x[WIDE];
			UNROLL for (int v = 0; v < WIDE; v++) x[v] = I_LOAD(panel + l * F_ROWS + v * 2 * F_LANES);
			UNROLL for (int t = 0; t < T; t++) {
				I c = I_ALL(*(const G(pair) *)(centers + l * GROUPED + 2 * (first + t)));
				UNROLL for (int v = 0; v < WIDE; v++) DOTS(acc[t][v], x[v], c);
			}
		}
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) {
				float *sum = to + t * F_ROWS + v * F_LANES;
				F before = at ? F_LOAD(sum) : F_ALL(half[first + t]);
				F_STORE(sum, F_FMA(I_TO(acc[t][v]), F_LOAD(by + v * F_LANES), before));
			}
		for (int64_t i = 0; i < lines; i++) NAME(fetch)(coming);
	}
}
