// The filter: nearest centers by products in single precision, for all instruction
// sets. It finds most labels, and knows of which it is certain that nearest would
// find the same: see filter.go for what it computes, and for the proof. The file
// that includes this one defines, beside what tile.h needs:
//
//   F_LOAD, F_STORE, F_ALL, F_ADD, F_SUB, F_MUL, F_FMA, F_SQRT, F_LESS, F_PICK, F_MIN, F_MAX
//   F_M, F_BOTH, F_BITS  the type of what F_LESS returns, both of two, and a bit for each lane
//   F_SUM                the sum of all lanes
//   F_INTS, F_NUMBERS    a store of whole numbers as int32_t, and a load
//   F_DIFFER             a bit for each lane of int32_t in which two vectors in memory differ
//   F_TABLE              the numbers with the given numbers in a table, which has room for 32
//   F_ROOT, F_RATIO      roots and ratios, to within a share of less than F_ROUGH
//
// Rows are in the lanes again, twice as many. A distance is a sum over chunks of
// PANEL features, each of them one chain.

#define STARTS 256 // tiles of which the first center is kept
#define FEW 4    // features, after which lines are fetched
#define CHAINS 4 // sums of squares at a time
#define KEPT 512 // features of F_ROWS rows that are narrowed at a time, for more than GROUP centers

// eight writes features from..from+n-1 of 8 rows to the panel.
#ifndef OWN_EIGHT
INLINE void NAME(eight)(const int halved, float *panel, const char *const *row, int64_t from, int64_t n) {
	for (int64_t l = 0; l < n; l++)
		for (int r = 0; r < 8; r++)
			panel[l * F_ROWS + r] = halved ? F_CELL((const uint16_t *)row[r] + from + l) : ((const float *)row[r])[from + l];
}
#endif

// narrow writes features from..from+n-1 of F_ROWS rows, less the origin and by the scale,
// to the panel, and adds their squares to norm. The rows are of doubles, or of a copy.
INLINE void NAME(narrow)(float *panel, const char *const *row, int64_t size, const double *origin, double scale, int64_t from, int64_t n,
                         float *norm) {
	double wide[PANEL * ROWS] __attribute__((aligned(64)));
	for (int64_t at = 0; at < n; at += PANEL) {
		int64_t features = n - at < PANEL ? n - at : PANEL;
		float *to = panel + at * F_ROWS;
		for (int r = 0; size == SINGLE && r < F_ROWS; r += 8) NAME(eight)(0, to + r, row + r, from + at, features);
		for (int r = 0; size == HALF && r < F_ROWS; r += 8) NAME(eight)(1, to + r, row + r, from + at, features);
		for (int g = 0; size == DOUBLE && g < 2; g++) {
			NAME(transpose)(wide, (const double *const *)row + g * ROWS, from + at, features);
			for (int64_t l = 0; l < features; l++) {
				V o = ALL(origin[from + at + l]);
				UNROLL for (int v = 0; v < WIDE; v++)
					FLOATS(to + l * F_ROWS + g * ROWS + v * LANES, MUL(SUB(LOAD(wide + l * ROWS + v * LANES), o), ALL(scale)));
			}
		}
		if (!norm) continue;
		F square[CHAINS][WIDE];
		UNROLL for (int c = 0; c < CHAINS; c++)
			UNROLL for (int v = 0; v < WIDE; v++) square[c][v] = F_ALL(0);
		for (int64_t l = features; l < (features + CHAINS - 1) / CHAINS * CHAINS; l++)
			UNROLL for (int v = 0; v < WIDE; v++) F_STORE(to + l * F_ROWS + v * F_LANES, F_ALL(0));
		for (int64_t l = 0; l < features; l += CHAINS)
			UNROLL for (int c = 0; c < CHAINS; c++)
				UNROLL for (int v = 0; v < WIDE; v++) {
					F x = F_LOAD(to + (l + c) * F_ROWS + v * F_LANES);
					square[c][v] = F_FMA(x, x, square[c][v]);
				}
		UNROLL for (int v = 0; v < WIDE; v++) {
			F sum = F_ADD(F_ADD(square[0][v], square[1][v]), F_ADD(square[2][v], square[3][v]));
			F_STORE(norm + v * F_LANES, F_ADD(F_LOAD(norm + v * F_LANES), sum));
		}
	}
}

// near has for F_ROWS rows the two smallest sums so far, and the number of the center
// of the smallest.
typedef struct {
	float best[F_ROWS], second[F_ROWS], label[F_ROWS];
} NAME(near);

// choose enters the sums of centers j..j+T-1. With first set there were none before, and f is
// not read: a sum that is not a number makes its row uncertain then.
INLINE void NAME(choose)(const int T, const int first, F (*sum)[WIDE], int64_t j, NAME(near) *f) {
	UNROLL for (int v = 0; v < WIDE; v++) {
		F best = sum[0][v], second = F_ALL(__builtin_inff()), label = F_ALL((float)j);
		if (!first) best = F_LOAD(f->best + v * F_LANES), second = F_LOAD(f->second + v * F_LANES), label = F_LOAD(f->label + v * F_LANES);
		UNROLL for (int t = first; t < T; t++) {
			F d = sum[t][v];
			label = F_PICK(F_LESS(d, best), F_ALL((float)(j + t)), label);
			second = F_MIN(F_MAX(best, d), second);
			best = F_MIN(d, best);
		}
		F_STORE(f->best + v * F_LANES, best);
		F_STORE(f->second + v * F_LANES, second);
		F_STORE(f->label + v * F_LANES, label);
	}
}

// products handles some features of F_ROWS rows and a tile of T centers. waiting has
// the sums of earlier features, if there were any, and gets the new ones if more follow.
// Meanwhile it fetches what comes next.
INLINE void NAME(products)(const int T, const float *panel, int64_t n, const float *centers, const float *half, float *waiting,
                           int first, int last, int64_t j, NAME(near) *f, NAME(ahead) *coming) {
	NAME(ahead) next = *coming;
	F sum[TILE][WIDE];
	UNROLL for (int t = 0; t < T; t++)
		UNROLL for (int v = 0; v < WIDE; v++) sum[t][v] = first ? F_ALL(half[j + t]) : F_LOAD(waiting + t * F_ROWS + v * F_LANES);
	for (int64_t at = 0; at < n; at += PANEL) {
		int64_t end = n - at < PANEL ? n : at + PANEL;
		F acc[TILE][WIDE];
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) acc[t][v] = F_ALL(0);
		for (int64_t l = at; l < end;) {
			for (int64_t some = end - l < FEW ? end : l + FEW; l < some; l++) {
				F x[WIDE];
				UNROLL for (int v = 0; v < WIDE; v++) x[v] = F_LOAD(panel + l * F_ROWS + v * F_LANES);
				UNROLL for (int t = 0; t < T; t++) {
					F c = F_ALL(centers[l * T + t]);
					UNROLL for (int v = 0; v < WIDE; v++) acc[t][v] = F_FMA(x[v], c, acc[t][v]);
				}
			}
			UNROLL for (int i = 0; i < 2; i++) NAME(fetch)(&next);
		}
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) sum[t][v] = F_ADD(sum[t][v], acc[t][v]);
	}
	*coming = next;
	if (!last) {
		UNROLL for (int t = 0; t < T; t++)
			UNROLL for (int v = 0; v < WIDE; v++) F_STORE(waiting + t * F_ROWS + v * F_LANES, sum[t][v]);
		return;
	}
	NAME(choose)(T, 0, sum, j, f);
}

#undef CASE
#define CASE(T, ...) \
	case T: NAME(products)(T, panel, n, centers, half, waiting, first, last, j, f, coming); return;

TARGET static void NAME(some_products)(int64_t T, const float *panel, int64_t n, const float *centers, const float *half, float *waiting,
                                       int first, int last, int64_t j, NAME(near) *f, NAME(ahead) *coming) {
	switch (T) { WIDTHS() }
}

// above returns an upper bound of roots of what is not below 0 but for rounding.
INLINE F NAME(above)(F a) {
	F safe = F_MAX(a, F_ALL(0x1p-120f));
	return F_MUL(F_ROOT(safe), F_ALL(1 + F_ROUGH));
}

// What the copy of rows has lost: nothing that counts, cells of half precision, or in whole numbers so much of each row.
enum { NOTHING, HALVED, BY_ROW };

// judge finds out which of F_LANES rows from r on are certain, and their labels and gaps.
INLINE F_M NAME(judge)(const int lost, const filter *w, int64_t centers, const NAME(near) *f, const float *norm, const results *out, int r,
                       int32_t *label, float *gap) {
	const float up = 1 + 0x1p-20f, down = 1 - 0x1p-20f;
	F best = F_LOAD(f->best + r), second = F_LOAD(f->second + r), number = F_LOAD(f->label + r), square = F_LOAD(norm + r), its;
	F_INTS(label + r, number);
	if (out->up) {
		its = F_TABLE(out->up, centers, number);
	} else {
		float drift[F_LANES];
		for (int t = 0; t < F_LANES; t++) drift[t] = (float)out->drift[label[r + t]];
		its = F_LOAD(drift);
	}
	F lead = F_MUL(F_SUB(second, best), F_ALL(down));
	F doubt = F_FMA(square, F_ALL(w->slope), F_ALL(w->doubt));
	F two = F_ALL(2), off = F_ALL(0), turned = off, more = off;
	if (lost == HALVED) { // twice what distances may be off by, and what leads may be
		off = F_FMA(NAME(above)(square), F_ALL(w->share), F_ALL(w->rest));
		turned = F_MUL(off, F_TABLE(w->reach, centers, number)), off = F_MUL(off, F_ALL(w->twice));
		doubt = F_MUL(doubt, F_ALL(up)), turned = F_MUL(turned, F_ALL(up));
	}
	if (lost == BY_ROW) {
		more = F_FMA(NAME(above)(square), F_ALL(w->rest), F_MUL(F_LOAD(w->lost + r), F_ALL(w->twice)));
		doubt = F_MUL(F_ADD(doubt, more), F_ALL(up));
	}
	// Upper bounds of the distances to both centers, and what they differ by.
	F base = F_FMA(square, F_ALL(w->above_slope), F_ALL(w->above));
	if (lost == BY_ROW) base = F_MUL(F_ADD(base, more), F_ALL(up));
	F sum = F_ADD(NAME(above)(F_FMA(two, best, base)), NAME(above)(F_FMA(two, second, base)));
	if (lost == HALVED) doubt = F_ADD(doubt, F_MIN(turned, F_MUL(F_MUL(off, F_ALL(up / 2)), sum)));
	sum = F_MUL(F_ADD(sum, off), F_ALL(up));
	F g = F_MUL(F_RATIO(F_SUB(lead, doubt), sum), F_ALL(2 * (down - F_ROUGH)));
	g = F_SUB(g, F_MUL(F_ALL(out->part), sum));
	F later = F_MUL(F_MIN(F_ADD(g, its), F_ALL((float)MAX_GAP)), F_ALL(down));
	F_STORE(gap + r, F_PICK(F_LESS(F_ALL((float)MIN_GAP), g), later, F_ALL(-1)));
	return F_BOTH(F_LESS(doubt, lead), F_LESS(square, F_ALL(w->limit)));
}

// decide is judge for F_ROWS rows. It returns a bit for each that is certain.
INLINE uint32_t NAME(decide)(const int lost, const filter *w, int64_t centers, const NAME(near) *f, const float *norm, const results *out,
                             int32_t *label, float *gap) {
	uint32_t certain = 0;
	UNROLL for (int r = 0; r < F_ROWS; r += F_LANES)
		certain |= (uint32_t)F_BITS(NAME(judge)(lost, w, centers, f, norm, out, r, label, gap)) << r;
	return certain;
}

// settle writes labels and gaps of rows i..i+F_ROWS-1 of those that are certain, and the
// numbers of the others. It returns how many those are.
INLINE int64_t NAME(settle)(const int lost, const filter *w, int64_t centers, const NAME(near) *f, const float *norm,
                            const int32_t *rows, int64_t i, int64_t count, const results *out, int32_t *unsure) {
	float gap[F_ROWS];
	int32_t label[F_ROWS];
	int64_t left = 0;
	uint32_t certain = NAME(decide)(lost, w, centers, f, norm, out, label, gap);
	for (int64_t r = 0; r < F_ROWS && i + r < count; r++) {
		int64_t at = rows ? rows[i + r] : i + r;
		unsure[left] = (int32_t)at;
		left += !(certain >> r & 1);
		if (!(certain >> r & 1)) continue;
		out->label[at] = label[r];
		out->gap[at] = gap[r];
	}
	return left;
}

// filter writes labels and gaps of the numbered rows that are certain, or of all n if
// rows is NULL, and the numbers of the others to unsure. It returns how many those are.
TARGET int64_t NAME(filter)(const problem *p, const filter *w, const int32_t *rows, int64_t count, const results *out, int32_t *unsure) {
	float panel[KEPT * F_ROWS] __attribute__((aligned(64)));
	float waiting[GROUP * F_ROWS] __attribute__((aligned(64)));
	int64_t s = p->s, k = p->k, left = 0;
	int64_t tiles = (k + TILE - 1) / TILE;
	int64_t at_once = s <= KEPT && k > GROUP ? tiles : GROUP / TILE;
	int64_t kept = k > GROUP ? KEPT : PANEL;
	int64_t size = p->narrow ? p->size : DOUBLE;
	const char *x = p->narrow ? (const char *)p->narrow : (const char *)p->x;
	const char *row[2][F_ROWS]; // the present ones, and those that follow
	int32_t begin[STARTS + 1];  // of tiles; divisions take long
	for (int64_t t = 0; t <= tiles && t <= STARTS; t++) begin[t] = (int32_t)(t * k / tiles);
	for (int64_t i = -F_ROWS; i < count; i += F_ROWS) {
		const char **now = row[i / F_ROWS & 1], **then = row[(i / F_ROWS + 1) & 1];
		for (int64_t r = 0; r < F_ROWS; r++) {
			int64_t n = i + F_ROWS + r < count ? i + F_ROWS + r : count - 1;
			then[r] = x + (rows ? rows[n] : n) * s * size;
		}
		if (i < 0) continue;
		NAME(near) f;
		float norm[F_ROWS];
		for (int r = 0; r < F_ROWS; r++) f.best[r] = f.second[r] = __builtin_inff(), f.label[r] = norm[r] = 0;
		NAME(ahead) next = {then, 0, (s < PANEL ? s : PANEL) * size, 0, F_ROWS, 0, 0};
		for (int64_t group = 0; group < tiles; group += at_once) {
			int64_t end = group + at_once < tiles ? group + at_once : tiles;
			for (int64_t from = 0; from < s; from += kept) {
				int64_t features = s - from < kept ? s - from : kept, rest = s - from - features;
				NAME(narrow)(panel, now, size, w->origin, w->scale, from, features, group ? 0 : norm);
				NAME(ahead) same = {now, (from + features) * size, (rest < PANEL ? rest : PANEL) * size, 0, F_ROWS, 0, 0};
				NAME(ahead) *coming = rest > 0 ? &same : &next;
				for (int64_t t = group; t < end; t++) {
					int64_t j = t < STARTS ? begin[t] : t * k / tiles, width = (t < STARTS ? begin[t + 1] : (t + 1) * k / tiles) - j;
					NAME(some_products)(width, panel, features, w->centers + j * s + from * width, w->half,
					                    features == s ? 0 : waiting + (t - group) * TILE * F_ROWS, from == 0, rest == 0, j, &f, coming);
				}
			}
		}
		left += w->reach ? NAME(settle)(HALVED, w, k, &f, norm, rows, i, count, out, unsure + left)
		                 : NAME(settle)(NOTHING, w, k, &f, norm, rows, i, count, out, unsure + left);
	}
	return left;
}
