//go:build cgo && (amd64 || arm64)

#include "kernel.h"

#if defined(__x86_64__)

int has(int set) {
	__builtin_cpu_init();
	int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
	           __builtin_cpu_supports("popcnt");
	int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
	if (set == VNNI) return avx512 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni");
	if (set == AVX512) return avx512;
	return set == AVX2 && avx2;
}

#define FEW_CELLS 20     // rows of so many features at most are moved by AVX2: see collect.h.
#define CLUSTER_CELLS 16 // Of a small table, AVX-512 moves those of so many by cluster.

#define CALL(f, ...) (set == AVX2 ? f##_avx2(__VA_ARGS__) : f##_avx512(__VA_ARGS__))

// CALL_GROUPS calls what there is for whole numbers, too, where the groups have them.
#define CALL_GROUPS(f, ...) (g->whole ? CALL_WHOLE(f, __VA_ARGS__) : CALL(f, __VA_ARGS__))

// CALL_WHOLE calls what there is for whole numbers alone.
#define CALL_WHOLE(f, ...) (set == AVX2 ? f##_madd(__VA_ARGS__) : f##_vnni(__VA_ARGS__))

// CALL_SLABS calls slabs for the copy that there is.
#define CALL_SLABS(...) (w->shorts ? CALL_WHOLE(slabs, __VA_ARGS__) : CALL(slabs, __VA_ARGS__))

#else

int has(int set) { return set == NEON; }

#define CALL(f, ...) f##_neon(__VA_ARGS__)
#define CALL_GROUPS CALL
#define CALL_SLABS(...) CALL(slabs, __VA_ARGS__)
#define CALL_WHOLE(f, ...) 0 // no filter is in whole numbers

#endif

int whole(int set) { return set == VNNI ? 16 : set == AVX2 ? 8 : 0; }

int tile(int set) { return set == AVX512 || set == VNNI ? 10 : 5; }

static void nearest(int set, const problem *p, const int32_t *rows, int64_t count, const results *out) {
	CALL(nearest, p, rows, count, out);
}

void find(int set, const double *x, int64_t n, int64_t s, const double *centers, int64_t k, const double *weights,
          int loss, int observed, double *dst, double *best, double *second, int32_t *label) {
	problem p = {x, n, s, centers, k, weights, loss, observed, 0};
	results out = {.dst = dst, .best = best, .second = second, .label = label};
	nearest(set, &p, 0, n, &out);
}

void between(int set, const double *x, int64_t n, int64_t s, const double *centers, int64_t k, const double *weights, int loss,
             int observed, int32_t *own, int32_t *next, double *distance, double *other) {
	problem p = {x, n, s, centers, k, weights, loss, observed, 0};
	results out = {.own = own, .next = next, .distance = distance, .other = other};
	nearest(set, &p, 0, n, &out);
}

// What is rounded in the share of a copy in half precision: sums of squares, roots, a ratio.
#define SHARE_UP (1 + 0x1p-6f)
#define LEAST_SHARE 0x1p-40f

// chunk returns the place of the copy from row first on, which is the first one of a chunk.
static void *chunk(const problem *p, const filter *w, const copy *c, int64_t first) {
	if (w->shorts && w->together) return (char *)c->x + first / CHUNK * short_chunk(p->s);
	return (char *)c->x + first * (w->shorts ? 2 * short_cells(p->s) : p->s * p->size);
}

// copied returns the copy of x if a chunk of it is filled. It fills it first if asked to,
// and tells the filter what it has lost.
static const void *copied(int set, const problem *p, filter *w, const copy *c, int64_t first, int64_t end, int fill) {
	w->share = w->rest = w->twice = 0;
	if (!c->x) return 0;
	float *filled = c->filled + first / CHUNK;
	void *to = chunk(p, w, c, first);
	const double *from = p->x + first * p->s;
	int64_t n = end - first;
	if (!*filled && fill) {
		float share = 1;
		if (w->shorts && w->together) CALL_WHOLE(lay_shorts, to, from, w->origin, w->constants[LIMIT], w->shortest, n, p->s);
		else if (w->shorts) CALL_WHOLE(short_rows, to, from, w->origin, w->constants[LIMIT], n, p->s);
		else if (w->reach && w->together) share = CALL(lay_halves, to, from, w->origin, w->scale, w->least, n, p->s);
		else if (w->reach) share = CALL(halve_rows, to, from, w->origin, w->scale, w->least, n, p->s);
		else if (w->together) CALL(lay, to, from, w->origin, w->scale, n, p->s);
		else CALL(narrow_rows, to, from, w->origin, w->scale, n, p->s);
		*filled = share * SHARE_UP + LEAST_SHARE;
	}
	if (!*filled) return 0;
	if (w->reach) w->share = *filled, w->rest = w->least * SHARE_UP, w->twice = w->both;
	return c->x;
}

// looks handles the rows whose gap is not above the drift of their label, or all: by a
// filter, by one with groups, or by neither. It returns how many those are.
static int64_t looks(int set, problem *p, filter *w, const groups *g, const copy *c, const results *out, int all, int64_t *unsure) {
	int32_t rows[CHUNK + 32], left[2 * CHUNK + 1]; // left are rows of several chunks, since few are measured as fast as some
	float up[DRIFTS] = {0};
	results with = *out;
	with.part = (float)out->margin * (1 + 0x1p-20f);
	if (p->k <= DRIFTS) {
		for (int64_t j = 0; j < p->k; j++) up[j] = (float)(out->drift[j] * (1 + 0x1p-22)); // what underflows is below all gaps
		with.up = up;
	}
	out = &with;
	int64_t computed = 0, waiting = 0;
	for (int64_t first = 0; first < p->n; first += CHUNK) {
		int64_t end = first + CHUNK < p->n ? first + CHUNK : p->n;
		int64_t count = end - first;
		int filled = w && w->together && c->x && c->filled[first / CHUNK] > 0; // slabs find out by themselves which rows to look at
		if (filled) ;
		else if (all)
			for (int64_t i = 0; i < count; i++) rows[i] = (int32_t)(first + i);
		else
			count = CALL(scan, rows, out, p->k, first, end);
		int64_t looked = count;
		if (w && count) {
			int fill = !(g && all) && 2 * count >= end - first;
			int64_t uncertain = 0;
			const void *x = copied(set, p, w, c, first, end, fill);
			if (!w->together) {
				p->narrow = w->shorts ? 0 : x;
			} else {
				if (x)
					uncertain = CALL_SLABS(p, w, chunk(p, w, c, first), first, end, all, !filled, rows, out, left + waiting, &count, &looked);
				w->share = w->rest = w->twice = 0; // for rows of doubles
			}
			if (g) uncertain = CALL_GROUPS(grouped, p, g, rows, count, out, all, left + waiting, unsure), count = 0;
			else if (w->shorts && !w->together && x) uncertain = CALL_WHOLE(short_dots, p, w, x, rows, count, out, left + waiting), count = 0;
			else if (w->dots) uncertain = CALL(dots, p, w, rows, count, out, left + waiting), count = 0;
			else if (w->whole && !w->together && !w->shorts) uncertain = CALL_WHOLE(short_lanes, p, w, rows, count, out, left + waiting), count = 0;
			else if (w->alone && count) uncertain += CALL(filter, p, w, rows, count, out, left + waiting + uncertain), count = 0;
			*unsure += uncertain;
			waiting += uncertain;
			if (waiting > CHUNK) nearest(set, p, left, waiting, out), waiting = 0;
		}
		computed += looked;
		if (count) nearest(set, p, rows, count, out);
	}
	if (waiting) nearest(set, p, left, waiting, out);
	return computed;
}

int64_t assign(int set, const double *x, int64_t n, int64_t s, const double *centers, int64_t k, const double *weights,
               int loss, int observed, int32_t *label, float *gap, const double *drift, double margin, int all,
               const float *packed, const float *half, const double *origin, double scale, const double *constants, const float *reach,
               float least, float both, int64_t together, int alone, int dots, int shorts, const int16_t *whole, double step, double gone,
               double longest, double shortest, void *narrow, float *filled, int64_t *unsure) {
	filter w = {.centers = packed, .half = half, .origin = origin, .scale = scale, .constants = constants, .reach = reach, .least = least,
	            .both = both, .together = together, .alone = alone, .dots = dots, .shorts = shorts, .whole = whole,
	            .inverse = whole ? 1 / step : 0, .gone = gone, .longest = longest, .shortest = shortest};
	const float up = 1 + 0x1p-20f;
	w.limit = (float)constants[LIMIT], w.slope = (float)constants[DOUBT_SLOPE] * up, w.doubt = (float)constants[DOUBT] * up;
	w.above_slope = (float)constants[ABOVE_SLOPE] * up, w.above = (float)constants[ABOVE] * up;
	problem p = {x, n, s, centers, k, weights, loss, observed, 0, reach ? HALF : SINGLE};
	results out = {.label = label, .gap = gap, .drift = drift, .margin = margin};
	if (all && !(packed && (alone || narrow))) {
		nearest(set, &p, 0, n, &out);
		return n;
	}
	copy c = {shorts && !whole ? 0 : narrow, filled};
	return looks(set, &p, packed ? &w : 0, 0, &c, &out, all, unsure);
}

int64_t assign_grouped(int set, const double *x, int64_t n, int64_t s, const double *centers, int64_t k, int32_t *label, float *gap,
                       const double *drift, double margin, int all, const float *packed, const float *half, const double *origin,
                       const double *constants, int64_t number, const int32_t *order, const int32_t *of, const double *drifts,
                       const float *reach, float *lower, float *scratch, int32_t *heads, int32_t *lists, int64_t room,
                       const double *exact, const int16_t *whole, double scale, double gone, double longest,
                       void *narrow, float *filled, int64_t *unsure) {
	filter w = {.origin = origin, .scale = 1};
	groups g = {number, packed, half, origin, constants, order, of, drifts, reach, lower, scratch, heads, lists, room,
	            exact, whole, scale, gone, longest};
	problem p = {x, n, s, centers, k, 0, 0, 0, 0, SINGLE};
	results out = {.label = label, .gap = gap, .drift = drift, .margin = margin};
	copy c = {narrow, filled};
	return looks(set, &p, &w, &g, &c, &out, all, unsure);
}

void candidates(int set, const double *x, int64_t n, int64_t s, const float *packed, const float *half, const double *origin,
                const double *constants, int64_t number, const int32_t *order, float *scratch, int64_t room, const int16_t *whole,
                double scale, double gone, double longest, float *sums, int32_t *list) {
	groups some = {.n = number, .centers = packed, .half = half, .origin = origin, .constants = constants, .order = order,
	               .scratch = scratch, .room = room, .whole = whole, .scale = scale, .gone = gone, .longest = longest};
	const groups *g = &some;
	problem p = {.x = x, .n = n, .s = s};
	CALL_GROUPS(candidates, &p, g, sums, list);
}

void pairs(int set, const double *x, const double *centers, int64_t s, const int32_t *row, const int32_t *center, int64_t n, double *d) {
	CALL(pairs, x, centers, s, row, center, n, d);
}

int64_t move(int set, double *sum, double *low, double *mass, double *count, const double *origin, int64_t k, const double *x, int64_t p,
             int64_t n, const int32_t *from, const int32_t *to, const double *weight) {
#ifdef FEW_CELLS
	if (low && !weight && !count && p <= FEW_CELLS && (n > CHUNK || p < CLUSTER_CELLS)) set = AVX2;
#endif
	return CALL(move, sum, low, mass, count, origin, k, x, p, n, from, to, weight);
}

void means(int set, const double *sum, const double *low, const double *mass, const double *count, const double *origin,
           const double *square, const double *theta, int64_t k, int64_t p, int64_t first, int64_t end, double *mean,
           double *column) {
	CALL(means, sum, low, mass, count, origin, square, theta, k, p, first, end, mean, column);
}

void entry_products(int set, const int64_t *start, const int32_t *column, const double *offset, const int32_t *rows, int64_t count,
              const double *table, const double *own, const double *square, const double *weights, int64_t wide, int large, double *q,
                    double *norm) {
	entries x = {start, column, offset};
	CALL(entry_products, &x, rows, count, table, own, square, weights, wide, large, q, norm);
}

int64_t changed(int set, int32_t *rows, const int32_t *from, const int32_t *to, int64_t n) {
	int32_t all = 0;
	int64_t count = CALL(changed, rows, from, to, 0, n, &all);
	return all < 0 ? ~count : count;
}

void remember(int set, uint8_t *kept, const int32_t *label, int64_t n) { CALL(remember, kept, label, n); }

void recall(int set, const uint8_t *kept, int32_t *label, int64_t n) { CALL(recall, kept, label, n); }

void add(int set, double *sum, const double *x, int64_t n) { CALL(add, sum, x, n); }

void drain(int set, double *sum, double *x, int64_t n) { CALL(drain, sum, x, n); }

void add_squares(int set, double *sum, const double *x, const double *mass, int64_t n, int64_t p) {
	CALL(add_squares, sum, x, mass, n, p);
}

void add_roots(int set, double *sum, const double *x, const int32_t *label, const double *weight, int64_t rows, int64_t n) {
	CALL(add_roots, sum, x, label, weight, rows, n);
}

void totals(int set, const double *pivot, double *high, double *low, double *least, double *most, double *missing,
            const double *x, int64_t n, int64_t p) {
	CALL(totals, pivot, high, low, least, most, missing, x, n, p);
}

void squares(int set, const double *mean, const double *inverse, double *off, double *centred, double *square,
             const double *x, int64_t n, int64_t p) {
	CALL(squares, mean, inverse, off, centred, square, x, n, p);
}
