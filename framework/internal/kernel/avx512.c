//go:build cgo && amd64

#include <immintrin.h>
#include "kernel.h"

#define NAME(f) f##_avx512
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma,f16c,popcnt")))
#define V __m512d
#define M __mmask8
#define LANES 8
#define TOGETHER 12
#define PARTS DO(0, 8) DO(8, 8)
#define WIDE 2
#define TILE 10
#define WIDTHS(...) CASE(1, __VA_ARGS__) CASE(2, __VA_ARGS__) CASE(3, __VA_ARGS__) CASE(4, __VA_ARGS__) CASE(5, __VA_ARGS__) \
	CASE(6, __VA_ARGS__) CASE(7, __VA_ARGS__) CASE(8, __VA_ARGS__) CASE(9, __VA_ARGS__) CASE(10, __VA_ARGS__)

#define LOAD(p) _mm512_loadu_pd(p)
#define STORE(p, a) _mm512_storeu_pd(p, a)
#define ALL(a) _mm512_set1_pd(a)
#define SUB(a, b) _mm512_sub_pd(a, b)
#define SUB_CELL(a, p) less_cell_avx512(a, p)
#define ADD(a, b) _mm512_add_pd(a, b)
#define MUL(a, b) _mm512_mul_pd(a, b)
#define FMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define ABS(a) _mm512_andnot_pd(_mm512_set1_pd(-0.0), a)
#define LESS(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define SAME(a, b) _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)
#define ORDERED(a) _mm512_cmp_pd_mask(a, a, _CMP_ORD_Q)
#define PICK(m, a, b) _mm512_mask_mov_pd(b, m, a)
#define KEEP(m, a) _mm512_maskz_mov_pd(m, a)
#define SQRT(a) _mm512_sqrt_pd(a)
#define MIN(a, b) _mm512_min_pd(a, b)
#define MAX(a, b) _mm512_max_pd(a, b)
#define HIGH(a) _mm512_and_pd(a, _mm512_castsi512_pd(_mm512_set1_epi64(~(int64_t)LOW_BITS)))
#define ANY(a) _mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_NEQ_UQ)
#define LOOK_UP(t, i) _mm512_i32gather_pd(_mm256_loadu_si256((const __m256i *)(i)), t, 8)
#define FLOATS(p, a) _mm256_storeu_ps(p, _mm512_cvtpd_ps(a))
#define F __m512
#define F_M __mmask16
#define F_BOTH(a, b) ((__mmask16)((a) & (b)))
#define F_BITS(m) (m)
#define F_NUMBERS(p) _mm512_cvtepi32_ps(_mm512_loadu_si512(p))
#define F_DIFFER(a, b) _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(a), _mm512_loadu_si512(b))
#define F_LOAD(p) _mm512_loadu_ps(p)
#define F_STORE(p, a) _mm512_storeu_ps(p, a)
#define F_ALL(a) _mm512_set1_ps(a)
#define F_ADD(a, b) _mm512_add_ps(a, b)
#define F_SUB(a, b) _mm512_sub_ps(a, b)
#define F_MUL(a, b) _mm512_mul_ps(a, b)
#define F_DIV(a, b) _mm512_div_ps(a, b)
#define F_SQRT(a) _mm512_sqrt_ps(a)
#define F_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define F_LESS(a, b) _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define F_PICK(m, a, b) _mm512_mask_mov_ps(b, m, a)
#define F_MIN(a, b) _mm512_min_ps(a, b)
#define F_MAX(a, b) _mm512_max_ps(a, b)
#define HOLD(a) __asm__("" : "+v"(a))
#define F_SUM(a) _mm512_reduce_add_ps(a)
#define F_OF(a, b) _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(a)), _mm512_cvtpd_ps(b), 1)
#define F_WIDEN(p) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(p)))
#define F_HALVE(p, a) _mm256_storeu_si256((__m256i *)(p), _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))
#define F_CELL(p) _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(*(p))))
#define F_INTS(p, a) _mm512_storeu_si512(p, _mm512_cvttps_epi32(a))
#define F_TABLE(t, k, a) table_avx512(t, k, _mm512_cvttps_epi32(a))
#define F_ROUGH 0x1p-13f
#define F_ROOT(a) _mm512_mul_ps(a, _mm512_rsqrt14_ps(a))
#define F_RATIO(a, b) _mm512_mul_ps(a, _mm512_rcp14_ps(b))
#define INTS(p, a) _mm256_storeu_si256((__m256i *)(p), _mm512_cvtpd_epi32(a))

// For whole numbers.
#define FIRST(n, all) ((n) <= 0 ? 0 : (n) >= (all) ? (1u << (all)) - 1 : (1u << (n)) - 1)
#define SOME(p, n) _mm512_maskz_loadu_pd((__mmask8)FIRST(n, 8), p)
#define F_SOME(p, n, rest) _mm512_mask_loadu_ps(rest, (__mmask16)FIRST(n, 16), p)
#define F_ABS(a) _mm512_abs_ps(a)
#define F_MOST(a) _mm512_reduce_max_ps(a)
#define F_LEAST(a) _mm512_reduce_min_ps(a)
#define F_SAME(a, b) _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)
#define F_AT(n) (__mmask16)(1u << (n))
#define F_BESIDE(a) _mm512_permute_ps(a, 0xb1)
#define I __m512i
#define I_TABLE(t, k, i) table_avx512(t, k, i)
#define I_LOAD(p) _mm512_loadu_si512(p)
#define I_STORE(p, a) _mm512_storeu_si512(p, a)
#define I_ALL(a) _mm512_set1_epi32(a)
#define I_MIN(a, b) _mm512_min_epi32(a, b)
#define I_MAX(a, b) _mm512_max_epi32(a, b)
#define I_AND(a, b) _mm512_and_si512(a, b)
#define I_MARK(a, bits, n) _mm512_ternarylogic_epi32(a, bits, n, 0xba) // a, but n in place of some bits
#define I_OF(a) _mm512_cvtps_epi32(a)
#define I_TO(a) _mm512_cvtepi32_ps(a)
#define I_PAIRS(low, high) _mm512_mask_blend_epi16(0xaaaaaaaa, low, _mm512_slli_epi32(high, 16))
#define I_SHORTS(p, a) _mm256_storeu_si256((__m256i *)(p), _mm512_cvtsepi32_epi16(a))
// With the function that it has for it, GCC 12 copies each sum twice.
#define DOTS(sum, a, b) __asm__("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b))
#define DOTS_ALL(sum, a, at) __asm__("vpdpwssd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(a), "m"(*(const G(pair) *)(at)))

// less_cell_avx512 subtracts a number in memory. Compilers would load it into a register once for two vectors: a Zen 4
// then subtracts beside two products a third more slowly, since it cannot read that many registers at a time.
static inline __attribute__((always_inline)) TARGET __m512d less_cell_avx512(__m512d a, const double *p) {
	__m512d less;
	__asm__("vsubpd %2%{1to8%}, %1, %0" : "=v"(less) : "v"(a), "m"(*p));
	return less;
}

// table_avx512 returns the entries of a table of k numbers, and room for 32, with the given numbers.
static inline __attribute__((always_inline)) TARGET __m512 table_avx512(const float *t, int64_t k, __m512i i) {
	if (k <= 16) return _mm512_permutexvar_ps(i, _mm512_loadu_ps(t));
	if (k <= 32) return _mm512_permutex2var_ps(_mm512_loadu_ps(t), i, _mm512_loadu_ps(t + 16));
	return _mm512_i32gather_ps(i, t, 4);
}

// cells_avx512 returns n cells (1 to 4) from each of two rows.
static inline __attribute__((always_inline)) TARGET __m512d cells_avx512(const double *low, const double *high, int64_t n) {
	__m256d a, b;
	if (n >= 4) {
		a = _mm256_loadu_pd(low), b = _mm256_loadu_pd(high);
	} else {
		__mmask8 some = (__mmask8)((1u << n) - 1);
		a = _mm256_maskz_loadu_pd(some, low), b = _mm256_maskz_loadu_pd(some, high);
	}
	return _mm512_insertf64x4(_mm512_castpd256_pd512(a), b, 1);
}

// across_avx512 returns in each lane below T the sum of all lanes of a vector.
static inline __attribute__((always_inline)) TARGET __m512 across_avx512(const int T, const __m512i *a) {
	__m512 two[8], four[4], all[2];
	_Pragma("GCC unroll 16") for (int t = 0; t < 8; t++) {
		__m512 x = 2 * t < T ? _mm512_cvtepi32_ps(a[2 * t]) : F_ALL(0), y = 2 * t + 1 < T ? _mm512_cvtepi32_ps(a[2 * t + 1]) : F_ALL(0);
		two[t] = 2 * t < T ? F_ADD(_mm512_unpacklo_ps(x, y), _mm512_unpackhi_ps(x, y)) : F_ALL(0);
	}
	_Pragma("GCC unroll 16") for (int t = 0; t < 4; t++)
		four[t] = 4 * t < T ? F_ADD(_mm512_shuffle_ps(two[2 * t], two[2 * t + 1], 0x44), _mm512_shuffle_ps(two[2 * t], two[2 * t + 1], 0xee))
		                    : F_ALL(0);
	_Pragma("GCC unroll 16") for (int t = 0; t < 2; t++)
		all[t] = F_ADD(_mm512_shuffle_f32x4(four[2 * t], four[2 * t + 1], 0x88), _mm512_shuffle_f32x4(four[2 * t], four[2 * t + 1], 0xdd));
	return F_ADD(_mm512_shuffle_f32x4(all[0], all[1], 0x88), _mm512_shuffle_f32x4(all[0], all[1], 0xdd));
}

// transpose_avx512 writes features from..from+n-1 of 16 rows to the panel.
static inline __attribute__((always_inline)) TARGET void transpose_avx512(double *panel, const double *const *row, int64_t from,
                                                                          int64_t n) {
	for (int64_t l = 0; l < n; l += 4) {
		int64_t here = n - l < 4 ? n - l : 4;
		_Pragma("GCC unroll 2") for (int g = 0; g < 16; g += 8) {
			const double *const *r = row + g;
			int64_t at = from + l;
			__m512d a = cells_avx512(r[0] + at, r[2] + at, here), b = cells_avx512(r[1] + at, r[3] + at, here);
			__m512d c = cells_avx512(r[4] + at, r[6] + at, here), d = cells_avx512(r[5] + at, r[7] + at, here);
			// Features 0, 2, 0, 2 of rows 0 1, 0 1, 2 3, 2 3; then 1, 3, 1, 3 of the same; and so of rows 4 to 7.
			__m512d ab = _mm512_unpacklo_pd(a, b), ba = _mm512_unpackhi_pd(a, b);
			__m512d cd = _mm512_unpacklo_pd(c, d), dc = _mm512_unpackhi_pd(c, d);
			double *to = panel + l * 16 + g;
			_mm512_storeu_pd(to, _mm512_shuffle_f64x2(ab, cd, 0x88));
			if (here > 1) _mm512_storeu_pd(to + 16, _mm512_shuffle_f64x2(ba, dc, 0x88));
			if (here > 2) _mm512_storeu_pd(to + 32, _mm512_shuffle_f64x2(ab, cd, 0xdd));
			if (here > 3) _mm512_storeu_pd(to + 48, _mm512_shuffle_f64x2(ba, dc, 0xdd));
		}
	}
}

#define OWN_SCAN
#define OWN_CHANGED
#include "tile.h"

// scan_avx512 is scan_… of tile.h, for 16 rows at a time. Tables of up to 16
// drifts are kept in registers.
TARGET int64_t scan_avx512(int32_t *rows, const results *out, int64_t k, int64_t first, int64_t end) {
	const int32_t *label = out->label;
	const float *gap = out->gap;
	const double *drift = out->drift;
	__m512d low = _mm512_setzero_pd(), high = low;
	if (k <= 16) {
		__mmask16 there = (__mmask16)((1u << k) - 1);
		low = _mm512_maskz_loadu_pd((__mmask8)there, drift), high = _mm512_maskz_loadu_pd((__mmask8)(there >> 8), drift + 8);
	}
	__m512i number = _mm512_add_epi32(_mm512_set1_epi32((int32_t)first),
	                                  _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
	int64_t count = 0, i = first;
	for (; i + 16 <= end; i += 16) {
		__m256i la = _mm256_loadu_si256((const __m256i *)(label + i)), lb = _mm256_loadu_si256((const __m256i *)(label + i + 8));
		__m512d a, b;
		if (k <= 16) {
			a = _mm512_permutex2var_pd(low, _mm512_cvtepi32_epi64(la), high);
			b = _mm512_permutex2var_pd(low, _mm512_cvtepi32_epi64(lb), high);
		} else {
			a = _mm512_i32gather_pd(la, drift, 8);
			b = _mm512_i32gather_pd(lb, drift, 8);
		}
		__mmask8 skipped = _mm512_cmp_pd_mask(_mm512_cvtps_pd(_mm256_loadu_ps(gap + i)), a, _CMP_GT_OQ);
		__mmask8 after = _mm512_cmp_pd_mask(_mm512_cvtps_pd(_mm256_loadu_ps(gap + i + 8)), b, _CMP_GT_OQ);
		unsigned look = ~(skipped | (unsigned)after << 8) & 0xffff;
		_mm512_storeu_si512(rows + count, _mm512_maskz_compress_epi32((__mmask16)look, number));
		count += __builtin_popcount(look);
		number = _mm512_add_epi32(number, _mm512_set1_epi32(16));
	}
	return count + scan_each_avx512(rows + count, out, i, end);
}

// changed_avx512 is changed_… of tile.h.
TARGET int64_t changed_avx512(int32_t *rows, const int32_t *from, const int32_t *to, int64_t first, int64_t end, int32_t *all) {
	__m512i number = _mm512_add_epi32(_mm512_set1_epi32((int32_t)first),
	                                  _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
	__m512i any = _mm512_setzero_si512();
	int64_t count = 0, i = first;
	for (; i + 16 <= end; i += 16) {
		__m512i a = _mm512_loadu_si512(from + i), b = _mm512_loadu_si512(to + i);
		__mmask16 differ = _mm512_cmpneq_epi32_mask(a, b);
		any = _mm512_or_si512(any, b);
		_mm512_storeu_si512(rows + count, _mm512_maskz_compress_epi32(differ, number));
		count += __builtin_popcount(differ);
		number = _mm512_add_epi32(number, _mm512_set1_epi32(16));
	}
	*all |= _mm512_reduce_or_epi32(any);
	return count + changed_each_avx512(rows + count, from, to, i, end, all);
}

#include "copies.h"
#define OWN_EIGHT
#include "eight.h"
#include "entries.h"
#include "labels.h"
#include "filter.h"
#define G(f) NAME(f)
#include "slabs.h"
#include "dots.h"
#include "groups.h"

// Groups and slabs again, and dots, for processors that multiply and add short whole numbers.
#undef G
#undef TARGET
#define G(f) f##_vnni
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,avx512vnni,avx2,fma,f16c,popcnt")))
#define SHORTS
#include "groups.h"
#include "slabs.h"
#include "short_dots.h"
#include "short_lanes.h"
#include "end.h"
