// The filter for few centers of many features, as in dots.h, in short whole numbers: see whole.go
// for what is computed, and for the proof. Features are in the lanes. A row of the copy has its
// features as whole numbers, then zeros, and in its last cells its head, where centers have zeros.

#define PAIR 2     // rows that are handled together
#define PIECE 1024 // features whose squares are added up by themselves
#define DOTTED 64  // centers, at most
#define BEFORE 4   // rows before a row is needed, it is fetched, to the second cache: the first one can wait for few lines only

typedef struct {
	float by, lost, square, none; // 1/a, δ, and the square of the length
} G(head);

// less returns cells l to l+15 of a row less the origin, and zeros behind its end.
INLINE F G(less)(const double *x, const double *origin, int64_t l, int64_t s) {
	if (s - l >= 16) return F_OF(SUB(LOAD(x + l), LOAD(origin + l)), SUB(LOAD(x + l + 8), LOAD(origin + l + 8)));
	unsigned there = l < s ? (1u << (s - l)) - 1 : 0;
	__mmask8 low = (__mmask8)there, high = (__mmask8)(there >> 8);
	return F_OF(SUB(_mm512_maskz_loadu_pd(low, x + l), _mm512_maskz_loadu_pd(low, origin + l)),
	            SUB(_mm512_maskz_loadu_pd(high, x + l + 8), _mm512_maskz_loadu_pd(high, origin + l + 8)));
}

// short_rows is of kernel.h.
TARGET void G(short_rows)(int16_t *copy, const double *x, const double *origin, double limit, int64_t n, int64_t s) {
	float cells[LONGEST + 32] __attribute__((aligned(64)));
	int64_t size = short_cells(s);
	for (int64_t i = 0; i < n; i++, x += s, copy += size) {
		F sum[2] = {F_ALL(0), F_ALL(0)}, most = F_ALL(0), lost = most;
		for (int64_t at = 0; at < size; at += PIECE) {
			F part[2] = {F_ALL(0), F_ALL(0)};
			for (int64_t l = at; l < size && l < at + PIECE; l += 32)
				UNROLL for (int v = 0; v < 2; v++) {
					F cell = G(less)(x, origin, l + 16 * v, s);
					F_STORE(cells + l + 16 * v, cell);
					part[v] = F_FMA(cell, cell, part[v]), most = F_MAX(_mm512_abs_ps(cell), most);
				}
			sum[0] = F_ADD(sum[0], part[0]), sum[1] = F_ADD(sum[1], part[1]);
		}
		G(head) head = {0, 0, F_SUM(F_ADD(sum[0], sum[1])), 0};
		float by = 0;
		if (head.square < limit && head.square > TINY) {
			// What a lane of products gets are two cells of 32.
			F chain = F_MAX(F_ADD(sum[0], _mm512_permute_ps(sum[0], 0xb1)), F_ADD(sum[1], _mm512_permute_ps(sum[1], 0xb1)));
			double length = LENGTH / G(length)(_mm512_reduce_max_ps(chain)), largest = LARGEST / (double)_mm512_reduce_max_ps(most);
			by = (float)(length < largest ? length : largest);
		}
		for (int64_t l = 0; l < size; l += 16) {
			F cell = F_MUL(F_LOAD(cells + l), F_ALL(by));
			__m512i whole = _mm512_cvtps_epi32(cell);
			F off = F_SUB(cell, _mm512_cvtepi32_ps(whole));
			lost = F_FMA(off, off, lost);
			_mm256_storeu_si256((__m256i *)(copy + l), _mm512_cvtsepi32_epi16(whole));
		}
		double length = G(length)(head.square) * (1 + 0x1p-10) + 0x1p-60;
		head.lost = (float)((by > 0 ? G(length)(F_SUM(lost)) * (1 + 0x1p-10) / by + length * 0x1p-22 : length) * (1 + 0x1p-20));
		head.by = by > 0 ? 1 / by : 0;
		memcpy(copy + size - sizeof head / 2, &head, sizeof head);
	}
}

// across returns in each lane below T the sum of all lanes of a vector.
INLINE F G(across)(const int T, const __m512i *a) {
	F two[8], four[4], all[2];
	UNROLL for (int t = 0; t < 8; t++) {
		F x = 2 * t < T ? _mm512_cvtepi32_ps(a[2 * t]) : F_ALL(0), y = 2 * t + 1 < T ? _mm512_cvtepi32_ps(a[2 * t + 1]) : F_ALL(0);
		two[t] = 2 * t < T ? F_ADD(_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y)) : F_ALL(0);
	}
	UNROLL for (int t = 0; t < 4; t++)
		four[t] = 4 * t < T ? F_ADD(_mm512_shuffle_ps(two[2 * t], two[2 * t + 1], 0x44), _mm512_shuffle_ps(two[2 * t], two[2 * t + 1], 0xee))
		                    : F_ALL(0);
	UNROLL for (int t = 0; t < 2; t++)
		all[t] = F_ADD(_mm512_shuffle_f32x4(four[2 * t], four[2 * t + 1], 0x88), _mm512_shuffle_f32x4(four[2 * t], four[2 * t + 1], 0xdd));
	return F_ADD(_mm512_shuffle_f32x4(all[0], all[1], 0x88), _mm512_shuffle_f32x4(all[0], all[1], 0xdd));
}

// short_tile writes the sums of two rows and T centers, and infinity behind them, and fetches
// the rows that come later.
INLINE void G(short_tile)(const int T, const int16_t *const *row, int64_t size, const int16_t *centers, const float *half, const float *by,
                          float *const *sums, const int16_t *const *later) {
	__m512i acc[PAIR][TILE];
	UNROLL for (int r = 0; r < PAIR; r++)
		UNROLL for (int t = 0; t < T; t++) acc[r][t] = _mm512_setzero_si512();
	for (int64_t l = 0; l < size; l += 32) {
		__m512i x[PAIR];
		UNROLL for (int r = 0; r < PAIR; r++) x[r] = _mm512_loadu_si512(row[r] + l);
		UNROLL for (int t = 0; t < T; t++) {
			__m512i c = _mm512_loadu_si512(centers + t * size + l);
			HOLD(c);
			UNROLL for (int r = 0; r < PAIR; r++) DOTS(acc[r][t], x[r], c);
		}
		UNROLL for (int r = 0; r < PAIR; r++) __builtin_prefetch(later[r] + l, 0, 2);
	}
	F first = _mm512_mask_loadu_ps(F_ALL(__builtin_inff()), (__mmask16)((1u << T) - 1), half);
	UNROLL for (int r = 0; r < PAIR; r++) F_STORE(sums[r], F_FMA(G(across)(T, acc[r]), F_ALL(by[r]), first));
}

#undef CASE
#define CASE(T, ...) \
	case T: G(short_tile)(T, row, size, centers, half, by, sums, later); return;

TARGET static void G(some_short)(int64_t T, const int16_t *const *row, int64_t size, const int16_t *centers, const float *half,
                                 const float *by, float *const *sums, const int16_t *const *later) {
	switch (T) { WIDTHS() }
}

// nearer enters the sums of a row with k centers, behind which there are infinite ones.
INLINE void G(nearer)(const float *sums, int64_t k, int r, NAME(near) *f) {
	F all[DOTTED / 16], least = F_LOAD(sums);
	all[0] = least;
	for (int64_t v = 1; v * 16 < k; v++) all[v] = F_LOAD(sums + v * 16), least = F_MIN(least, all[v]);
	float best = _mm512_reduce_min_ps(least);
	int64_t place = 0;
	unsigned at = _mm512_cmp_ps_mask(all[0], F_ALL(best), _CMP_EQ_OQ);
	while (!at && (place + 1) * 16 < k) at = _mm512_cmp_ps_mask(all[++place], F_ALL(best), _CMP_EQ_OQ);
	F others = F_ALL(__builtin_inff());
	for (int64_t v = 0; v == 0 || v * 16 < k; v++)
		others = F_MIN(others, v == place ? _mm512_mask_mov_ps(all[v], (__mmask16)(at & -at), F_ALL(__builtin_inff())) : all[v]);
	f->best[r] = best, f->second[r] = _mm512_reduce_min_ps(others), f->label[r] = (float)(place * 16 + (at ? __builtin_ctz(at) : 0));
}

// short_dots is of kernel.h.
TARGET int64_t G(short_dots)(const problem *p, const filter *w, const int16_t *copy, const int32_t *rows, int64_t count, const results *out,
                             int32_t *unsure) {
	float sums[PAIR][DOTTED + 16] __attribute__((aligned(64))), lost[F_ROWS];
	int64_t k = p->k, size = short_cells(p->s), tiles = (k + TILE - 1) / TILE, left = 0;
	filter with = *w;
	with.lost = lost, with.twice = (float)(2 * w->longest * (1 + 0x1p-8)), with.rest = (float)(2 * w->gone * (1 + 0x1p-8));
	for (int r = 0; r < PAIR; r++)
		for (int j = 0; j < DOTTED + 16; j++) sums[r][j] = __builtin_inff();
	for (int64_t i = 0; i < count; i += F_ROWS) {
		NAME(near) f;
		float norm[F_ROWS];
		int64_t here = count - i < F_ROWS ? count - i : F_ROWS;
		for (int64_t r = here / PAIR * PAIR; r < F_ROWS; r++) f.best[r] = f.second[r] = f.label[r] = norm[r] = lost[r] = 0;
		for (int64_t r = 0; r < here; r += PAIR) {
			const int16_t *row[PAIR], *later[PAIR];
			float *to[PAIR], by[PAIR];
			G(head) head[PAIR];
			for (int64_t t = 0; t < PAIR; t++) {
				int64_t a = i + (r + t < here ? r + t : here - 1), b = a + BEFORE < count ? a + BEFORE : count - 1;
				row[t] = copy + rows[a] * size, later[t] = copy + rows[b] * size;
				memcpy(head + t, row[t] + size - sizeof *head / 2, sizeof *head);
				by[t] = head[t].by * (float)w->inverse;
			}
			for (int64_t t = 0; t < tiles; t++) {
				int64_t j = t * k / tiles, width = (t + 1) * k / tiles - j;
				for (int64_t a = 0; a < PAIR; a++) to[a] = sums[a] + j;
				G(some_short)(width, row, size, w->whole + j * size, w->half + j, by, to, later);
			}
			for (int64_t t = 0; t < PAIR && r + t < here; t++) {
				G(nearer)(sums[t], k, (int)(r + t), &f);
				norm[r + t] = head[t].square, lost[r + t] = head[t].lost;
			}
		}
		left += NAME(settle)(&with, k, &f, norm, rows, i, count, out, unsure + left);
	}
	return left;
}

#undef PAIR
#undef PIECE
#undef DOTTED
#undef BEFORE
