// The filter for many centers without groups, in short whole numbers: see whole.go for what is computed, and for the
// proof. Rows are in the lanes, as in filter of filter.h, and are made whole numbers while they are looked at. A panel has
// two features of a row side by side.

// whole_panel makes whole numbers of a panel of floats. It writes the squares of the rows, what they lose (δ), and 1/(ab).
INLINE void G(whole_panel)(const filter *w, const float *panel, int64_t s, char *to, float *norm, float *lost, float *by) {
	UNROLL for (int v = 0; v < WIDE; v++) {
		const float *x = panel + v * F_LANES;
		F none = F_ALL(0), square = none, longest = none, most = none, off[2] = {none, none};
		for (int64_t at = 0; at < s; at += CHAIN) {
			F part[2] = {none, none};
			for (int64_t l = at; l < s && l < at + CHAIN; l += 2)
				UNROLL for (int i = 0; i < 2; i++) {
					F cell = F_LOAD(x + (l + i) * F_ROWS);
					part[i] = F_FMA(cell, cell, part[i]), most = F_MAX(F_ABS(cell), most);
				}
			F its = F_ADD(part[0], part[1]);
			square = F_ADD(square, its), longest = F_MAX(its, longest);
		}
		// A row that is too long, or of which nothing can be said, is 0.
		F_M there = F_BOTH(F_LESS(square, F_ALL(w->limit)), F_LESS(F_ALL(TINY), square));
		F scale = F_MIN(F_DIV(F_ALL(LENGTH), F_SQRT(longest)), F_DIV(F_ALL(LARGEST), most));
		F a = F_PICK(there, scale, none);
		for (int64_t l = 0; l < s; l += 2) {
			I whole[2];
			UNROLL for (int i = 0; i < 2; i++) {
				F cell = F_MUL(F_LOAD(x + (l + i) * F_ROWS), a);
				whole[i] = I_OF(cell);
				F less = F_SUB(cell, I_TO(whole[i]));
				off[i] = F_FMA(less, less, off[i]);
			}
			I_STORE(to + (l * F_ROWS + v * 2 * F_LANES) * (int64_t)sizeof(int16_t), I_PAIRS(whole[0], whole[1]));
		}
		F up = F_ALL(1 + 0x1p-10f), inverse = F_PICK(there, F_DIV(F_ALL(1), scale), none);
		F length = F_FMA(F_SQRT(square), up, F_ALL(0x1p-60f));
		F rounded = F_FMA(F_MUL(F_SQRT(F_ADD(off[0], off[1])), up), inverse, F_MUL(length, F_ALL(0x1p-22f)));
		F_STORE(norm + v * F_LANES, square);
		F_STORE(lost + v * F_LANES, F_MUL(F_PICK(there, rounded, length), F_ALL(1 + 0x1p-20f)));
		F_STORE(by + v * F_LANES, F_MUL(inverse, F_ALL((float)w->inverse)));
	}
}

// whole_products handles all features of F_ROWS rows and a tile of T centers. Meanwhile it fetches what comes next.
INLINE void G(whole_products)(const int T, const char *panel, int64_t s, const int16_t *centers, const float *half, const float *by,
                              int64_t j, NAME(near) *f, NAME(ahead) *coming) {
	NAME(ahead) next = *coming;
	F sum[TILE][WIDE];
	UNROLL for (int t = 0; t < T; t++)
		UNROLL for (int v = 0; v < WIDE; v++) sum[t][v] = F_ALL(half[j + t]);
	for (int64_t at = 0; at < s; at += CHAIN) {
		int64_t end = s - at < CHAIN ? s : at + CHAIN;
		I acc[TILE][WIDE];
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) acc[t][v] = I_ALL(0);
		for (int64_t l = at; l < end;) {
			for (int64_t some = end - l < FEW ? end : l + FEW; l < some; l += 2) {
				I x[WIDE];
				UNROLL for (int v = 0; v < WIDE; v++) x[v] = I_LOAD(panel + (l * F_ROWS + v * 2 * F_LANES) * (int64_t)sizeof(int16_t));
				UNROLL for (int t = 0; t < T; t++) {
					I c = I_ALL(*(const G(pair) *)(centers + l * T + 2 * t));
					UNROLL for (int v = 0; v < WIDE; v++) DOTS(acc[t][v], x[v], c);
				}
			}
			UNROLL for (int i = 0; i < 2; i++) NAME(fetch)(&next);
		}
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) sum[t][v] = F_FMA(I_TO(acc[t][v]), F_LOAD(by + v * F_LANES), sum[t][v]);
	}
	*coming = next;
	NAME(choose)(T, 0, sum, j, f);
}

#undef CASE
#define CASE(T, ...) \
	case T: G(whole_products)(T, panel, s, centers, half, by, j, f, coming); return;

TARGET static void G(some_whole_products)(int64_t T, const char *panel, int64_t s, const int16_t *centers, const float *half,
                                          const float *by, int64_t j, NAME(near) *f, NAME(ahead) *coming) {
	switch (T) { WIDTHS() }
}

// short_lanes is filter for centers in whole numbers.
TARGET int64_t G(short_lanes)(const problem *p, const filter *w, const int32_t *rows, int64_t count, const results *out, int32_t *unsure) {
	float panel[(LANED + 1) * F_ROWS] __attribute__((aligned(64)));
	char whole[(LANED + 1) * F_ROWS * sizeof(int16_t)] __attribute__((aligned(64)));
	float norm[F_ROWS], lost[F_ROWS], by[F_ROWS];
	int64_t s = p->s, k = p->k, left = 0, even = (s + 1) / 2 * 2, size = p->narrow ? SINGLE : DOUBLE;
	const char *x = p->narrow ? (const char *)p->narrow : (const char *)p->x;
	const char *row[2][F_ROWS]; // the present ones, and those that follow
	NAME(tiling) tiles;
	NAME(tile_all)(&tiles, k);
	filter with = *w;
	with.lost = lost, with.twice = (float)(2 * w->longest * (1 + 0x1p-8)), with.rest = (float)(2 * w->gone * (1 + 0x1p-8));
	memset(panel + s * F_ROWS, 0, F_ROWS * sizeof *panel); // beside the last feature, if their number is odd
	for (int64_t i = -F_ROWS; i < count; i += F_ROWS) {
		const char **now = row[i / F_ROWS & 1], **then = row[(i / F_ROWS + 1) & 1];
		for (int64_t r = 0; r < F_ROWS; r++) {
			int64_t n = i + F_ROWS + r < count ? i + F_ROWS + r : count - 1;
			then[r] = x + rows[n] * s * size;
		}
		if (i < 0) continue;
		NAME(near) f;
		for (int r = 0; r < F_ROWS; r++) f.best[r] = f.second[r] = __builtin_inff(), f.label[r] = 0;
		NAME(narrow)(panel, now, size, w->origin, 1, 0, s, 0);
		G(whole_panel)(w, panel, s, whole, norm, lost, by);
		NAME(ahead) next = {then, 0, s * size, 0, F_ROWS, 0, 0};
		for (int64_t t = 0; t < tiles.tiles; t++) {
			int64_t j = NAME(tile_at)(&tiles, k, t), width = NAME(tile_at)(&tiles, k, t + 1) - j;
			G(some_whole_products)(width, whole, s, w->whole + j * even, w->half, by, j, &f, &next);
		}
		left += NAME(settle)(BY_ROW, &with, k, &f, norm, rows, i, count, out, unsure + left);
	}
	return left;
}
