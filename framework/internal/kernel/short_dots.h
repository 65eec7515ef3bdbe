// The filter for few centers of many features, as in dots.h, in short whole numbers: see whole.go
// for what is computed, and for the proof. Features are in the lanes. A row of the copy has its
// features as whole numbers, then zeros, and in its last cells its head, where centers have zeros.

#define PAIR 2     // rows that are handled together
#define PIECE 1024 // features whose squares are added up by themselves
#define DOTTED 64  // centers, at most
#define CELLS_OF_LINE 32 // of memory: a row has whole ones
#define BEFORE 4   // rows before a row is needed, it is fetched, to the second cache: the first one can wait for few lines only

typedef struct {
	float by, lost, square, none; // 1/a, δ, and the square of the length
} G(head);

// less returns cells from l on of a row less the origin, and zeros behind its end.
INLINE F G(less)(const double *x, const double *origin, int64_t l, int64_t s) {
	int64_t m = l + LANES;
	if (s - m >= LANES) return F_OF(SUB(LOAD(x + l), LOAD(origin + l)), SUB(LOAD(x + m), LOAD(origin + m)));
	return F_OF(SUB(SOME(x + l, s - l), SOME(origin + l, s - l)), SUB(SOME(x + m, s - m), SOME(origin + m, s - m)));
}

// short_rows is of kernel.h.
TARGET void G(short_rows)(int16_t *copy, const double *x, const double *origin, double limit, int64_t n, int64_t s) {
	float cells[LONGEST + 32] __attribute__((aligned(64)));
	int64_t size = short_cells(s);
	for (int64_t i = 0; i < n; i++, x += s, copy += size) {
		F sum[2] = {F_ALL(0), F_ALL(0)}, most = F_ALL(0), lost = most;
		for (int64_t at = 0; at < size; at += PIECE) {
			F part[2] = {F_ALL(0), F_ALL(0)};
			for (int64_t l = at; l < size && l < at + PIECE; l += 2 * F_LANES)
				UNROLL for (int v = 0; v < 2; v++) {
					F cell = G(less)(x, origin, l + F_LANES * v, s);
					F_STORE(cells + l + F_LANES * v, cell);
					part[v] = F_FMA(cell, cell, part[v]), most = F_MAX(F_ABS(cell), most);
				}
			sum[0] = F_ADD(sum[0], part[0]), sum[1] = F_ADD(sum[1], part[1]);
		}
		G(head) head = {0, 0, F_SUM(F_ADD(sum[0], sum[1])), 0};
		float by = 0;
		if (head.square < limit && head.square > TINY) {
			// What a lane of products gets are two cells of each vector.
			F chain = F_MAX(F_ADD(sum[0], F_BESIDE(sum[0])), F_ADD(sum[1], F_BESIDE(sum[1])));
			double length = LENGTH / G(length)(F_MOST(chain)), largest = LARGEST / (double)F_MOST(most);
			by = (float)(length < largest ? length : largest);
		}
		for (int64_t l = 0; l < size; l += F_LANES) {
			F cell = F_MUL(F_LOAD(cells + l), F_ALL(by));
			I whole = I_OF(cell);
			F off = F_SUB(cell, I_TO(whole));
			lost = F_FMA(off, off, lost);
			I_SHORTS(copy + l, whole);
		}
		double length = G(length)(head.square) * (1 + 0x1p-10) + 0x1p-60;
		head.lost = (float)((by > 0 ? G(length)(F_SUM(lost)) * (1 + 0x1p-10) / by + length * 0x1p-22 : length) * (1 + 0x1p-20));
		head.by = by > 0 ? 1 / by : 0;
		memcpy(copy + size - sizeof head / 2, &head, sizeof head);
	}
}

// short_tile writes the sums of two rows and T centers, and infinity behind them. With the first tile it fetches
// the rows that come later.
INLINE void G(short_tile)(const int T, const int fetch, const int16_t *const *row, int64_t size, const int16_t *centers, const float *half, const float *by,
                          float *const *sums, const int16_t *const *later) {
	I acc[PAIR][TILE];
	UNROLL for (int r = 0; r < PAIR; r++)
		UNROLL for (int t = 0; t < T; t++) acc[r][t] = I_ALL(0);
	for (int64_t at = 0; at < size; at += CELLS_OF_LINE) {
		UNROLL for (int64_t l = at; l < at + CELLS_OF_LINE; l += 2 * F_LANES) {
			I x[PAIR];
			UNROLL for (int r = 0; r < PAIR; r++) x[r] = I_LOAD(row[r] + l);
			UNROLL for (int t = 0; t < T; t++) {
				I c = I_LOAD(centers + t * size + l);
				HOLD(c);
				UNROLL for (int r = 0; r < PAIR; r++) DOTS(acc[r][t], x[r], c);
			}
		}
		UNROLL for (int r = 0; fetch && r < PAIR; r++) __builtin_prefetch(later[r] + at, 0, 2);
	}
	F first = F_SOME(half, T, F_ALL(__builtin_inff()));
	UNROLL for (int r = 0; r < PAIR; r++) F_STORE(sums[r], F_FMA(NAME(across)(T, acc[r]), F_ALL(by[r]), first));
}

#undef CASE
#define CASE(T, ...) \
	case T: \
		if (later) G(short_tile)(T, 1, row, size, centers, half, by, sums, later); \
		else G(short_tile)(T, 0, row, size, centers, half, by, sums, later); \
		return;

TARGET static void G(some_short)(int64_t T, const int16_t *const *row, int64_t size, const int16_t *centers, const float *half,
                                 const float *by, float *const *sums, const int16_t *const *later) {
	switch (T) { WIDTHS() }
}

// nearer enters the sums of a row with k centers, behind which there are infinite ones.
INLINE void G(nearer)(const float *sums, int64_t k, int r, NAME(near) *f) {
	F all[DOTTED / F_LANES], least = F_LOAD(sums), far = F_ALL(__builtin_inff());
	all[0] = least;
	for (int64_t v = 1; v * F_LANES < k; v++) all[v] = F_LOAD(sums + v * F_LANES), least = F_MIN(least, all[v]);
	float best = F_LEAST(least);
	int64_t place = 0;
	unsigned at = F_BITS(F_SAME(all[0], F_ALL(best)));
	while (!at && (place + 1) * F_LANES < k) at = F_BITS(F_SAME(all[++place], F_ALL(best)));
	int first = at ? __builtin_ctz(at) : 0;
	F others = far;
	for (int64_t v = 0; v == 0 || v * F_LANES < k; v++)
		others = F_MIN(others, at && v == place ? F_PICK(F_AT(first), far, all[v]) : all[v]);
	f->best[r] = best, f->second[r] = F_LEAST(others), f->label[r] = (float)(place * F_LANES + first);
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
				G(some_short)(width, row, size, w->whole + j * size, w->half + j, by, to, t ? 0 : later);
			}
			for (int64_t t = 0; t < PAIR && r + t < here; t++) {
				G(nearer)(sums[t], k, (int)(r + t), &f);
				norm[r + t] = head[t].square, lost[r + t] = head[t].lost;
			}
		}
		left += NAME(settle)(BY_ROW, &with, k, &f, norm, rows, i, count, out, unsure + left);
	}
	return left;
}

#undef PAIR
#undef PIECE
#undef DOTTED
#undef BEFORE
#undef CELLS_OF_LINE
