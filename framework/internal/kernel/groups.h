// The filter for many centers: of each row it looks only at groups of centers that may
// have the nearest one. See groups.go for what it computes, and for the proof. The file
// that includes this one includes filter.h before, and defines, beside what that needs,
//
//   TOGETHER   rows that are handled together
//   G(f)       f with a suffix
//   SHORTS     if rows and centers are in whole numbers: see shorts.h, and whole.go for the proof
//
// The centers of a group are in the lanes, and cells of rows are spread over them, so
// that any few rows can be handled together. Where rows look at most groups anyway,
// they look at all of them, with rows in the lanes: see everywhere.h.

#define GROUPED 16 // centers in a group, as in Go
#define VECTORS (GROUPED / F_LANES)
#define EACH (F_LANES > 8 ? F_LANES : 8)
#define PADDED ((TOGETHER + EACH - 1) / EACH * EACH)
#define VISITORS 512 // rows that are narrowed at a time, at most
#define FEWEST 4     // groups that are measured for an uncertain row, at most
#define MOST 2       // if rows look at more than this part of all groups, they look at all: a look takes half as long then

#undef CELL
#undef CHAIN
#ifdef SHORTS
#define CELL int16_t
#else
#define CELL float
#define CHAIN PANEL // features of a sum that is added to the others
#endif

// visitor is one row that is looked at.
typedef struct {
	int64_t row;
	const CELL *x;      // less the origin
	float by;           // what the sums of its products are multiplied by
	float lost;         // T is larger by that, since cells are rounded
	float *lower;       // its bounds, one for each group; NULL: none are kept
	float square;       // of its length
	float low, high;    // bounds of it, less and plus the doubt
	int64_t own;        // the group of its label before; −1: to look at all groups
	float at_own;       // its bound, which is out of the way meanwhile
	float best, second; // sums so far
	float runner;       // the second of the group that has the best
	float unseen;       // no center of a group that is not looked at is nearer than that
	float reach;        // the distance to the best is below, by more than rounding
	int64_t place;      // of the best: the number of its group · GROUPED + that in the group
} G(visitor);

INLINE double G(root)(double a) {
	double all[LANES];
	STORE(all, SQRT(ALL(a > 0 ? a : 0)));
	return all[0];
}

#ifdef SHORTS
#include "shorts.h"
#else

// stride returns how many cells a row has.
INLINE int64_t G(stride)(int64_t s) { return s; }

// spread writes the sums of TOGETHER rows and the centers of a group.
INLINE void G(spread)(G(visitor) *const *now, int64_t s, const float *centers, const float *half, float *sums) {
	float x[TOGETHER][PANEL] __attribute__((aligned(64))); // side by side, so that they take one register to address, and not TOGETHER
	UNROLL for (int r = 0; r < TOGETHER; r++)
		UNROLL for (int v = 0; v < VECTORS; v++) F_STORE(sums + r * GROUPED + v * F_LANES, F_LOAD(half + v * F_LANES));
	for (int64_t at = 0; at < s; at += PANEL) {
		int64_t n = s - at < PANEL ? s - at : PANEL;
		F acc[TOGETHER][VECTORS];
		for (int r = 0; r < TOGETHER; r++) {
			const float *from = now[r]->x + at;
			if (n == PANEL)
				UNROLL for (int l = 0; l < PANEL; l += F_LANES) F_STORE(x[r] + l, F_LOAD(from + l));
			else
				memcpy(x[r], from, n * sizeof(float));
		}
		UNROLL for (int r = 0; r < TOGETHER; r++)
			UNROLL for (int v = 0; v < VECTORS; v++) acc[r][v] = F_ALL(0);
		for (int64_t l = 0; l < n; l++) {
			F c[VECTORS];
			UNROLL for (int v = 0; v < VECTORS; v++) c[v] = F_LOAD(centers + (at + l) * GROUPED + v * F_LANES);
			UNROLL for (int r = 0; r < TOGETHER; r++) {
				F cell = F_ALL(x[r][l]);
				UNROLL for (int v = 0; v < VECTORS; v++) acc[r][v] = F_FMA(cell, c[v], acc[r][v]);
			}
		}
		UNROLL for (int r = 0; r < TOGETHER; r++)
			UNROLL for (int v = 0; v < VECTORS; v++) {
				float *sum = sums + r * GROUPED + v * F_LANES;
				F_STORE(sum, F_ADD(F_LOAD(sum), acc[r][v]));
			}
	}
}
#endif

// first_two writes the least and the second least of the sums of rows.
INLINE void G(first_two)(const float *sums, float *first, float *second) {
	const char *row[PADDED];
	float turned[GROUPED * F_ROWS] __attribute__((aligned(64)));
	for (int r = 0; r < PADDED; r++) row[r] = (const char *)(sums + (r < TOGETHER ? r : 0) * GROUPED);
	for (int r = 0; r < PADDED; r += 8) NAME(eight)(0, turned + r, row + r, 0, GROUPED);
	for (int r = 0; r < PADDED; r += F_LANES) {
		F one = F_LOAD(turned + r), two = F_ALL(__builtin_inff());
		UNROLL for (int t = 1; t < GROUPED; t++) {
			F sum = F_LOAD(turned + t * F_ROWS + r);
			two = F_MIN(F_MAX(one, sum), two);
			one = F_MIN(sum, one);
		}
		F_STORE(first + r, one);
		F_STORE(second + r, two);
	}
}

// centers returns those of group g.
INLINE const CELL *G(centers)(const groups *w, int64_t s, int64_t g) {
#ifdef SHORTS
	return w->whole + g * G(stride)(s) * GROUPED;
#else
	return w->centers + g * s * GROUPED;
#endif
}

// meet enters the centers of group g for some rows.
INLINE void G(meet)(const groups *w, int64_t s, int64_t g, G(visitor) *const *some, int64_t n, double margin) {
	float sums[TOGETHER * GROUPED] __attribute__((aligned(64)));
	float first[PADDED], second[PADDED], low[PADDED] = {0}, high[PADDED] = {0}, below[PADDED], above[PADDED];
	F drift = F_ALL((float)(w->drift[g] * (1 - 0x1p-22))), none = F_ALL(0), two = F_ALL(2);
	F shrink = F_ALL(1 - 0x1p-21f), grow = F_ALL((float)(1 + margin) * (1 + 0x1p-20f));
	for (int64_t i = 0; i < n; i += TOGETHER) {
		G(visitor) *now[TOGETHER];
		for (int64_t r = 0; r < TOGETHER; r++) {
			now[r] = some[i + r < n ? i + r : n - 1];
			low[r] = now[r]->low, high[r] = now[r]->high;
		}
		G(spread)(now, s, G(centers)(w, s, g), w->half + g * GROUPED, sums);
		G(first_two)(sums, first, second);
		UNROLL for (int r = 0; r < PADDED; r += F_LANES) {
			F least = F_LOAD(first + r);
			F_STORE(below + r, F_MUL(F_ADD(F_SQRT(F_MAX(F_FMA(two, least, F_LOAD(low + r)), none)), drift), shrink));
			F_STORE(above + r, F_MUL(F_SQRT(F_MAX(F_FMA(two, least, F_LOAD(high + r)), none)), grow));
		}
		for (int64_t r = 0; r < TOGETHER && i + r < n; r++) {
			G(visitor) *v = now[r];
			if (v->lower) v->lower[g] = below[r];
			if (first[r] < v->best) {
				int64_t t = 0;
				while (t < GROUPED - 1 && sums[r * GROUPED + t] != first[r]) t++;
				v->second = v->best < second[r] ? v->best : second[r];
				v->best = first[r], v->runner = second[r], v->place = g * GROUPED + t;
				v->reach = above[r];
			} else if (first[r] < v->second) {
				v->second = first[r];
			}
		}
	}
}

#ifndef SHORTS
// square returns the square of the length of a row.
INLINE float G(square)(const float *x, int64_t s) {
	float norm = 0;
	for (int64_t at = 0; at < s; at += PANEL) {
		int64_t end = s - at < PANEL ? s : at + PANEL;
		F square = F_ALL(0);
		int64_t l = at;
		for (; l + F_LANES <= end; l += F_LANES) square = F_FMA(F_LOAD(x + l), F_LOAD(x + l), square);
		float sum = F_SUM(square);
		for (; l < end; l++) sum += x[l] * x[l];
		norm += sum;
	}
	return norm;
}
#endif

// arrive makes visitors of n rows: it narrows them, and bounds their lengths. Without out,
// they belong to no group.
INLINE void G(arrive)(const problem *p, const groups *w, const int32_t *rows, int64_t n, const results *out, G(visitor) *visitors) {
	int64_t s = p->s;
	const double *k = w->constants;
#ifdef SHORTS
	float narrow[LONGEST];
#endif
	for (int64_t i = 0; i < n; i++) {
		G(visitor) *v = visitors + i;
		v->x = (CELL *)w->scratch + i * G(stride)(s), v->by = v->lost = 0;
#ifdef SHORTS
		float *x = narrow;
#else
		float *x = (float *)v->x;
#endif
		if (p->narrow) x = (float *)p->narrow + rows[i] * s; // and nothing is written
		else NAME(narrow_rows)(x, p->x + rows[i] * s, w->origin, 1, 1, s);
#ifdef SHORTS
		G(shorten)(w, x, s, k[LIMIT], v);
#else
		v->x = x, v->square = G(square)(x, s);
#endif
		float norm = v->square;
		v->low = (float)(norm * k[BELOW_SLOPE] + k[BELOW] - v->lost), v->high = (float)(norm * k[ABOVE_SLOPE] + k[ABOVE] + v->lost);
		v->row = rows[i], v->place = 0;
		v->lower = w->lower ? w->lower + rows[i] * w->n : 0;
		v->best = v->second = v->runner = v->unseen = v->reach = __builtin_inff();
		v->own = out ? w->of[out->label[rows[i]]] : -1;
	}
}

// at_home looks at the group of each row's label.
INLINE void G(at_home)(const groups *w, int64_t s, G(visitor) *visitors, int64_t n, double margin) {
	int32_t next[VISITORS];
	G(visitor) *some[VISITORS];
	for (int64_t g = 0; g < w->n; g++) w->heads[g] = -1;
	for (int64_t i = n - 1; i >= 0; i--) {
		int32_t *head = w->heads + visitors[i].own;
		next[i] = *head, *head = (int32_t)i;
	}
	for (int64_t g = 0; g < w->n; g++) {
		int64_t m = 0;
		for (int32_t i = w->heads[g]; i >= 0; i = next[i]) some[m++] = visitors + i;
		if (m) G(meet)(w, s, g, some, m, margin);
	}
	for (int64_t i = 0; i < n; i++) {
		float *own = visitors[i].lower + visitors[i].own;
		visitors[i].at_own = *own, *own = __builtin_inff();
	}
}

// others returns how many other groups may have a nearer center, and sets unseen to the
// least that any of those that cannot is away.
INLINE int64_t G(others)(const groups *w, G(visitor) *v) {
	const F far = F_ALL(__builtin_inff()), reach = F_ALL(v->reach);
	F least = far, count = F_ALL(0);
	int64_t g = 0, n = 0;
	for (; g + F_LANES <= w->n; g += F_LANES) {
		F its = F_SUB(F_LOAD(v->lower + g), F_LOAD(w->reach + g));
		least = F_MIN(F_PICK(F_LESS(reach, its), its, far), least);
		count = F_ADD(count, F_PICK(F_LESS(reach, its), F_ALL(0), F_ALL(1)));
	}
	float lane[F_LANES], low = __builtin_inff();
	F_STORE(lane, least);
	for (int t = 0; t < F_LANES; t++) low = lane[t] < low ? lane[t] : low;
	for (; g < w->n; g++) {
		float its = v->lower[g] - w->reach[g];
		low = its > v->reach && its < low ? its : low;
		n += !(its > v->reach);
	}
	v->unseen = low;
	return n + (int64_t)F_SUM(count);
}

// away returns how far every center of group g is from a row, at least.
INLINE float G(away)(const groups *w, const G(visitor) *v, int64_t g) { return v->lower[g] - w->reach[g]; }

// sorted writes to order which visitors may look at each group, group by group, and to
// heads where the next group begins. looks has how many groups each may look at.
INLINE void G(sorted)(const groups *w, const G(visitor) *visitors, const int32_t *looks, int64_t n, int32_t *list, int32_t *order) {
	int32_t *at = list;
	for (int64_t g = 0; g < w->n; g++) w->heads[g] = 0;
	for (int64_t i = 0; i < n; i++) {
		int64_t found = 0;
		for (int64_t g = 0; looks[i] && g < w->n; g++) at[found] = (int32_t)g, found += !(G(away)(w, visitors + i, g) > visitors[i].reach);
		for (int64_t t = 0; t < found; t++) w->heads[at[t]]++;
		at += found;
	}
	for (int64_t g = 0, sum = 0; g < w->n; g++) {
		int32_t its = w->heads[g];
		w->heads[g] = (int32_t)sum, sum += its;
	}
	for (int64_t i = 0; i < n; i++)
		for (int64_t t = 0; t < looks[i]; t++) order[w->heads[*list++]++] = (int32_t)i;
}

// leave writes label and gap of a row, and its bounds where they are not yet what they
// shall be. It reports whether the label is certain.
INLINE int G(leave)(const groups *w, G(visitor) *v, const results *out) {
	const double *k = w->constants;
	int within = v->square < k[LIMIT];
	double lead = (double)v->second - v->best, doubt = v->square * k[DOUBT_SLOPE] + k[DOUBT] + v->lost;
	int certain = within && lead > doubt;
	int64_t its = v->place / GROUPED;
	if (v->lower) {
		if (v->own >= 0) v->lower[v->own] = v->at_own;
		if (certain) v->lower[its] = (float)((G(root)(v->low + 2 * (double)v->runner) + w->drift[its]) * (1 - 0x1p-21));
		if (!within)
			for (int64_t g = 0; g < w->n; g++) v->lower[g] = 0; // which says nothing
	}
	if (!certain) return 0;
	int32_t label = w->order[v->place];
	double gap = MAX_GAP;
	if (lead < MAX_GAP) {
		double sum = (G(root)(v->high + 2 * (double)v->best) + G(root)(v->high + 2 * (double)v->second)) * (1 + 0x1p-20);
		gap = 2 * (lead - doubt) / sum * (1 - 0x1p-20) - out->margin * sum;
	}
	double other = v->unseen * (1 - 0x1p-20) - v->reach; // +Inf where all groups were looked at, or NaN, which is not below either
	other -= out->margin * ((double)v->unseen + v->reach);
	gap = other < gap ? other : gap;
	if (!(gap > MIN_GAP)) {
		gap = -1;
	} else {
		gap += out->drift[label];
		gap = (gap < MAX_GAP ? gap : MAX_GAP) * ROUND_DOWN;
	}
	out->label[v->row] = label, out->gap[v->row] = (float)gap;
	return 1;
}

// resolve finds the label of a row that is uncertain, if only few groups may have it: by distances in double
// precision to all of their centers, as nearest computes them. It reports whether it has.
INLINE int G(resolve)(const problem *p, const groups *w, G(visitor) *v, const results *out) {
	enum { AT_ONCE = 8 }; // chains, each of which waits for its last sum
	if (!v->lower || !(v->square < w->constants[LIMIT])) return 0;
	float reach = (float)(G(root)(v->high + 2 * (double)v->best) * (1 + 0x1p-20) * (1 + out->margin));
	int64_t some[FEWEST], count = 0;
	for (int64_t g = 0; g < w->n; g++) {
		if (G(away)(w, v, g) > reach) continue;
		if (count == FEWEST) return 0;
		some[count++] = g;
	}
	const double *x = p->x + v->row * p->s;
	double best = __builtin_inf();
	int32_t label = -1;
	for (int64_t i = 0; i < count * GROUPED; i += AT_ONCE) {
		const int32_t *order = w->order + some[i / GROUPED] * GROUPED + i % GROUPED;
		const double *c[AT_ONCE];
		double d[AT_ONCE] = {0};
		if (order[0] < 0) continue;
		for (int t = 0; t < AT_ONCE; t++) c[t] = w->exact + (order[t] < 0 ? order[0] : order[t]) * p->s;
		for (int64_t l = 0; l < p->s; l++)
			UNROLL for (int t = 0; t < AT_ONCE; t++) {
				double by = x[l] - c[t][l];
				d[t] = __builtin_fma(by, by, d[t]);
			}
		for (int t = 0; t < AT_ONCE && order[t] >= 0; t++)
			if (d[t] < best || (d[t] == best && order[t] < label)) best = d[t], label = order[t];
	}
	if (label < 0) return 0;
	out->label[v->row] = label, out->gap[v->row] = -1;
	return 1;
}

#include "everywhere.h"

// grouped is filter with groups.
TARGET int64_t G(grouped)(const problem *p, const groups *w, const int32_t *rows, int64_t count, const results *out, int all,
                          int32_t *unsure, int64_t *resolved) {
	if (all || !w->lower) return G(everywhere)(p, w, rows, count, out, unsure, resolved);
	G(visitor) visitors[VISITORS], *some[VISITORS];
	int32_t looks[VISITORS];
	int64_t left = 0;
	for (int64_t first = 0; first < count; first += w->room) {
		int64_t n = count - first < w->room ? count - first : w->room, all_looks = 0;
		G(arrive)(p, w, rows + first, n, out, visitors);
		G(at_home)(w, p->s, visitors, n, out->margin);
		for (int64_t i = 0; i < n; i++) all_looks += looks[i] = (int32_t)G(others)(w, visitors + i);
		if (MOST * all_looks > n * w->n) {
			left += G(everywhere)(p, w, rows + first, n, out, unsure + left, resolved);
			continue;
		}
		int32_t *order = w->lists + (n * w->n / MOST + 1); // sorted writes one number more than it keeps
		G(sorted)(w, visitors, looks, n, w->lists, order);
		for (int64_t g = 0, i = 0; g < w->n; g++) {
			int64_t here = 0;
			for (; i < w->heads[g]; i++) {
				G(visitor) *v = visitors + order[i];
				float its = G(away)(w, v, g), unseen = its > v->reach ? its : __builtin_inff();
				some[here] = v, here += !(its > v->reach);
				v->unseen = unseen < v->unseen ? unseen : v->unseen;
			}
			if (here) G(meet)(w, p->s, g, some, here, out->margin);
		}
		for (int64_t i = 0; i < n; i++)
			if (!G(leave)(w, visitors + i, out)) {
				if (G(resolve)(p, w, visitors + i, out)) ++*resolved;
				else unsure[left++] = (int32_t)visitors[i].row;
			}
	}
	return left;
}

#ifndef SHORTS
// pairs writes the distance of a row and a center to each of n places of d.
TARGET void G(pairs)(const double *x, const double *centers, int64_t s, const int32_t *row, const int32_t *center, int64_t n, double *d) {
	enum { AT_ONCE = 8 }; // chains, each of which waits for its last sum
	for (int64_t i = 0; i < n; i += AT_ONCE) {
		const double *a[AT_ONCE], *b[AT_ONCE];
		double sum[AT_ONCE] = {0};
		for (int64_t t = 0; t < AT_ONCE; t++) {
			int64_t at = i + t < n ? i + t : n - 1;
			a[t] = x + row[at] * s, b[t] = centers + center[at] * s;
		}
		for (int64_t l = 0; l < s; l++)
			UNROLL for (int t = 0; t < AT_ONCE; t++) {
				double by = a[t][l] - b[t][l];
				sum[t] = __builtin_fma(by, by, sum[t]);
			}
		for (int64_t t = 0; t < AT_ONCE && i + t < n; t++) d[i + t] = sum[t];
	}
}
#endif
