// Copies of rows: in single precision, or in half precision where memory is what a
// filter waits for. See filter.go for what they are less, and half.go for the proof. The
// file that includes this one defines
//
//   F             the type of a vector of floats, 2·LANES of them
//   F_OF          a vector of floats from two of doubles
//   F_WIDEN       a vector from memory in half precision
//   F_HALVE       a store in half precision, rounded to the nearest
//   F_CELL        a float from one in half precision
//
// beside what filter.h needs.

#define F_LANES (2 * LANES)
#define F_ROWS (F_LANES * WIDE)

// narrow_rows is narrow of kernel.h.
TARGET void NAME(narrow_rows)(float *copy, const double *x, const double *origin, double scale, int64_t n, int64_t s) {
	V by = ALL(scale);
	for (int64_t i = 0; i < n; i++, x += s, copy += s) {
		int64_t l = 0;
		for (; l + LANES <= s; l += LANES) FLOATS(copy + l, MUL(SUB(LOAD(x + l), LOAD(origin + l)), by));
		for (; l < s; l++) copy[l] = (float)((x[l] - origin[l]) * scale);
	}
}

// halve_cells writes F_LANES cells in half precision, and adds the squares of what they
// have lost and of what they are now.
INLINE void NAME(halve_cells)(uint16_t *copy, F x, F *lost, F *square) {
	F_HALVE(copy, x);
	F now = F_WIDEN(copy), off = F_SUB(x, now);
	*lost = F_FMA(off, off, *lost), *square = F_FMA(now, now, *square);
}

// larger returns the shares of the lengths of rows that are lost beside the rest, and those of
// before where they are larger, or a cell is infinite.
INLINE F NAME(larger)(F share, F lost, F square, float rest) {
	F none = F_ALL(0), off = F_SUB(F_SQRT(lost), F_ALL(rest));
	return F_MAX(F_PICK(F_LESS(none, off), F_DIV(off, F_SQRT(square)), none), share);
}

INLINE float NAME(largest)(F a) {
	float all[F_LANES], most = 0;
	F_STORE(all, a);
	for (int r = 0; r < F_LANES; r++) most = all[r] > most ? all[r] : most;
	return most;
}

// halve_rows is halve of kernel.h.
TARGET float NAME(halve_rows)(uint16_t *copy, const double *x, const double *origin, double scale, float rest, int64_t n, int64_t s) {
	V by = ALL(scale);
	F share = F_ALL(0);
	for (int64_t i = 0; i < n; i++, x += s, copy += s) {
		F lost = F_ALL(0), square = lost;
		int64_t l = 0;
		for (; l + F_LANES <= s; l += F_LANES) {
			V a = MUL(SUB(LOAD(x + l), LOAD(origin + l)), by), b = MUL(SUB(LOAD(x + l + LANES), LOAD(origin + l + LANES)), by);
			NAME(halve_cells)(copy + l, F_OF(a, b), &lost, &square);
		}
		if (l < s) {
			float cells[F_LANES] = {0};
			uint16_t halves[F_LANES];
			for (int64_t t = l; t < s; t++) cells[t - l] = (float)((x[t] - origin[t]) * scale);
			NAME(halve_cells)(halves, F_LOAD(cells), &lost, &square);
			memcpy(copy + l, halves, (size_t)(s - l) * sizeof *halves);
		}
		share = NAME(larger)(share, F_ALL(F_SUM(lost)), F_ALL(F_SUM(square)), rest);
	}
	return NAME(largest)(share);
}
