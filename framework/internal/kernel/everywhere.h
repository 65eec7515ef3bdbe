// Rows that look at all groups of centers: see groups.h, which includes this file. Here
// rows are in the lanes, as in filter.h, and centers are spread over them: to find the two
// nearest centers of a group takes less than where the centers are in the lanes.
//
//   PARTS  DO(first, T) for each part of a group that is handled together: as many
//          centers as there are registers for

#ifndef SHORTS
// part_sums writes the sums of F_ROWS rows, whose cells are in the panel, and T centers of
// a group, from the first one on. Between the chains it fetches some lines of what comes next.
INLINE void G(part_sums)(const int first, const int T, const float *panel, const float *by, int64_t s, const float *centers,
                         const float *half, float *sums, NAME(ahead) *coming, int64_t lines) {
	(void)by; // of whole numbers
	float *to = sums + first * F_ROWS;
	for (int64_t at = 0; at < s; at += PANEL) {
		int64_t end = s - at < PANEL ? s : at + PANEL;
		F acc[8][WIDE];
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) acc[t][v] = F_ALL(0);
		for (int64_t l = at; l < end; l++) {
			F x[WIDE];
			UNROLL for (int v = 0; v < WIDE; v++) x[v] = F_LOAD(panel + l * F_ROWS + v * F_LANES);
			UNROLL for (int t = 0; t < T; t++) {
				F c = F_ALL(centers[l * GROUPED + first + t]);
				HOLD(c);
				UNROLL for (int v = 0; v < WIDE; v++) acc[t][v] = F_FMA(x[v], c, acc[t][v]);
			}
		}
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) {
				float *sum = to + t * F_ROWS + v * F_LANES;
				F_STORE(sum, F_ADD(at ? F_LOAD(sum) : F_ALL(half[first + t]), acc[t][v]));
			}
		for (int64_t i = 0; i < lines; i++) NAME(fetch)(coming);
	}
}
#endif

// group_sums writes those of all centers of a group: GROUPED x F_ROWS numbers.
INLINE void G(group_sums)(const CELL *panel, const float *by, int64_t s, const CELL *centers, const float *half, float *sums,
                          NAME(ahead) *coming, int64_t lines) {
#define DO(first, T) G(part_sums)(first, T, panel, by, s, centers, half, sums, coming, lines);
	PARTS
#undef DO
}

// turn writes the cells of the rows of n visitors to a panel of F_ROWS rows, the last of
// them again where there are fewer.
INLINE void G(turn)(const G(visitor) *visitors, int64_t n, int64_t s, CELL *panel, float *by) {
	const char *row[F_ROWS];
	for (int64_t r = 0; r < F_ROWS; r++) {
		const G(visitor) *v = visitors + (r < n ? r : n - 1);
		row[r] = (const char *)v->x, by[r] = v->by;
	}
	// Two short cells are turned as if they were one float.
	int64_t wide = G(stride)(s) * (int64_t)sizeof(CELL) / (int64_t)sizeof(float);
	for (int r = 0; r < F_ROWS; r += 8) NAME(eight)(0, (float *)panel + r, row + r, 0, wide);
}

// follow says which rows come after n of the numbered ones.
INLINE NAME(ahead) G(follow)(const problem *p, const int32_t *rows, int64_t n, int64_t count, const char **row) {
	int64_t size = p->narrow ? sizeof(float) : sizeof(double), more = count - n < F_ROWS ? count - n : F_ROWS;
	const char *x = p->narrow ? (const char *)p->narrow : (const char *)p->x;
	for (int64_t r = 0; r < more; r++) row[r] = x + rows[n + r] * p->s * size;
	NAME(ahead) next = {row, 0, p->s * size, 0, more < 0 ? 0 : more, 0, 0};
	return next;
}

// lines returns how many lines of the next rows have to be fetched at a time.
INLINE int64_t G(lines)(const problem *p, const groups *w) {
	int64_t all = F_ROWS * p->s * (p->narrow ? 4 : 8) / 64, chains = 2 * w->n * ((p->s + CHAIN - 1) / CHAIN);
	return 1 + all / chains;
}

// everywhere is grouped for rows that look at all groups.
INLINE int64_t G(everywhere)(const problem *p, const groups *w, const int32_t *rows, int64_t count, const results *out,
                             int32_t *unsure, int64_t *resolved) {
	G(visitor) visitors[F_ROWS];
	const char *next[F_ROWS];
	float sums[GROUPED * F_ROWS] __attribute__((aligned(64))), low[F_ROWS] = {0}, below[F_ROWS];
	float best[F_ROWS], second[F_ROWS], runner[F_ROWS], place[F_ROWS]; // places are whole numbers: there are fewer than 2²⁴ centers
	float by[F_ROWS];
	CELL *panel = (CELL *)(w->scratch + w->room * p->s);
	int64_t left = 0, each = G(lines)(p, w);
	for (int64_t first = 0; first < count; first += F_ROWS) {
		int64_t n = count - first < F_ROWS ? count - first : F_ROWS;
		G(arrive)(p, w, rows + first, n, 0, visitors);
		G(turn)(visitors, n, p->s, panel, by);
		NAME(ahead) coming = G(follow)(p, rows, first + n, count, next);
		for (int r = 0; r < F_ROWS; r++) best[r] = second[r] = runner[r] = __builtin_inff(), place[r] = 0;
		for (int64_t r = 0; r < n; r++) low[r] = visitors[r].low;
		for (int64_t g = 0; g < w->n; g++) {
			G(group_sums)(panel, by, p->s, G(centers)(w, p->s, g), w->half + g * GROUPED, sums, &coming, each);
			F drift = F_ALL((float)(w->drift[g] * (1 - 0x1p-22))), shrink = F_ALL(1 - 0x1p-21f);
			UNROLL for (int v = 0; v < WIDE; v++) {
				F one = F_ALL(__builtin_inff()), two = one, at = F_ALL(0);
				UNROLL for (int t = 0; t < GROUPED; t++) {
					F sum = F_LOAD(sums + t * F_ROWS + v * F_LANES);
					at = F_PICK(F_LESS(sum, one), F_ALL((float)(g * GROUPED + t)), at);
					two = F_MIN(F_MAX(one, sum), two);
					one = F_MIN(sum, one);
				}
				F root = F_SQRT(F_MAX(F_FMA(F_ALL(2), one, F_LOAD(low + v * F_LANES)), F_ALL(0)));
				F_STORE(below + v * F_LANES, F_MUL(F_ADD(root, drift), shrink));
				F least = F_LOAD(best + v * F_LANES), other = F_LOAD(second + v * F_LANES);
				F_STORE(runner + v * F_LANES, F_PICK(F_LESS(one, least), two, F_LOAD(runner + v * F_LANES)));
				F_STORE(place + v * F_LANES, F_PICK(F_LESS(one, least), at, F_LOAD(place + v * F_LANES)));
				F_STORE(second + v * F_LANES, F_PICK(F_LESS(one, least), F_MIN(least, two), F_MIN(one, other)));
				F_STORE(best + v * F_LANES, F_MIN(one, least));
			}
			for (int64_t r = 0; w->lower && r < n; r++) visitors[r].lower[g] = below[r];
		}
		for (int64_t r = 0; r < n; r++) {
			G(visitor) *v = visitors + r;
			v->best = best[r], v->second = second[r], v->runner = runner[r], v->place = (int64_t)place[r], v->reach = 0;
			if (G(leave)(w, v, out)) continue;
			if (G(resolve)(p, w, v, out)) ++*resolved;
			else unsure[left++] = (int32_t)v->row;
		}
	}
	return left;
}

// candidates writes to list (rows × CANDIDATES) the centers of which two may be nearest
// to each row, and −1 behind the last; or −2 if there are more, or nothing is certain.
// sums has room for F_ROWS rows.
TARGET void G(candidates)(const problem *p, const groups *w, float *sums, int32_t *list) {
	G(visitor) visitors[F_ROWS];
	const char *next[F_ROWS];
	float by[F_ROWS], most[F_ROWS];
	CELL *panel = (CELL *)(w->scratch + w->room * p->s);
	int32_t rows[2 * F_ROWS];
	int64_t width = w->n * GROUPED, each = G(lines)(p, w), found[F_ROWS];
	for (int64_t first = 0; first < p->n; first += F_ROWS, list += F_ROWS * CANDIDATES) {
		int64_t n = p->n - first < F_ROWS ? p->n - first : F_ROWS;
		int64_t more = p->n - first < 2 * F_ROWS ? p->n - first : 2 * F_ROWS;
		for (int64_t i = 0; i < more; i++) rows[i] = (int32_t)(first + i);
		G(arrive)(p, w, rows, n, 0, visitors);
		G(turn)(visitors, n, p->s, panel, by);
		NAME(ahead) coming = G(follow)(p, rows, n, more, next);
		for (int64_t g = 0; g < w->n; g++)
			G(group_sums)(panel, by, p->s, G(centers)(w, p->s, g), w->half + g * GROUPED, sums + g * GROUPED * F_ROWS, &coming, each);
		for (int r = 0; r < F_ROWS; r += F_LANES) {
			F one = F_ALL(__builtin_inff()), two = one;
			for (int64_t j = 0; j < width; j++) {
				F sum = F_LOAD(sums + j * F_ROWS + r);
				two = F_MIN(F_MAX(one, sum), two);
				one = F_MIN(sum, one);
			}
			F_STORE(most + r, two);
		}
		for (int64_t r = 0; r < F_ROWS; r++) {
			const G(visitor) *v = visitors + (r < n ? r : n - 1);
			double bound = most[r] + (v->square * w->constants[DOUBT_SLOPE] + w->constants[DOUBT] + v->lost);
			most[r] = (float)(bound + __builtin_fabs(bound) * 0x1p-22); // no sum that counts is above it
			found[r] = v->square < w->constants[LIMIT] ? 0 : CANDIDATES + 1;
		}
		for (int64_t j = 0; j < width; j++) {
			F any = F_ALL(0);
			UNROLL for (int v = 0; v < WIDE; v++) {
				F out = F_PICK(F_LESS(F_LOAD(most + v * F_LANES), F_LOAD(sums + j * F_ROWS + v * F_LANES)), F_ALL(0), F_ALL(1));
				any = F_ADD(any, out);
			}
			if (F_SUM(any) == 0) continue;
			for (int64_t r = 0; r < n; r++)
				if (sums[j * F_ROWS + r] <= most[r] && found[r] <= CANDIDATES && found[r]++ < CANDIDATES)
					list[r * CANDIDATES + found[r] - 1] = w->order[j];
		}
		for (int64_t r = 0; r < n; r++) {
			if (found[r] < 2 || found[r] > CANDIDATES) list[r * CANDIDATES] = -2;
			else if (found[r] < CANDIDATES) list[r * CANDIDATES + found[r]] = -1;
		}
	}
}

