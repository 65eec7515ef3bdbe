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

// DOTS adds to each lane of sum the products of a pair of a and one of b. With the function that
// it has for it, GCC 12 copies each sum twice.
#define DOTS(sum, a, b) __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b))

// DOTS_ALL is DOTS for a pair in memory and all lanes.
#define DOTS_ALL(sum, a, at) __asm__("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(a), "m"(*(const G(pair) *)(at)))

// some returns the cells of a row from l on, and zeros behind its end.
INLINE F G(some)(const float *x, int64_t l, int64_t s) {
	return s - l >= 16 ? F_LOAD(x + l) : _mm512_maskz_loadu_ps((__mmask16)(l < s ? (1u << (s - l)) - 1 : 0), x + l);
}

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
		for (int64_t l = at; l < s && l < at + CHAIN; l += 16) {
			F cells = G(some)(x, l, s);
			sum = F_FMA(cells, cells, sum), most = F_MAX(_mm512_abs_ps(cells), most);
		}
		float its = F_SUM(sum);
		norm += its, square = its > square ? its : square;
	}
	float by = 0;
	v->square = norm;
	if (norm < limit && norm > TINY) {
		double length = LENGTH / G(length)(square), largest = LARGEST / (double)_mm512_reduce_max_ps(most);
		by = (float)(length < largest ? length : largest);
	}
	for (int64_t l = 0; l < G(stride)(s); l += 16) {
		F cells = F_MUL(G(some)(x, l, s), F_ALL(by));
		__m512i whole = _mm512_cvtps_epi32(cells);
		F off = F_SUB(cells, _mm512_cvtepi32_ps(whole));
		lost = F_FMA(off, off, lost);
		_mm256_storeu_si256((__m256i *)(to + l), _mm512_cvtsepi32_epi16(whole));
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
	UNROLL for (int r = 0; r < TOGETHER; r++) F_STORE(sums + r * GROUPED, F_LOAD(half));
	for (int64_t at = 0; at < cells; at += CHAIN) {
		int64_t n = cells - at < CHAIN ? cells - at : CHAIN;
		__m512i acc[TOGETHER];
		for (int r = 0; r < TOGETHER; r++)
			for (int64_t l = 0; l < n; l += 32) {
				__m512i some = _mm512_loadu_si512(now[r]->x + at + l);
				HOLD(some); // or GCC calls for a copy of memory, which takes longer
				_mm512_store_si512(x[r] + l, some);
			}
		UNROLL for (int r = 0; r < TOGETHER; r++) acc[r] = _mm512_setzero_si512();
		for (int64_t l = 0; l < n; l += 2) {
			__m512i c = _mm512_loadu_si512(centers + (at + l) * GROUPED);
			UNROLL for (int r = 0; r < TOGETHER; r++) DOTS_ALL(acc[r], c, x[r] + l);
		}
		UNROLL for (int r = 0; r < TOGETHER; r++) {
			float *sum = sums + r * GROUPED;
			F_STORE(sum, F_FMA(_mm512_cvtepi32_ps(acc[r]), F_ALL(now[r]->by), F_LOAD(sum)));
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
		__m512i acc[8][WIDE];
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) acc[t][v] = _mm512_setzero_si512();
		for (int64_t l = at; l < end; l += 2) {
			__m512i x[WIDE];
			UNROLL for (int v = 0; v < WIDE; v++) x[v] = _mm512_loadu_si512(panel + l * F_ROWS + v * 2 * F_LANES);
			UNROLL for (int t = 0; t < T; t++) {
				__m512i c = _mm512_set1_epi32(*(const G(pair) *)(centers + l * GROUPED + 2 * (first + t)));
				UNROLL for (int v = 0; v < WIDE; v++) DOTS(acc[t][v], x[v], c);
			}
		}
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) {
				float *sum = to + t * F_ROWS + v * F_LANES;
				F before = at ? F_LOAD(sum) : F_ALL(half[first + t]);
				F_STORE(sum, F_FMA(_mm512_cvtepi32_ps(acc[t][v]), F_LOAD(by + v * F_LANES), before));
			}
		for (int64_t i = 0; i < lines; i++) NAME(fetch)(coming);
	}
}
