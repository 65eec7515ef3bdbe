// The kernels, written once for all instruction sets. The file that includes
// this one defines:
//
//   NAME(f)      f with the suffix of the instruction set
//   TARGET       the attribute of its functions
//   V, M         the types of a vector of doubles and of a mask
//   LANES, WIDE  doubles in a vector, and vectors side by side
//   TILE         the largest number of centers side by side
//   LOAD, STORE, ALL, SUB, ADD, MUL, FMA, ABS, LESS, ORDERED, PICK, KEEP, SQRT
//   transpose(panel, row, from, s)  see the callers
//
// A panel holds PANEL features of ROWS rows, feature by feature, so that rows
// are in the lanes: every row and center has one chain of operations, in the
// order of the features, on any instruction set.

#define ROWS (LANES * WIDE)
#define PANEL 64
#define SHORT 256 // features of a row up to which ROWS of them fit in the first cache
#define GROUP 160 // centers whose sums wait between two panels

#define UNROLL _Pragma("GCC unroll 16")
#define INLINE static inline __attribute__((always_inline)) TARGET

// chain adds the features of a panel to the distances of ROWS rows to T centers.
INLINE void NAME(chain)(const int T, const int loss, const int weighted, const int observed,
                        V (*acc)[WIDE], const double *panel, int64_t features,
                        const double *centers, const double *weights) {
	for (int64_t l = 0; l < features; l++) {
		V x[WIDE];
		M seen[WIDE];
		UNROLL for (int v = 0; v < WIDE; v++) {
			x[v] = LOAD(panel + l * ROWS + v * LANES);
			if (observed) seen[v] = ORDERED(x[v]);
		}
		UNROLL for (int t = 0; t < T; t++) {
			V c = ALL(centers[l * T + t]);
			UNROLL for (int v = 0; v < WIDE; v++) {
				V d = SUB(x[v], c);
				if (observed) d = KEEP(seen[v], d);
				if (loss == ABSOLUTE)
					acc[t][v] = weighted ? FMA(ALL(weights[l]), ABS(d), acc[t][v]) : ADD(acc[t][v], ABS(d));
				else
					acc[t][v] = FMA(weighted ? MUL(ALL(weights[l]), d) : d, d, acc[t][v]);
			}
		}
	}
}

// nearest_of enters the distances to centers j, j+1, ... .
typedef struct {
	double best[ROWS], second[ROWS], label[ROWS];
} NAME(found);

INLINE void NAME(enter)(const int T, V (*acc)[WIDE], int64_t j, NAME(found) *f) {
	UNROLL for (int v = 0; v < WIDE; v++) {
		V best = LOAD(f->best + v * LANES), second = LOAD(f->second + v * LANES), label = LOAD(f->label + v * LANES);
		UNROLL for (int t = 0; t < T; t++) {
			V d = acc[t][v];
			M nearer = LESS(d, best);
			V loser = PICK(nearer, best, d);
			second = PICK(LESS(loser, second), loser, second);
			best = PICK(nearer, d, best);
			label = PICK(nearer, ALL((double)(j + t)), label);
		}
		STORE(f->best + v * LANES, best);
		STORE(f->second + v * LANES, second);
		STORE(f->label + v * LANES, label);
	}
}

// tile handles one panel and one tile of T centers. waiting has the sums of the
// panels before, if there were any, and gets them if more follow.
INLINE void NAME(tile)(const int T, const int loss, const int weighted, const int observed,
                       const double *panel, int64_t features, const double *centers, const double *weights,
                       double *waiting, int first, int last, int64_t j, NAME(found) *f) {
	V acc[TILE][WIDE];
	UNROLL for (int t = 0; t < T; t++)
		UNROLL for (int v = 0; v < WIDE; v++)
			acc[t][v] = first ? ALL(0) : LOAD(waiting + t * ROWS + v * LANES);
	NAME(chain)(T, loss, weighted, observed, acc, panel, features, centers, weights);
	if (last && f) {
		NAME(enter)(T, acc, j, f);
		return;
	}
	UNROLL for (int t = 0; t < T; t++)
		UNROLL for (int v = 0; v < WIDE; v++)
			STORE(waiting + t * ROWS + v * LANES, acc[t][v]);
}

#define TILES(F, SUFFIX, LOSS, WEIGHTED, OBSERVED) \
	TARGET static void NAME(tile_##SUFFIX)(int64_t T, const double *panel, int64_t features, const double *centers, \
			const double *weights, double *waiting, int first, int last, int64_t j, NAME(found) *f) { \
		switch (T) { F(LOSS, WEIGHTED, OBSERVED) } \
	}
#define CASE(T, LOSS, WEIGHTED, OBSERVED) \
	case T: NAME(tile)(T, LOSS, WEIGHTED, OBSERVED, panel, features, centers, weights, waiting, first, last, j, f); return;

TILES(WIDTHS, squared, SQUARED, 0, 0)
TILES(WIDTHS, squared_observed, SQUARED, 0, 1)
TILES(WIDTHS, weighted, SQUARED, 1, 0)
TILES(WIDTHS, weighted_observed, SQUARED, 1, 1)
TILES(WIDTHS, absolute, ABSOLUTE, 0, 0)
TILES(WIDTHS, absolute_observed, ABSOLUTE, 0, 1)
TILES(WIDTHS, weighted_absolute, ABSOLUTE, 1, 0)
TILES(WIDTHS, weighted_absolute_observed, ABSOLUTE, 1, 1)

typedef void NAME(tile_fn)(int64_t T, const double *panel, int64_t features, const double *centers,
                           const double *weights, double *waiting, int first, int last, int64_t j, NAME(found) *f);

// gaps turns the two nearest distances into gaps: see Go's Bound.
INLINE void NAME(gaps)(double *gap, NAME(found) *f, int loss, double margin) {
	UNROLL for (int v = 0; v < WIDE; v++) {
		V best = LOAD(f->best + v * LANES), second = LOAD(f->second + v * LANES);
		if (loss == SQUARED) best = SQRT(best), second = SQRT(second);
		STORE(gap + v * LANES, SUB(SUB(second, best), MUL(ALL(margin), ADD(second, best))));
	}
}

// fetch asks for n cells, which are needed soon.
INLINE void NAME(fetch)(const double *cells, int64_t n) {
	const char *x = (const char *)cells, *end = x + n * 8;
	for (x -= (uintptr_t)x % 64; x < end; x += 64) __builtin_prefetch(x);
}

// expect fetches features from..from+n-1 of rows i..i+ROWS-1 into the cache, as
// far as there are such rows: the processor does not see them coming behind the
// arithmetic of a panel.
INLINE void NAME(expect)(const problem *p, const int32_t *rows, int64_t i, int64_t count, int64_t from, int64_t n) {
	int64_t end = i + ROWS < count ? i + ROWS : count;
	if (!rows && n == p->s && i < end)
		NAME(fetch)(p->x + i * n, (end - i) * n);
	else
		for (; i < end; i++) NAME(fetch)(p->x + (rows ? rows[i] : i) * p->s + from, n);
}

TARGET void NAME(nearest)(const problem *p, const int32_t *rows, int64_t count, const results *out) {
	static NAME(tile_fn) *const kinds[8] = {
		NAME(tile_squared), NAME(tile_squared_observed), NAME(tile_weighted), NAME(tile_weighted_observed),
		NAME(tile_absolute), NAME(tile_absolute_observed), NAME(tile_weighted_absolute), NAME(tile_weighted_absolute_observed),
	};
	NAME(tile_fn) *tile = kinds[p->loss * 4 + (p->weights != 0) * 2 + (p->observed != 0)];
	double panel[PANEL * ROWS] __attribute__((aligned(64)));
	double waiting[GROUP * ROWS] __attribute__((aligned(64)));
	NAME(found) f;
	int64_t s = p->s, k = p->k;
	int64_t tiles = (k + TILE - 1) / TILE;
	int64_t at_once = GROUP / TILE; // tiles in a group

	for (int64_t i = 0; i < count; i += ROWS) {
		int64_t here = count - i < ROWS ? count - i : ROWS;
		int64_t at[ROWS];
		const double *row[ROWS];
		for (int64_t r = 0; r < ROWS; r++) {
			int64_t n = i + (r < here ? r : here - 1);
			at[r] = rows ? rows[n] : n;
			row[r] = p->x + at[r] * s;
		}
		// Short rows are fetched whole, long ones panel by panel.
		if (s <= SHORT) NAME(expect)(p, rows, i + ROWS, count, 0, s);
		for (int64_t r = 0; r < ROWS; r++) f.best[r] = f.second[r] = __builtin_inf(), f.label[r] = 0;
		for (int64_t group = 0; group < tiles; group += at_once) {
			int64_t end = group + at_once < tiles ? group + at_once : tiles;
			int64_t from = 0;
			do {
				int64_t features = s - from < PANEL ? s - from : PANEL;
				int first = from == 0, last = from + features >= s;
				NAME(transpose)(panel, row, from, features);
				if (s > SHORT && !last)
					NAME(expect)(p, rows, i, count, from + features, s - from - features < PANEL ? s - from - features : PANEL);
				else if (s > SHORT && end == tiles)
					NAME(expect)(p, rows, i + ROWS, count, 0, PANEL);
				for (int64_t t = group; t < end; t++) {
					int64_t j = t * k / tiles, width = (t + 1) * k / tiles - j;
					double *wait = waiting + (t - group) * TILE * ROWS;
					tile(width, panel, features, p->centers + j * s + from * width, p->weights ? p->weights + from : 0,
					     wait, first, last, j, out->dst ? 0 : &f);
					if (out->dst && last)
						for (int64_t r = 0; r < here; r++)
							for (int64_t c = 0; c < width; c++) out->dst[at[r] * k + j + c] = wait[c * ROWS + r];
				}
				from += features;
			} while (from < s);
		}
		if (out->dst) continue;
		for (int64_t r = 0; r < here; r++) {
			out->label[at[r]] = (int32_t)f.label[r];
			if (out->best) out->best[at[r]] = f.best[r];
			if (out->second) out->second[at[r]] = f.second[r];
		}
		if (!out->gap) continue;
		double gap[ROWS];
		NAME(gaps)(gap, &f, p->loss, out->margin);
		for (int64_t r = 0; r < here; r++) {
			double g = gap[r] + out->drift[(int32_t)f.label[r]];
			int sure = gap[r] > MIN_GAP && f.second[r] <= DBL_MAX;
			out->gap[at[r]] = sure ? (float)((g < MAX_GAP ? g : MAX_GAP) * ROUND_DOWN) : -1;
		}
	}
}

// add adds w·(x−origin) to sum, and w to the count of the cells that are there.
INLINE void NAME(add_cells)(const int moved, const int missing, double *restrict sum, double *restrict count,
                      const double *restrict origin, const double *restrict x, int64_t p, double w) {
	for (int64_t l = 0; l < p; l++) {
		double v = moved ? x[l] - origin[l] : x[l];
		int seen = !missing || v == v;
		sum[l] += seen ? w * v : 0;
		if (missing) count[l] += seen ? w : 0;
	}
}

INLINE void NAME(add_row)(double *sum, double *count, const double *origin, const double *x, int64_t p, int64_t j, double w) {
	sum += j * p;
	if (count && origin) NAME(add_cells)(1, 1, sum, count + j * p, origin, x, p, w);
	else if (count) NAME(add_cells)(0, 1, sum, count + j * p, origin, x, p, w);
	else if (origin) NAME(add_cells)(1, 0, sum, count, origin, x, p, w);
	else NAME(add_cells)(0, 0, sum, count, origin, x, p, w);
}

TARGET void NAME(move)(double *sum, double *mass, double *count, const double *origin, const double *x, int64_t p, int64_t n,
                           const int32_t *from, const int32_t *to, const double *weight) {
	for (int64_t i = 0; i < n; i++) {
		int64_t f = from ? from[i] : -1, t = to[i];
		if (f == t) continue;
		double w = weight ? weight[i] : 1;
		if (f >= 0) {
			mass[f] -= w;
			NAME(add_row)(sum, count, origin, x + i * p, p, f, -w);
		}
		if (t >= 0) {
			mass[t] += w;
			NAME(add_row)(sum, count, origin, x + i * p, p, t, w);
		}
	}
}

TARGET void NAME(means)(const double *sum, const double *mass, const double *count, const double *origin, const double *square,
                       const double *theta, int64_t k, int64_t p, double *mean, double *column) {
	for (int64_t first = 0; first < p; first += PANEL) {
		int64_t n = p - first < PANEL ? p - first : PANEL;
		double within[PANEL], shift[PANEL];
		for (int64_t l = 0; l < n; l++) within[l] = square[first + l], shift[l] = 0;
		for (int64_t j = 0; j < k; j++) {
			const double *restrict s = sum + j * p + first, *restrict c = theta + j * p + first;
			double *restrict to = mean + j * p + first;
			for (int64_t l = 0; l < n; l++) {
				double m = count ? count[j * p + first + l] : mass[j];
				double about = s[l] / m;
				double mu = origin ? about + origin[first + l] : about;
				double d = mu - c[l];
				double less = s[l] * about, more = m * d * d;
				within[l] -= m > 0 ? less : 0;
				shift[l] += m > 0 ? more : 0;
				to[l] = m > 0 ? mu : 0;
			}
		}
		for (int64_t l = 0; l < n; l++) column[first + l] = (within[l] > 0 ? within[l] : 0) + shift[l];
	}
}

TARGET void NAME(add)(double *restrict sum, const double *restrict x, int64_t n) {
	for (int64_t i = 0; i < n; i++) sum[i] += x[i];
}

TARGET void NAME(add_squares)(double *restrict sum, const double *restrict x, double mass, int64_t n) {
	for (int64_t i = 0; i < n; i++) sum[i] += mass * (x[i] * x[i]);
}

#undef ROWS
#undef PANEL
#undef SHORT
#undef GROUP
#undef UNROLL
#undef INLINE
#undef TILES
#undef CASE
