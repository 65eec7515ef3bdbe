// The filter for many centers: of each row it looks only at groups of centers that may
// have the nearest one. See groups.go for what it computes, and for the proof. The file
// that includes this one includes filter.h before, and defines, beside what that needs:
//
//   TOGETHER   rows that are handled together, a multiple of LANES or less
//   F_SUB
//
// The centers of a group are in the lanes, and cells of rows are spread over them, so
// that any few rows can be handled together.

#define GROUPED 16 // centers in a group, as in Go
#define VECTORS (GROUPED / F_LANES)
#define PADDED ((TOGETHER + LANES - 1) / LANES * LANES)
#define VISITORS 256 // rows that are narrowed at a time, at most

// visitor is one row that is looked at.
typedef struct {
	int64_t row;
	const float *x;     // less the origin
	float *lower;       // its bounds, one for each group; NULL: none are kept
	double low, high;   // bounds of the square of its length, less and plus the doubt
	double length, doubt;
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

// meet enters the centers of group g for some rows.
INLINE void NAME(meet)(const groups *w, int64_t s, int64_t g, NAME(visitor) *const *some, int64_t n, double margin) {
	float sums[TOGETHER * GROUPED] __attribute__((aligned(64)));
	double below[PADDED] = {0}, above[PADDED] = {0};
	for (int64_t i = 0; i < n; i += TOGETHER) {
		NAME(visitor) *now[TOGETHER];
		for (int64_t r = 0; r < TOGETHER; r++) now[r] = some[i + r < n ? i + r : n - 1];
		NAME(spread)(now, s, w->centers + g * s * GROUPED, w->half + g * GROUPED, sums);
		float best[TOGETHER], second[TOGETHER];
		for (int64_t r = 0; r < TOGETHER; r++) {
			float first = __builtin_inff(), next = first;
			UNROLL for (int t = 0; t < GROUPED; t++) {
				float d = sums[r * GROUPED + t], more = d < first ? first : d;
				first = d < first ? d : first;
				next = more < next ? more : next;
			}
			best[r] = first, second[r] = next;
			below[r] = now[r]->low + 2 * (double)first, above[r] = now[r]->high + 2 * (double)first;
		}
		V drift = ALL(w->drift[g]), shrink = ALL(1 - 0x1p-22), grow = ALL((1 + margin) * (1 + 0x1p-20)), none = ALL(0);
		UNROLL for (int r = 0; r < PADDED; r += LANES) {
			STORE(below + r, MUL(ADD(SQRT(MAX(LOAD(below + r), none)), drift), shrink));
			STORE(above + r, MUL(SQRT(MAX(LOAD(above + r), none)), grow));
		}
		for (int64_t r = 0; r < TOGETHER && i + r < n; r++) {
			NAME(visitor) *v = now[r];
			if (v->lower) v->lower[g] = (float)below[r];
			if (best[r] < v->best) {
				int64_t t = 0;
				while (t < GROUPED - 1 && sums[r * GROUPED + t] != best[r]) t++;
				v->second = v->best < second[r] ? v->best : second[r];
				v->best = best[r], v->runner = second[r], v->place = g * GROUPED + t;
				v->reach = (float)above[r];
			} else if (best[r] < v->second) {
				v->second = best[r];
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
		double high = norm * (1 + k[SPAN]) + k[TINY];
		v->length = NAME(root)(high) * (1 + 0x1p-20);
		double reach = v->length + k[LENGTH];
		v->doubt = v->length * k[PER_LENGTH] + reach * reach * k[PER_SQUARE] + k[FIXED];
		v->low = norm * (1 - k[SPAN]) - k[TINY] - v->doubt, v->high = high + v->doubt;
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
	int within = v->length < w->constants[LIMIT];
	double lead = (double)v->second - v->best;
	int certain = within && lead > v->doubt;
	int64_t its = v->place / GROUPED;
	if (v->lower) {
		if (v->own >= 0) v->lower[v->own] = v->at_own;
		if (certain) v->lower[its] = (float)((NAME(root)(v->low + 2 * (double)v->runner) + w->drift[its]) * (1 - 0x1p-22));
		if (!within)
			for (int64_t g = 0; g < w->n; g++) v->lower[g] = 0; // which says nothing
	}
	if (!certain) return 0;
	int32_t label = w->order[v->place];
	double nearest = NAME(root)(v->high + 2 * (double)v->best), gap = MAX_GAP;
	if (lead < MAX_GAP) {
		double sum = (nearest + NAME(root)(v->high + 2 * (double)v->second)) * (1 + 0x1p-20);
		gap = 2 * (lead - v->doubt) / sum * (1 - 0x1p-20) - out->margin * sum;
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

#undef GROUPED
#undef VECTORS
#undef PADDED
#undef VISITORS
#undef F_LANES
#undef F_ROWS
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
