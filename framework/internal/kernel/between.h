// Where rows lie between centers, in lanes: see Go's Two. tile.h says what the file that
// includes this one defines.

// between has for ROWS rows the two nearest centers so far and the distances to them, and
// the distance to the row's own center. odd is NaN where a distance is not finite.
typedef struct {
	double best[ROWS], label[ROWS], second[ROWS], next[ROWS], own[ROWS], distance[ROWS], odd[ROWS];
} NAME(between);

// begin_between begins with rows that have these centers, −1 for none.
INLINE void NAME(begin_between)(NAME(between) *b, const int32_t *own, int64_t rows) {
	for (int64_t r = 0; r < ROWS; r++) {
		b->best[r] = b->second[r] = __builtin_inf();
		b->label[r] = b->next[r] = -1;
		b->distance[r] = b->odd[r] = 0;
		b->own[r] = r < rows ? own[r] : -1;
	}
}

// enter_between enters the distances to centers j..j+n-1. Of equal distances, the lower
// center stays ahead.
INLINE void NAME(enter_between)(NAME(between) *b, const double *sums, int64_t n, int64_t j) {
	UNROLL for (int v = 0; v < WIDE; v++) {
		int at = v * LANES;
		V best = LOAD(b->best + at), label = LOAD(b->label + at), second = LOAD(b->second + at), next = LOAD(b->next + at);
		V own = LOAD(b->own + at), distance = LOAD(b->distance + at), odd = LOAD(b->odd + at);
		for (int64_t t = 0; t < n; t++) {
			V d = LOAD(sums + t * ROWS + at), number = ALL((double)(j + t));
			M nearest = LESS(d, best), nearer = LESS(d, second);
			next = PICK(nearest, label, PICK(nearer, number, next));
			second = PICK(nearest, best, PICK(nearer, d, second));
			label = PICK(nearest, number, label);
			best = PICK(nearest, d, best);
			distance = PICK(SAME(own, number), d, distance);
			odd = ADD(odd, SUB(d, d));
		}
		STORE(b->best + at, best), STORE(b->label + at, label), STORE(b->second + at, second), STORE(b->next + at, next);
		STORE(b->distance + at, distance), STORE(b->odd + at, odd);
	}
}

// end_between writes what was found of some rows. A row with a distance that is not finite
// gets ODD in place of its second center.
INLINE void NAME(end_between)(const NAME(between) *b, const results *out, int64_t at, int64_t rows) {
	for (int64_t r = 0; r < rows; r++) {
		int free = b->own[r] < 0, nearest = free || b->own[r] == b->label[r];
		if (free) out->own[at + r] = (int32_t)b->label[r];
		out->distance[at + r] = free ? b->best[r] : b->distance[r];
		out->other[at + r] = nearest ? b->second[r] : b->best[r];
		out->next[at + r] = b->odd[r] == 0 ? (int32_t)(nearest ? b->next[r] : b->label[r]) : ODD;
	}
}
