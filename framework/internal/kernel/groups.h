// The filter for many centers: of each row it looks only at groups of centers that may
// have the nearest one. See groups.go for what it computes, and for the proof. The file
// that includes this one includes filter.h before, and defines, beside what that needs,
//
//   TOGETHER   rows that are handled together
//
// The centers of a group are in the lanes, and cells of rows are spread over them, so
// that any few rows can be handled together.

#define GROUPED 16 // centers in a group, as in Go
#define VECTORS (GROUPED / F_LANES)
#define EACH (F_LANES > 8 ? F_LANES : 8)
#define PADDED ((TOGETHER + EACH - 1) / EACH * EACH)
#define VISITORS 256 // rows that are narrowed at a time, at most

// visitor is one row that is looked at.
typedef struct {
	int64_t row;
	const float *x;     // less the origin
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
} NAME(visitor);

INLINE double NAME(root)(double a) {
	double all[LANES];
	STORE(all, SQRT(ALL(a > 0 ? a : 0)));
	return all[0];
}

// spread writes the sums of TOGETHER rows and the centers of a group.
INLINE void NAME(spread)(NAME(visitor) *const *now, int64_t s, const float *centers, const float *half, float *sums) {
	const float *x[TOGETHER];
	UNROLL for (int r = 0; r < TOGETHER; r++) {
		x[r] = now[r]->x;
		UNROLL for (int v = 0; v < VECTORS; v++) F_STORE(sums + r * GROUPED + v * F_LANES, F_LOAD(half + v * F_LANES));
	}
	for (int64_t at = 0; at < s; at += PANEL) {
		int64_t end = s - at < PANEL ? s : at + PANEL;
		F acc[TOGETHER][VECTORS];
		UNROLL for (int r = 0; r < TOGETHER; r++)
			UNROLL for (int v = 0; v < VECTORS; v++) acc[r][v] = F_ALL(0);
		for (int64_t l = at; l < end; l++) {
			F c[VECTORS];
			UNROLL for (int v = 0; v < VECTORS; v++) c[v] = F_LOAD(centers + l * GROUPED + v * F_LANES);
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

// first_two writes the least and the second least of the sums of rows.
INLINE void NAME(first_two)(const float *sums, float *first, float *second) {
	const float *row[PADDED];
	float turned[GROUPED * F_ROWS] __attribute__((aligned(64)));
	for (int r = 0; r < PADDED; r++) row[r] = sums + (r < TOGETHER ? r : 0) * GROUPED;
	for (int r = 0; r < PADDED; r += 8) NAME(eight)(turned + r, row + r, 0, GROUPED);
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

// meet enters the centers of group g for some rows.
INLINE void NAME(meet)(const groups *w, int64_t s, int64_t g, NAME(visitor) *const *some, int64_t n, double margin) {
	float sums[TOGETHER * GROUPED] __attribute__((aligned(64)));
	float first[PADDED], second[PADDED], low[PADDED] = {0}, high[PADDED] = {0}, below[PADDED], above[PADDED];
	F drift = F_ALL((float)(w->drift[g] * (1 - 0x1p-22))), none = F_ALL(0), two = F_ALL(2);
	F shrink = F_ALL(1 - 0x1p-21f), grow = F_ALL((float)(1 + margin) * (1 + 0x1p-20f));
	for (int64_t i = 0; i < n; i += TOGETHER) {
		NAME(visitor) *now[TOGETHER];
		for (int64_t r = 0; r < TOGETHER; r++) {
			now[r] = some[i + r < n ? i + r : n - 1];
			low[r] = now[r]->low, high[r] = now[r]->high;
		}
		NAME(spread)(now, s, w->centers + g * s * GROUPED, w->half + g * GROUPED, sums);
		NAME(first_two)(sums, first, second);
		UNROLL for (int r = 0; r < PADDED; r += F_LANES) {
			F least = F_LOAD(first + r);
			F_STORE(below + r, F_MUL(F_ADD(F_SQRT(F_MAX(F_FMA(two, least, F_LOAD(low + r)), none)), drift), shrink));
			F_STORE(above + r, F_MUL(F_SQRT(F_MAX(F_FMA(two, least, F_LOAD(high + r)), none)), grow));
		}
		for (int64_t r = 0; r < TOGETHER && i + r < n; r++) {
			NAME(visitor) *v = now[r];
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

// arrive makes visitors of n rows: it narrows them to x, and bounds their lengths.
INLINE void NAME(arrive)(const problem *p, const groups *w, const int32_t *rows, int64_t n, const results *out, int all, float *x,
                         NAME(visitor) *visitors) {
	int64_t s = p->s;
	const double *k = w->constants;
	for (int64_t i = 0; i < n; i++, x += s) {
		NAME(visitor) *v = visitors + i;
		if (p->narrow) x = (float *)p->narrow + rows[i] * s; // and nothing is written
		else NAME(narrow_rows)(x, p->x + rows[i] * s, w->origin, 1, s);
		float norm = 0;
		for (int64_t at = 0; at < s; at += PANEL) {
			int64_t end = s - at < PANEL ? s : at + PANEL;
			F square = F_ALL(0);
			int64_t l = at;
			for (; l + F_LANES <= end; l += F_LANES) square = F_FMA(F_LOAD(x + l), F_LOAD(x + l), square);
			float lane[F_LANES], sum = 0;
			F_STORE(lane, square);
			for (int t = 0; t < F_LANES; t++) sum += lane[t];
			for (; l < end; l++) sum += x[l] * x[l];
			norm += sum;
		}
		v->square = norm;
		v->low = (float)(norm * k[BELOW_SLOPE] + k[BELOW]), v->high = (float)(norm * k[ABOVE_SLOPE] + k[ABOVE]);
		v->row = rows[i], v->x = x, v->place = 0;
		v->lower = w->lower ? w->lower + rows[i] * w->n : 0;
		v->best = v->second = v->runner = v->unseen = v->reach = __builtin_inff();
		v->own = all || !v->lower ? -1 : w->of[out->label[rows[i]]];
	}
}

// at_home looks at the group of each row's label.
INLINE void NAME(at_home)(const groups *w, int64_t s, NAME(visitor) *visitors, int64_t n, double margin) {
	int32_t next[VISITORS];
	NAME(visitor) *some[VISITORS];
	for (int64_t g = 0; g < w->n; g++) w->heads[g] = -1;
	for (int64_t i = n - 1; i >= 0; i--) {
		int32_t *head = w->heads + visitors[i].own;
		next[i] = *head, *head = (int32_t)i;
	}
	for (int64_t g = 0; g < w->n; g++) {
		int64_t m = 0;
		for (int32_t i = w->heads[g]; i >= 0; i = next[i]) some[m++] = visitors + i;
		if (m) NAME(meet)(w, s, g, some, m, margin);
	}
	for (int64_t i = 0; i < n; i++) {
		float *own = visitors[i].lower + visitors[i].own;
		visitors[i].at_own = *own, *own = __builtin_inff();
	}
}

// nothing_near reports whether no other group has a center that may be nearer, and
// sets unseen then.
INLINE int NAME(nothing_near)(const groups *w, NAME(visitor) *v) {
	F least = F_ALL(__builtin_inff());
	int64_t g = 0;
	for (; g + F_LANES <= w->n; g += F_LANES) least = F_MIN(F_SUB(F_LOAD(v->lower + g), F_LOAD(w->reach + g)), least);
	float lane[F_LANES], low = __builtin_inff();
	F_STORE(lane, least);
	for (int t = 0; t < F_LANES; t++) low = lane[t] < low ? lane[t] : low;
	for (; g < w->n; g++) {
		float its = v->lower[g] - w->reach[g];
		low = its < low ? its : low;
	}
	v->unseen = low;
	return low > v->reach;
}

// leave writes label and gap of a row, and its bounds where they are not yet what they
// shall be. It reports whether the label is certain.
INLINE int NAME(leave)(const groups *w, NAME(visitor) *v, const results *out) {
	const double *k = w->constants;
	int within = v->square < k[LIMIT];
	double lead = (double)v->second - v->best, doubt = v->square * k[DOUBT_SLOPE] + k[DOUBT];
	int certain = within && lead > doubt;
	int64_t its = v->place / GROUPED;
	if (v->lower) {
		if (v->own >= 0) v->lower[v->own] = v->at_own;
		if (certain) v->lower[its] = (float)((NAME(root)(v->low + 2 * (double)v->runner) + w->drift[its]) * (1 - 0x1p-21));
		if (!within)
			for (int64_t g = 0; g < w->n; g++) v->lower[g] = 0; // which says nothing
	}
	if (!certain) return 0;
	int32_t label = w->order[v->place];
	double gap = MAX_GAP;
	if (lead < MAX_GAP) {
		double sum = (NAME(root)(v->high + 2 * (double)v->best) + NAME(root)(v->high + 2 * (double)v->second)) * (1 + 0x1p-20);
		gap = 2 * (lead - doubt) / sum * (1 - 0x1p-20) - out->margin * sum;
	}
	double other = v->unseen * (1 - 0x1p-20) - v->reach;
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

// grouped is filter with groups.
TARGET int64_t NAME(grouped)(const problem *p, const groups *w, const int32_t *rows, int64_t count, const results *out, int all,
                             int32_t *unsure) {
	NAME(visitor) visitors[VISITORS], *near[VISITORS], *some[VISITORS];
	int64_t left = 0;
	for (int64_t first = 0; first < count; first += w->room) {
		int64_t n = count - first < w->room ? count - first : w->room, m = 0;
		NAME(arrive)(p, w, rows + first, n, out, all, w->scratch, visitors);
		int anywhere = all || !w->lower;
		if (!anywhere) NAME(at_home)(w, p->s, visitors, n, out->margin);
		for (int64_t i = 0; i < n; i++)
			if (anywhere || !NAME(nothing_near)(w, visitors + i)) near[m++] = visitors + i, visitors[i].unseen = __builtin_inff();
		for (int64_t g = 0; m && g < w->n; g++) {
			int64_t here = 0;
			for (int64_t i = 0; i < m; i++) {
				NAME(visitor) *v = near[i];
				float its = anywhere ? -1 : v->lower[g] - w->reach[g];
				int look = !(its > v->reach);
				some[here] = v, here += look;
				if (!look && its < v->unseen) v->unseen = its;
			}
			if (here) NAME(meet)(w, p->s, g, some, here, out->margin);
		}
		for (int64_t i = 0; i < n; i++)
			if (!NAME(leave)(w, visitors + i, out)) unsure[left++] = (int32_t)visitors[i].row;
	}
	return left;
}

// candidates writes to list (rows × CANDIDATES) the centers of which two may be nearest
// to each row, and −1 behind the last; or −2 if there are more, or nothing is certain.
// sums has room for w->room rows.
TARGET void NAME(candidates)(const problem *p, const groups *w, float *sums, int32_t *list) {
	NAME(visitor) visitors[VISITORS], *all[VISITORS];
	float tile[TOGETHER * GROUPED] __attribute__((aligned(64)));
	int32_t rows[VISITORS];
	int64_t width = w->n * GROUPED;
	for (int64_t first = 0; first < p->n; first += w->room) {
		int64_t n = p->n - first < w->room ? p->n - first : w->room;
		for (int64_t i = 0; i < n; i++) rows[i] = (int32_t)(first + i), all[i] = visitors + i;
		NAME(arrive)(p, w, rows, n, 0, 1, w->scratch, visitors);
		for (int64_t g = 0; g < w->n; g++)
			for (int64_t i = 0; i < n; i += TOGETHER) {
				NAME(visitor) *now[TOGETHER];
				for (int64_t r = 0; r < TOGETHER; r++) now[r] = all[i + r < n ? i + r : n - 1];
				NAME(spread)(now, p->s, w->centers + g * p->s * GROUPED, w->half + g * GROUPED, tile);
				for (int64_t r = 0; r < TOGETHER && i + r < n; r++)
					memcpy(sums + (i + r) * width + g * GROUPED, tile + r * GROUPED, GROUPED * sizeof(float));
			}
		for (int64_t i = 0; i < n; i++, list += CANDIDATES) {
			const float *its = sums + i * width;
			F one = F_ALL(__builtin_inff()), two = one;
			for (int64_t j = 0; j < width; j += F_LANES) {
				F sum = F_LOAD(its + j);
				two = F_MIN(F_MAX(one, sum), two);
				one = F_MIN(sum, one);
			}
			float lane[2 * F_LANES], best = __builtin_inff(), second = best;
			F_STORE(lane, one), F_STORE(lane + F_LANES, two);
			for (int t = 0; t < 2 * F_LANES; t++) {
				float more = lane[t] < best ? best : lane[t];
				best = lane[t] < best ? lane[t] : best;
				second = more < second ? more : second;
			}
			double most = second + (visitors[i].square * w->constants[DOUBT_SLOPE] + w->constants[DOUBT]);
			int64_t found = 0;
			for (int64_t j = 0; j < width && found <= CANDIDATES; j += GROUPED) {
				int any = 0;
				for (int t = 0; t < GROUPED; t++) any |= its[j + t] <= most;
				for (int t = 0; any && t < GROUPED && found <= CANDIDATES; t++)
					if (its[j + t] <= most && found++ < CANDIDATES) list[found - 1] = w->order[j + t];
			}
			if (found < 2 || found > CANDIDATES || !(visitors[i].square < w->constants[LIMIT])) list[0] = -2;
			else if (found < CANDIDATES) list[found] = -1;
		}
	}
}

// pairs writes the distance of a row and a center to each of n places of d.
TARGET void NAME(pairs)(const double *x, const double *centers, int64_t s, const int32_t *row, const int32_t *center, int64_t n, double *d) {
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

#undef GROUPED
#undef VECTORS
#undef EACH
#undef PADDED
#undef VISITORS
#undef F_LANES
#undef F_ROWS
#undef STARTS
#undef FEW
#undef CHAINS
#undef KEPT
#undef ROWS
#undef PANEL
#undef SHORT
#undef GROUP
#undef FETCH
#undef AHEAD
#undef UNROLL
#undef INLINE
#undef TILES
#undef CASE
