// Rows by their entries: see entries.go.

#define AWAY 8 // entries

// row_entries adds the entries from..end-1 of a row to D sums, which are those of
// D centers, side by side in a row of the table, and returns the weighted sum of their squares. Of a large table, it fetches the rows
// of the entries that come AWAY later.
INLINE double NAME(row_entries)(const int D, const int large, double *q, const int32_t *column, const double *offset, int64_t from, int64_t end, int64_t last,
                               const double *table, const double *own, const double *square, const double *weights, int64_t wide) {
	double norm = 0;
	V acc[D / LANES];
	UNROLL for (int v = 0; v < D / LANES; v++) acc[v] = LOAD(square + v * LANES);
	for (int64_t e = from; e < end; e++) {
		const double *center = table + (int64_t)column[e] * wide;
		if (large) {
			const double *next = table + (int64_t)column[e + AWAY < last ? e + AWAY : e] * wide;
			UNROLL for (int v = 0; v < D; v += 8) __builtin_prefetch(next + v);
		}
		if (own && offset[e] != offset[e]) {
			center += own - table;
			UNROLL for (int v = 0; v < D / LANES; v++) acc[v] = SUB(acc[v], LOAD(center + v * LANES));
			continue;
		}
		norm = __builtin_fma(weights ? weights[column[e]] * offset[e] : offset[e], offset[e], norm);
		V x = ALL(offset[e]);
		UNROLL for (int v = 0; v < D / LANES; v++) acc[v] = FMA(x, LOAD(center + v * LANES), acc[v]);
	}
	UNROLL for (int v = 0; v < D / LANES; v++) STORE(q + v * LANES, acc[v]);
	return norm;
}

TARGET void NAME(entry_products)(const entries *x, const int32_t *rows, int64_t count, const double *table, const double *own,
                           const double *square, const double *weights, int64_t wide, int large, double *q, double *norm) {
	int64_t last = count ? x->start[rows[count - 1] + 1] : 0;
	for (int64_t t = 0; t < count; t++, q += wide) {
		int64_t from = x->start[rows[t]], end = x->start[rows[t] + 1];
		for (int64_t j = 0; j < wide; j += 32) {
#define DOUBLES(d) \
	case d: \
		if (large) norm[t] = NAME(row_entries)(d, 1, q + j, x->column, x->offset, from, end, last, table + j, own ? own + j : 0, square + j, weights, wide); \
		else norm[t] = NAME(row_entries)(d, 0, q + j, x->column, x->offset, from, end, last, table + j, own ? own + j : 0, square + j, weights, wide); \
		break;
			switch (wide - j) {
				DOUBLES(8) DOUBLES(16) DOUBLES(24)
			default:
				switch (32) { DOUBLES(32) }
			}
#undef DOUBLES
		}
	}
}
