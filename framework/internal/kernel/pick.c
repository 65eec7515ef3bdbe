//go:build cgo && (amd64 || arm64)

#include "kernel.h"

static void pick_one(double *to, const double *row, const int64_t *columns, int64_t s) {
	for (int64_t l = 0; l < s; l++) to[l] = row[columns[l]];
}

#if defined(__x86_64__)

#include <immintrin.h>

#define LANES 8
#define TARGET __attribute__((target("avx512f")))

// some are the columns that are picked from a vector.
typedef struct {
	int64_t from;
	__mmask8 which;
	int number;
} some;

// pick_avx512 is pick, vector by vector, for columns in at most MOST_PICKED vectors. What is written behind the cells of a row belongs
// to later rows, which are written after it. It returns how many rows it has done: the last ones have no such room.
#define MOST_PICKED 64
TARGET static int64_t pick_avx512(double *to, const double *x, int64_t p, int64_t n, const int64_t *columns, int64_t s) {
	some list[MOST_PICKED];
	int64_t vectors = 0;
	for (int64_t l = 0; l < s; l++) {
		int64_t from = columns[l] / LANES * LANES;
		if (from + LANES > p) from = p - LANES;
		if (from < 0) return 0;
		if (!vectors || list[vectors - 1].from + LANES <= columns[l]) {
			if (vectors == MOST_PICKED) return 0;
			list[vectors++] = (some){.from = from};
		}
		list[vectors - 1].which |= (__mmask8)(1u << (columns[l] - list[vectors - 1].from));
		list[vectors - 1].number++;
	}
	int64_t rows = n - (LANES + s - 1) / s;
	for (int64_t i = 0; i < rows; i++, x += p)
		for (int64_t v = 0; v < vectors; v++) {
			_mm512_storeu_pd(to, _mm512_maskz_compress_pd(list[v].which, _mm512_loadu_pd(x + list[v].from)));
			to += list[v].number;
		}
	return rows > 0 ? rows : 0;
}

#else

#define pick_avx512(...) 0

#endif

void pick(int set, double *to, const double *x, int64_t p, int64_t n, const int64_t *columns, int64_t s) {
	int64_t i = set == AVX512 || set == VNNI ? pick_avx512(to, x, p, n, columns, s) : 0;
	for (; i < n; i++) pick_one(to + i * s, x + i * p, columns, s);
}
