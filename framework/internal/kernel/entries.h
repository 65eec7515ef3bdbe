// Rows by their entries: see entries.go.

// row_entries adds the entries from..end-1 of a row to D sums, which are those of
// D centers, side by side in a row of the table.
INLINE void NAME(row_entries)(const int D, double *q, const int32_t *column, const double *offset, int64_t from, int64_t end,
                               const double *table, const double *own, const double *square, int64_t wide) {
	V acc[D / LANES];
	UNROLL for (int v = 0; v < D / LANES; v++) acc[v] = LOAD(square + v * LANES);
	for (int64_t e = from; e < end; e++) {
		const double *center = table + (int64_t)column[e] * wide;
		if (own && offset[e] != offset[e]) {
			center += own - table;
			UNROLL for (int v = 0; v < D / LANES; v++) acc[v] = SUB(acc[v], LOAD(center + v * LANES));
			continue;
		}
		V x = ALL(offset[e]);
		UNROLL for (int v = 0; v < D / LANES; v++) acc[v] = FMA(x, LOAD(center + v * LANES), acc[v]);
	}
	UNROLL for (int v = 0; v < D / LANES; v++) STORE(q + v * LANES, acc[v]);
}

TARGET void NAME(entry_products)(const entries *x, const int32_t *rows, int64_t count, const double *table, const double *own,
                           const double *square, int64_t wide, double *q) {
	for (int64_t t = 0; t < count; t++, q += wide) {
		int64_t from = x->start[rows[t]], end = x->start[rows[t] + 1];
		for (int64_t j = 0; j < wide; j += 32) {
#define DOUBLES(d) \
	case d: NAME(row_entries)(d, q + j, x->column, x->offset, from, end, table + j, own ? own + j : 0, square + j, wide); break;
			switch (wide - j) {
				DOUBLES(8) DOUBLES(16) DOUBLES(24)
			default: NAME(row_entries)(32, q + j, x->column, x->offset, from, end, table + j, own ? own + j : 0, square + j, wide);
			}
#undef DOUBLES
		}
	}
}
