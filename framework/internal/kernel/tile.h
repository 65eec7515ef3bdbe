// The kernels, written once for all instruction sets. The file that includes
// this one defines:
//
//   NAME(f)      f with the suffix of the instruction set
//   TARGET       the attribute of its functions
//   V, M         the types of a vector of doubles and of a mask
//   LANES, WIDE  doubles in a vector, and vectors side by side
//   TILE         the largest number of centers side by side
//   LOAD, STORE, ALL, SUB, ADD, MUL, FMA, ABS, LESS, SAME, ORDERED, PICK, KEEP, SQRT
//   SUB_CELL     less the number in a place of memory
//   MIN, MAX     b where a is NaN
//   ANY          whether some number is not 0
//   HIGH         numbers without LOW_BITS
//   LOOK_UP      numbers of a table, in LANES given places
//   FLOATS, INTS stores of LANES numbers as float and as int32_t
//   transpose(panel, row, from, s)  see the callers
//
// A panel holds PANEL features of ROWS rows, feature by feature, so that rows
// are in the lanes: every row and center has one chain of operations, in the
// order of the features, on any instruction set.

#define ROWS (LANES * WIDE)
#define PANEL 64
#define SHORT 256 // features of a row up to which ROWS of them fit in the first cache
#define GROUP 160 // centers whose sums wait between two panels
#define SECOND 2  // the second cache, into which more lines can be on their way than into the first
#define FETCH 2   // lines fetched for each feature of a panel
#define AHEAD 2   // fetch from so many times ROWS rows on; 1 is too late if rows between are skipped

#define UNROLL _Pragma("GCC unroll 16")
#define INLINE static inline __attribute__((always_inline)) TARGET

// Losses, with the numbers of Go's Loss.
enum { SQUARED = 0, ABSOLUTE = 1 };

// ahead are cells of some rows that are needed soon. They are fetched line by line
// between other work: the processor can wait for only a few lines at a time, and
// stalls if asked for many at once.
typedef struct {
	const char *const *row;
	int64_t from, n;      // bytes of each row
	int64_t next, rows;   // the next row, and how many there are
	const char *at, *end; // the next line, and where the cells end
} NAME(ahead);

// coming returns cells from..from+n-1 of ROWS rows.
INLINE NAME(ahead) NAME(coming)(const double *const *row, int64_t from, int64_t n) {
	NAME(ahead) a = {(const char *const *)row, from * 8, n * 8, 0, ROWS, 0, 0};
	return a;
}

INLINE void NAME(fetch)(NAME(ahead) *a) {
	if (a->at >= a->end) {
		if (a->next == a->rows) return;
		a->at = a->row[a->next++] + a->from;
		a->end = a->at + a->n;
		a->at -= (uintptr_t)a->at % 64;
	}
	__builtin_prefetch(a->at);
	a->at += 64;
}

// chain adds the features of a panel to the distances of ROWS rows to T centers,
// and fetches what comes next.
INLINE void NAME(chain)(const int T, const int loss, const int weighted, const int observed,
                        V (*acc)[WIDE], const double *panel, int64_t features,
                        const double *centers, const double *weights, NAME(ahead) *coming) {
	NAME(ahead) a = *coming;
	for (int64_t l = 0; l < features; l++) {
		V x[WIDE];
		M seen[WIDE];
		UNROLL for (int v = 0; v < WIDE; v++) {
			x[v] = LOAD(panel + l * ROWS + v * LANES);
			if (observed) seen[v] = ORDERED(x[v]);
		}
		UNROLL for (int t = 0; t < T; t++) {
			UNROLL for (int v = 0; v < WIDE; v++) {
				V d = SUB_CELL(x[v], centers + l * T + t);
				if (observed) d = KEEP(seen[v], d);
				if (loss == ABSOLUTE)
					acc[t][v] = weighted ? FMA(ALL(weights[l]), ABS(d), acc[t][v]) : ADD(acc[t][v], ABS(d));
				else
					acc[t][v] = FMA(weighted ? MUL(ALL(weights[l]), d) : d, d, acc[t][v]);
			}
		}
		UNROLL for (int f = 0; f < FETCH; f++) NAME(fetch)(&a);
	}
	*coming = a;
}

// found has for ROWS rows the distances to the nearest and second nearest center so
// far, and the number of the nearest.
typedef struct {
	double best[ROWS], second[ROWS], label[ROWS];
} NAME(found);

// enter enters the distances to centers j..j+T-1; center 0 comes first.
INLINE void NAME(enter)(const int T, V (*acc)[WIDE], int64_t j, NAME(found) *f) {
	UNROLL for (int v = 0; v < WIDE; v++) {
		V best = ALL(__builtin_inf()), second = best, label = ALL(0);
		if (j) best = LOAD(f->best + v * LANES), second = LOAD(f->second + v * LANES), label = LOAD(f->label + v * LANES);
		UNROLL for (int t = 0; t < T; t++) {
			V d = acc[t][v];
			M nearer = LESS(d, best);
			second = MIN(MAX(best, d), second);
			best = MIN(d, best);
			label = PICK(nearer, ALL((double)(j + t)), label);
		}
		STORE(f->best + v * LANES, best);
		STORE(f->second + v * LANES, second);
		STORE(f->label + v * LANES, label);
	}
}

// tile handles one panel and one tile of T centers. waiting has the sums of earlier
// panels, if there were any, and gets the new ones if more panels follow.
INLINE void NAME(tile)(const int T, const int loss, const int weighted, const int observed,
                       const double *panel, int64_t features, const double *centers, const double *weights,
                       double *waiting, int first, int last, int64_t j, NAME(found) *f, NAME(ahead) *coming) {
	V acc[TILE][WIDE];
	UNROLL for (int t = 0; t < T; t++)
		UNROLL for (int v = 0; v < WIDE; v++)
			acc[t][v] = first ? ALL(0) : LOAD(waiting + t * ROWS + v * LANES);
	NAME(chain)(T, loss, weighted, observed, acc, panel, features, centers, weights, coming);
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
			const double *weights, double *waiting, int first, int last, int64_t j, NAME(found) *f, NAME(ahead) *coming) { \
		switch (T) { F(LOSS, WEIGHTED, OBSERVED) } \
	}
#define CASE(T, LOSS, WEIGHTED, OBSERVED) \
	case T: NAME(tile)(T, LOSS, WEIGHTED, OBSERVED, panel, features, centers, weights, waiting, first, last, j, f, coming); return;

TILES(WIDTHS, squared, SQUARED, 0, 0)
TILES(WIDTHS, squared_observed, SQUARED, 0, 1)
TILES(WIDTHS, weighted, SQUARED, 1, 0)
TILES(WIDTHS, weighted_observed, SQUARED, 1, 1)
TILES(WIDTHS, absolute, ABSOLUTE, 0, 0)
TILES(WIDTHS, absolute_observed, ABSOLUTE, 0, 1)
TILES(WIDTHS, weighted_absolute, ABSOLUTE, 1, 0)
TILES(WIDTHS, weighted_absolute_observed, ABSOLUTE, 1, 1)

typedef void NAME(tile_fn)(int64_t T, const double *panel, int64_t features, const double *centers,
                           const double *weights, double *waiting, int first, int last, int64_t j, NAME(found) *f, NAME(ahead) *coming);

// gaps turns what was found, with these labels, into gaps: see Go's Bound.
INLINE void NAME(gaps)(float *gap, NAME(found) *f, const int32_t *label, const double *drift, int loss, double margin) {
	UNROLL for (int v = 0; v < WIDE; v++) {
		V best = LOAD(f->best + v * LANES), second = LOAD(f->second + v * LANES);
		M unsure = LESS(ALL(DBL_MAX), second);
		if (loss == SQUARED) best = SQRT(best), second = SQRT(second);
		V g = SUB(SUB(second, best), MUL(ALL(margin), ADD(second, best)));
		M sure = LESS(ALL(MIN_GAP), g);
		g = MUL(MIN(ADD(g, LOOK_UP(drift, label + v * LANES)), ALL(MAX_GAP)), ALL(ROUND_DOWN));
		FLOATS(gap + v * LANES, PICK(unsure, ALL(-1), PICK(sure, g, ALL(-1))));
	}
}

#include "between.h"

INLINE void NAME(labels)(int32_t *label, NAME(found) *f) {
	UNROLL for (int v = 0; v < WIDE; v++) INTS(label + v * LANES, LOAD(f->label + v * LANES));
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
	NAME(between) between;
	int apart = out->dst || out->own; // distances are looked at when all are there
	int64_t s = p->s, k = p->k;
	int64_t tiles = (k + TILE - 1) / TILE;
	int64_t at_once = GROUP / TILE; // tiles in a group
	const double *row[4][ROWS];     // the current ones, and the next AHEAD times ROWS

	for (int64_t i = -AHEAD * ROWS; i < count; i += ROWS) {
		const double **now = row[i / ROWS & 3], **then = row[(i / ROWS + AHEAD) & 3];
		for (int64_t r = 0; r < ROWS; r++) {
			int64_t n = i + AHEAD * ROWS + r;
			if (n >= count) n = count - 1;
			then[r] = p->x + (rows ? rows[n] : n) * s;
		}
		if (i < 0) continue;
		if (out->own) NAME(begin_between)(&between, out->own + i, count - i);
		// Short rows are fetched whole, long ones panel by panel.
		NAME(ahead) next = NAME(coming)(then, 0, s <= SHORT ? s : PANEL);
		for (int64_t group = 0; group < tiles; group += at_once) {
			int64_t end = group + at_once < tiles ? group + at_once : tiles;
			int64_t from = 0;
			do {
				int64_t features = s - from < PANEL ? s - from : PANEL;
				int first = from == 0, last = from + features >= s;
				NAME(transpose)(panel, now, from, features);
				int64_t rest = s - from - features;
				NAME(ahead) same = NAME(coming)(now, from + features, rest < PANEL ? rest : PANEL);
				NAME(ahead) *coming = s > SHORT && !last ? &same : &next;
				for (int64_t t = group; t < end; t++) {
					int64_t j = t * k / tiles, width = (t + 1) * k / tiles - j;
					double *wait = waiting + (t - group) * TILE * ROWS;
					tile(width, panel, features, p->centers + j * s + from * width, p->weights ? p->weights + from : 0,
					     wait, first, last, j, apart ? 0 : &f, coming);
					if (out->own && last) NAME(enter_between)(&between, wait, width, j);
					if (out->dst && last)
						for (int64_t r = 0; r < ROWS && i + r < count; r++)
							for (int64_t c = 0; c < width; c++)
								out->dst[(rows ? rows[i + r] : i + r) * k + j + c] = wait[c * ROWS + r];
				}
				from += features;
			} while (from < s);
		}
		for (int64_t r = 0; r < ROWS; r++) NAME(fetch)(&next);
		int64_t here = count - i < ROWS ? count - i : ROWS;
		if (out->own) NAME(end_between)(&between, out, i, here);
		if (apart) continue;
		int64_t at = rows ? rows[i] : i;
		int side = here == ROWS; // by side; rows of a filter need not ascend
		for (int64_t r = 1; rows && side && r < ROWS; r++) side = rows[i + r] == at + r;
		if (side) {
			NAME(labels)(out->label + at, &f);
			if (out->gap) NAME(gaps)(out->gap + at, &f, out->label + at, out->drift, p->loss, out->margin);
		} else {
			int32_t label[ROWS];
			float gap[ROWS];
			NAME(labels)(label, &f);
			if (out->gap) NAME(gaps)(gap, &f, label, out->drift, p->loss, out->margin);
			for (int64_t r = 0; r < here; r++) {
				at = rows ? rows[i + r] : i + r;
				out->label[at] = label[r];
				if (out->gap) out->gap[at] = gap[r];
			}
		}
		if (!out->best && !out->second) continue;
		for (int64_t r = 0; r < here; r++) {
			at = rows ? rows[i + r] : i + r;
			if (out->best) out->best[at] = f.best[r];
			if (out->second) out->second[at] = f.second[r];
		}
	}
}

// add_cells adds w·(x−origin) to sum, and w to the count of observed cells.
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

// halves moves n cells of a row in two parts: out of sums, into sums, or both.
INLINE void NAME(halves)(const int from, const int to, const int missing, double *restrict lost, double *restrict lost_low,
                         double *restrict lost_count, double *restrict sum, double *restrict low, double *restrict count,
                         const double *restrict x, int64_t n) {
	for (int64_t l = 0; l < n; l++) {
		double v = x[l], high, one = 1;
		uint64_t bits;
		memcpy(&bits, &v, 8);
		bits &= ~(uint64_t)LOW_BITS;
		memcpy(&high, &bits, 8);
		double rest = v - high;
		if (missing) {
			int seen = v == v;
			high = seen ? high : 0, rest = seen ? rest : 0, one = seen ? 1 : 0;
			if (from) lost_count[l] -= one;
			if (to) count[l] += one;
		}
		if (from) lost[l] -= high, lost_low[l] -= rest;
		if (to) sum[l] += high, low[l] += rest;
	}
}

// The sums of all clusters in this many columns times clusters fit in the first
// cache, with room for rows.
#define NEAR 2560

INLINE int64_t NAME(changed_each)(int32_t *rows, const int32_t *from, const int32_t *to, int64_t first, int64_t end, int32_t *all) {
	int64_t count = 0;
	for (int64_t i = first; i < end; i++) {
		rows[count] = (int32_t)i;
		count += from[i] != to[i];
		*all |= to[i];
	}
	return count;
}

#ifndef OWN_CHANGED
TARGET int64_t NAME(changed)(int32_t *rows, const int32_t *from, const int32_t *to, int64_t first, int64_t end, int32_t *all) {
	return NAME(changed_each)(rows, from, to, first, end, all);
}
#endif

// list is changed; without labels before, all rows with one have changed.
INLINE int64_t NAME(list)(int32_t *rows, const int32_t *from, const int32_t *to, int64_t first, int64_t end) {
	int32_t all = 0;
	if (from) return NAME(changed)(rows, from, to, first, end, &all);
	int64_t count = 0;
	for (int64_t i = first; i < end; i++) {
		rows[count] = (int32_t)i;
		count += to[i] != -1;
	}
	return count;
}

#include "collect.h"

// move_parts is move for sums in two parts.
TARGET static int64_t NAME(move_parts)(double *sum, double *low, double *mass, double *count, int64_t k, const double *x, int64_t p,
                                       int64_t n, const int32_t *from, const int32_t *to, const double *weight) {
	int64_t width = NEAR / k / 8 * 8;
	if (width < 64) width = 64;
	if (width >= p) width = p;
	int32_t rows[CHUNK + 16];
	if (!weight && !count && (n > CHUNK || p < 2 * LANES)) {
		int64_t moved = NAME(by_row)(sum, low, mass, k, x, p, n, from, to);
		if (moved >= 0) return moved;
	}
	if (p >= WIDE_FEATURES && n <= CHUNK && !weight && !count &&
	    NAME(by_panel)(sum, low, mass, k, x, p, rows, NAME(list)(rows, from, to, 0, n), from, to)) return n;
	int64_t soon = p < 64 ? 32 : 2; // fetch cells so many moved rows ahead
	for (int64_t first = 0; first < p; first += width) {
		int64_t here = p - first < width ? p - first : width;
		for (int64_t start = 0; start < n; start += CHUNK) {
			int64_t some = NAME(list)(rows, from, to, start, start + CHUNK < n ? start + CHUNK : n);
			if (n <= CHUNK && !weight && !count && NAME(by_cluster)(sum, low, mass, k, x, p, rows, some, from, to)) continue;
			for (int64_t r = -soon; r < some; r++) {
				if (r + soon < some) {
					const double *next = x + rows[r + soon] * p + first;
					if (p < 64)
						for (int64_t l = 0; l < here; l += 8) __builtin_prefetch(next + l, 0, SECOND);
					else
						for (int64_t l = 0; l < here; l += 8) __builtin_prefetch(next + l);
				}
				if (r < 0) continue;
				int64_t i = rows[r], f = from ? from[i] : -1, t = to[i];
				if (f >= k || t >= k) return i;
				if (weight && weight[i] == 0) continue;
				if (first == 0) {
					if (f >= 0) mass[f] -= 1;
					if (t >= 0) mass[t] += 1;
				}
				const double *row = x + i * p + first;
				int64_t a = f * p + first, b = t * p + first;
				if (count) {
					if (f >= 0 && t >= 0) NAME(halves)(1, 1, 1, sum + a, low + a, count + a, sum + b, low + b, count + b, row, here);
					else if (f >= 0) NAME(halves)(1, 0, 1, sum + a, low + a, count + a, 0, 0, 0, row, here);
					else NAME(halves)(0, 1, 1, 0, 0, 0, sum + b, low + b, count + b, row, here);
				} else if (f >= 0 && t >= 0) NAME(halves)(1, 1, 0, sum + a, low + a, 0, sum + b, low + b, 0, row, here);
				else if (f >= 0) NAME(halves)(1, 0, 0, sum + a, low + a, 0, 0, 0, 0, row, here);
				else NAME(halves)(0, 1, 0, 0, 0, 0, sum + b, low + b, 0, row, here);
			}
		}
	}
	return n;
}

// scan writes to rows those of first..end-1 whose gap is not above the drift of
// their label, and returns how many. It may write up to 16 numbers more.
INLINE int64_t NAME(scan_each)(int32_t *rows, const results *out, int64_t first, int64_t end) {
	int64_t count = 0;
	for (int64_t i = first; i < end; i++) {
		rows[count] = (int32_t)i;
		count += !((double)out->gap[i] > out->drift[out->label[i]]);
	}
	return count;
}

#ifndef OWN_SCAN
TARGET int64_t NAME(scan)(int32_t *rows, const results *out, int64_t k, int64_t first, int64_t end) {
	return NAME(scan_each)(rows, out, first, end);
}
#endif

TARGET int64_t NAME(move)(double *sum, double *low, double *mass, double *count, const double *origin, int64_t k, const double *x,
                          int64_t p, int64_t n, const int32_t *from, const int32_t *to, const double *weight) {
	if (low) return NAME(move_parts)(sum, low, mass, count, k, x, p, n, from, to, weight);
	for (int64_t i = 0; i < n; i++) {
		int64_t f = from ? from[i] : -1, t = to[i];
		if (f == t) continue;
		if (f >= k || t >= k) return i;
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
	return n;
}

// parts is means for sums in two parts, for one cluster and n features.
INLINE void NAME(parts)(const double *restrict sum, const double *restrict low, const double *restrict count, double mass,
                        const double *restrict origin, const double *restrict theta, int64_t n, double *restrict mean,
                        double *restrict within, double *restrict shift) {
	double inverse = 1 / mass;
	for (int64_t l = 0; l < n; l++) {
		double m = count ? count[l] : mass;
		double mu = sum[l] / m + low[l] * (count ? 1 / m : inverse);
		double total = sum[l] + low[l], about = mu;
		if (origin) {
			total = __builtin_fma(-m, origin[l], sum[l]) + low[l];
			about = total / m;
		}
		double d = mu - theta[l];
		double less = total * about, more = m * d * d;
		within[l] -= m > 0 ? less : 0;
		shift[l] += m > 0 ? more : 0;
		mean[l] = m > 0 ? mu : 0;
	}
}

TARGET void NAME(means)(const double *sum, const double *low, const double *mass, const double *count, const double *origin,
                        const double *square, const double *theta, int64_t k, int64_t p, int64_t first, int64_t end, double *mean,
                        double *column) {
	for (; first < end; first += PANEL) {
		int64_t n = end - first < PANEL ? end - first : PANEL;
		double within[PANEL], shift[PANEL];
		for (int64_t l = 0; l < n; l++) within[l] = square[first + l], shift[l] = 0;
		for (int64_t j = 0; j < k; j++) {
			const double *restrict s = sum + j * p + first, *restrict c = theta + j * p + first;
			double *restrict to = mean + j * p + first;
			if (low) {
				const double *counts = count ? count + j * p + first : 0;
				NAME(parts)(s, low + j * p + first, counts, mass[j], origin ? origin + first : 0, c, n, to, within, shift);
				continue;
			}
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

TARGET void NAME(drain)(double *restrict sum, double *restrict x, int64_t n) {
	int64_t i = 0;
	for (; i + LANES <= n; i += LANES) {
		V a = LOAD(x + i);
		if (!ANY(a)) continue;
		STORE(sum + i, ADD(LOAD(sum + i), a));
		STORE(x + i, ALL(0));
	}
	for (; i < n; i++)
		if (x[i] != 0) sum[i] += x[i], x[i] = 0;
}

TARGET void NAME(add_squares)(double *restrict sum, const double *restrict x, const double *restrict mass, int64_t n, int64_t p) {
	for (int64_t j = 0; j < n; j++, x += p)
		for (int64_t l = 0; l < p; l++) sum[l] += mass[j] * (x[l] * x[l]);
}

// The roots at the end of a row are those of a whole vector, too: __builtin_sqrt may call a function.
TARGET void NAME(add_roots)(double *sum, const double *x, const int32_t *label, const double *weight, int64_t rows, int64_t n) {
	for (int64_t i = 0; i < rows; i++, x += n) {
		double *to = sum + label[i] * n, rest[LANES] = {0};
		V w = ALL(weight[i]);
		int64_t l = 0;
		for (; l + LANES <= n; l += LANES) STORE(to + l, ADD(LOAD(to + l), MUL(w, SQRT(LOAD(x + l)))));
		for (int64_t t = l; t < n; t++) rest[t - l] = x[t];
		if (l < n) STORE(rest, MUL(w, SQRT(LOAD(rest))));
		for (int64_t t = l; t < n; t++) to[t] += rest[t - l];
	}
}

// A missing cell adds +0 to sums that are not -0, which changes no bit of them.
TARGET void NAME(totals)(const double *restrict pivot, double *restrict high, double *restrict low, double *restrict least,
                         double *restrict most, double *restrict missing, const double *restrict x, int64_t n, int64_t p) {
	for (int64_t i = 0; i < n; i++, x += p)
		for (int64_t l = 0; l < p; l++) {
			int seen = x[l] == x[l];
			double v = seen ? x[l] : pivot[l];
			double d = v - pivot[l], part = d - v;
			double lost = (v - (d - part)) - (pivot[l] + part);
			double before = high[l], sum = before + d;
			part = sum - before;
			low[l] = (low[l] + ((before - (sum - part)) + (d - part))) + lost;
			high[l] = sum;
			least[l] = x[l] < least[l] ? x[l] : least[l];
			most[l] = x[l] > most[l] ? x[l] : most[l];
			missing[l] += seen ? 0 : 1;
		}
}

TARGET void NAME(squares)(const double *restrict mean, const double *restrict inverse, double *restrict off, double *restrict centred,
                          double *restrict square, const double *restrict x, int64_t n, int64_t p) {
	for (int64_t i = 0; i < n; i++, x += p)
		for (int64_t l = 0; l < p; l++) {
			int seen = x[l] == x[l];
			double d = (x[l] - mean[l]) * inverse[l], dd = d * d, xx = x[l] * x[l];
			off[l] += seen ? d : 0;
			centred[l] += seen ? dd : 0;
			square[l] += seen ? xx : 0;
		}
}
