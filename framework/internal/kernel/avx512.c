//go:build cgo && amd64

#include <immintrin.h>
#include "kernel.h"

#define NAME(f) f##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#define V __m512d
#define M __mmask8
#define LANES 8
#define WIDE 2
#define TILE 10
#define WIDTHS(...) CASE(1, __VA_ARGS__) CASE(2, __VA_ARGS__) CASE(3, __VA_ARGS__) CASE(4, __VA_ARGS__) CASE(5, __VA_ARGS__) \
	CASE(6, __VA_ARGS__) CASE(7, __VA_ARGS__) CASE(8, __VA_ARGS__) CASE(9, __VA_ARGS__) CASE(10, __VA_ARGS__)

#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, a) _mm512_storeu_pd(p, a)
#define ALL(a) _mm512_set1_pd(a)
#define SUB(a, b) _mm512_sub_pd(a, b)
#define ADD(a, b) _mm512_add_pd(a, b)
#define MUL(a, b) _mm512_mul_pd(a, b)
#define FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define ABS(a) _mm512_andnot_pd(_mm512_set1_pd(-0.0), a)
#define LESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define ORDERED(a) _mm512_cmp_pd_mask(a, a, _CMP_ORD_Q)
#define PICK(m, a, b) _mm512_mask_mov_pd(b, m, a)
#define KEEP(m, a) _mm512_maskz_mov_pd(m, a)
#define SQRT(a) _mm512_sqrt_pd(a)

// transpose_avx512 writes features from..from+n-1 of 16 rows to the panel.
static inline __attribute__((always_inline)) TARGET void transpose_avx512(double *panel, const double *const *row, int64_t from, int64_t n) {
	for (int64_t l = 0; l < n; l += 8) {
		int64_t here = n - l < 8 ? n - l : 8;
		__mmask8 some = (__mmask8)((1u << here) - 1);
		for (int g = 0; g < 16; g += 8) {
			__m512d a[8], b[8];
			_Pragma("GCC unroll 8") for (int r = 0; r < 8; r++)
				a[r] = _mm512_maskz_loadu_pd(some, row[g + r] + from + l);
			_Pragma("GCC unroll 4") for (int r = 0; r < 8; r += 2) {
				b[r] = _mm512_unpacklo_pd(a[r], a[r + 1]);
				b[r + 1] = _mm512_unpackhi_pd(a[r], a[r + 1]);
			}
			// b[0] has features 0 2 4 6 of rows 0, 1; b[1] has 1 3 5 7; b[2], b[3] of rows 2, 3; ...
			_Pragma("GCC unroll 2") for (int h = 0; h < 2; h++) {
				__m512d p = _mm512_shuffle_f64x2(b[h], b[2 + h], 0x88), q = _mm512_shuffle_f64x2(b[4 + h], b[6 + h], 0x88);
				__m512d u = _mm512_shuffle_f64x2(b[h], b[2 + h], 0xdd), w = _mm512_shuffle_f64x2(b[4 + h], b[6 + h], 0xdd);
				a[h] = _mm512_shuffle_f64x2(p, q, 0x88);     // feature h
				a[4 + h] = _mm512_shuffle_f64x2(p, q, 0xdd); // feature 4 + h
				a[2 + h] = _mm512_shuffle_f64x2(u, w, 0x88); // feature 2 + h
				a[6 + h] = _mm512_shuffle_f64x2(u, w, 0xdd); // feature 6 + h
			}
			double *to = panel + l * 16 + g;
			if (here == 8) {
				_Pragma("GCC unroll 8") for (int f = 0; f < 8; f++) _mm512_storeu_pd(to + f * 16, a[f]);
			} else {
				_Pragma("GCC unroll 8") for (int f = 0; f < 8; f++)
					if (f < here) _mm512_storeu_pd(to + f * 16, a[f]);
			}
		}
	}
}

#include "tile.h"
