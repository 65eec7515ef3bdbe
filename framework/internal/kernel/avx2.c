//go:build cgo && amd64

#include <immintrin.h>
#include "kernel.h"

#define NAME(f) f##_avx2
#define TARGET __attribute__((target("avx2,fma,f16c,popcnt")))
#define V __m256d
#define M __m256d
#define LANES 4
#define TOGETHER 6
#define PARTS DO(0, 6) DO(6, 5) DO(11, 5)
#define WIDE 2
#define TILE 5
#define WIDTHS(...) CASE(1, __VA_ARGS__) CASE(2, __VA_ARGS__) CASE(3, __VA_ARGS__) CASE(4, __VA_ARGS__) CASE(5, __VA_ARGS__)

#define LOAD(p) _mm256_loadu_pd(p)
#define STORE(p, a) _mm256_storeu_pd(p, a)
#define ALL(a) _mm256_set1_pd(a)
#define SUB(a, b) _mm256_sub_pd(a, b)
#define SUB_CELL(a, p) SUB(a, ALL(*(p)))
#define ADD(a, b) _mm256_add_pd(a, b)
#define MUL(a, b) _mm256_mul_pd(a, b)
#define FMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define ABS(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)
#define LESS(a, b) _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define SAME(a, b) _mm256_cmp_pd(a, b, _CMP_EQ_OQ)
#define ORDERED(a) _mm256_cmp_pd(a, a, _CMP_ORD_Q)
#define PICK(m, a, b) _mm256_blendv_pd(b, a, m)
#define KEEP(m, a) _mm256_and_pd(m, a)
#define SQRT(a) _mm256_sqrt_pd(a)
#define MIN(a, b) _mm256_min_pd(a, b)
#define MAX(a, b) _mm256_max_pd(a, b)
#define HIGH(a) _mm256_and_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(~(int64_t)LOW_BITS)))
#define ANY(a) _mm256_movemask_pd(_mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_NEQ_UQ))
#define LOOK_UP(t, i) _mm256_i32gather_pd(t, _mm_loadu_si128((const __m128i *)(i)), 8)
#define FLOATS(p, a) _mm_storeu_ps(p, _mm256_cvtpd_ps(a))
#define F __m256
#define F_M __m256
#define F_BOTH(a, b) _mm256_and_ps(a, b)
#define F_BITS(m) (unsigned)_mm256_movemask_ps(m)
#define F_NUMBERS(p) _mm256_cvtepi32_ps(_mm256_loadu_si256((const __m256i *)(p)))
#define F_DIFFER(a, b) (0xff ^ F_BITS(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(a)), \
	_mm256_loadu_si256((const __m256i *)(b))))))
#define F_LOAD(p) _mm256_loadu_ps(p)
#define F_STORE(p, a) _mm256_storeu_ps(p, a)
#define F_ALL(a) _mm256_set1_ps(a)
#define F_ADD(a, b) _mm256_add_ps(a, b)
#define F_SUB(a, b) _mm256_sub_ps(a, b)
#define F_MUL(a, b) _mm256_mul_ps(a, b)
#define F_DIV(a, b) _mm256_div_ps(a, b)
#define F_SQRT(a) _mm256_sqrt_ps(a)
#define F_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define F_LESS(a, b) _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define F_PICK(m, a, b) _mm256_blendv_ps(b, a, m)
#define F_MIN(a, b) _mm256_min_ps(a, b)
#define F_MAX(a, b) _mm256_max_ps(a, b)
#define HOLD(a) __asm__("" : "+x"(a))
#define F_SUM(a) sum_avx2(a)
#define F_OF(a, b) _mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a))
#define F_WIDEN(p) _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(p)))
#define F_HALVE(p, a) _mm_storeu_si128((__m128i *)(p), _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT))
#define F_CELL(p) _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(*(p))))
#define F_INTS(p, a) _mm256_storeu_si256((__m256i *)(p), _mm256_cvttps_epi32(a))
#define F_TABLE(t, k, a) table_avx2(t, k, _mm256_cvttps_epi32(a))
#define F_ROUGH 0x1p-11f
#define F_ROOT(a) _mm256_mul_ps(a, _mm256_rsqrt_ps(a))
#define F_RATIO(a, b) _mm256_mul_ps(a, _mm256_rcp_ps(b))
#define INTS(p, a) _mm_storeu_si128((__m128i *)(p), _mm256_cvtpd_epi32(a))

// For whole numbers.
#define SOME(p, n) _mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)))
#define F_SOME(p, n, rest) some_avx2(p, n, rest)
#define F_ABS(a) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define F_MOST(a) largest_of_avx2(a)
#define F_LEAST(a) (-largest_of_avx2(_mm256_xor_ps(_mm256_set1_ps(-0.0f), a)))
#define F_SAME(a, b) _mm256_cmp_ps(a, b, _CMP_EQ_OQ)
#define F_AT(n) _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_set1_epi32((int32_t)(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)))
#define F_BESIDE(a) _mm256_permute_ps(a, 0xb1)
#define I __m256i
#define I_TABLE(t, k, i) table_avx2(t, k, i)
#define I_LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define I_STORE(p, a) _mm256_storeu_si256((__m256i *)(p), a)
#define I_ALL(a) _mm256_set1_epi32(a)
#define I_MIN(a, b) _mm256_min_epi32(a, b)
#define I_MAX(a, b) _mm256_max_epi32(a, b)
#define I_AND(a, b) _mm256_and_si256(a, b)
#define I_MARK(a, bits, n) _mm256_or_si256(_mm256_andnot_si256(bits, a), n)
#define I_OF(a) _mm256_cvtps_epi32(a)
#define I_TO(a) _mm256_cvtepi32_ps(a)
#define I_PAIRS(low, high) _mm256_blend_epi16(low, _mm256_slli_epi32(high, 16), 0xaa)
#define I_SHORTS(p, a) _mm_storeu_si128((__m128i *)(p), _mm_packs_epi32(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1)))
// With functions, GCC 12 has more products at a time than there are registers.
#define DOTS(sum, a, b) do { \
	__m256i products; \
	__asm__("vpmaddwd %3, %2, %1\n\tvpaddd %1, %0, %0" : "+x"(sum), "=&x"(products) : "x"(a), "x"(b)); \
} while (0)
#define DOTS_ALL(sum, a, at) DOTS(sum, a, _mm256_set1_epi32(*(const G(pair) *)(at)))

static inline __attribute__((always_inline)) TARGET float sum_avx2(__m256 a) {
	__m128 four = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
	__m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
	return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

// some_avx2 returns the first n numbers at p, and those of rest behind them.
static inline __attribute__((always_inline)) TARGET __m256 some_avx2(const float *p, int64_t n, __m256 rest) {
	__m256i there = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
	return _mm256_blendv_ps(rest, _mm256_maskload_ps(p, there), _mm256_castsi256_ps(there));
}

// largest_of_avx2 returns the largest lane.
static inline __attribute__((always_inline)) TARGET float largest_of_avx2(__m256 a) {
	__m128 four = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
	__m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
	return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

// across_avx2 returns in each lane below T, which is 5 at most, the sum of all lanes of a vector.
static inline __attribute__((always_inline)) TARGET __m256 across_avx2(const int T, const __m256i *a) {
	__m256 none = _mm256_setzero_ps(), x[5];
	_Pragma("GCC unroll 5") for (int t = 0; t < 5; t++) x[t] = t < T ? _mm256_cvtepi32_ps(a[t]) : none;
	__m256 low = _mm256_hadd_ps(_mm256_hadd_ps(x[0], x[1]), _mm256_hadd_ps(x[2], x[3]));
	__m256 high = T > 4 ? _mm256_hadd_ps(_mm256_hadd_ps(x[4], none), none) : none;
	return _mm256_add_ps(_mm256_permute2f128_ps(low, high, 0x20), _mm256_permute2f128_ps(low, high, 0x31));
}

// table_avx2 returns the entries of a table of k numbers, and room for 32, with the given numbers.
static inline __attribute__((always_inline)) TARGET __m256 table_avx2(const float *t, int64_t k, __m256i i) {
	if (k > 16) return _mm256_i32gather_ps(t, i, 4);
	__m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(t), i);
	if (k <= 8) return low;
	return _mm256_blendv_ps(low, _mm256_permutevar8x32_ps(_mm256_loadu_ps(t + 8), i), _mm256_castsi256_ps(_mm256_slli_epi32(i, 28)));
}

// transpose_avx2 writes features from..from+n-1 of 8 rows to the panel.
static inline __attribute__((always_inline)) TARGET void transpose_avx2(double *panel, const double *const *row, int64_t from, int64_t n) {
	int64_t l = 0;
	for (; l + 4 <= n; l += 4) {
		for (int g = 0; g < 8; g += 4) {
			__m256d a = _mm256_loadu_pd(row[g] + from + l), b = _mm256_loadu_pd(row[g + 1] + from + l);
			__m256d c = _mm256_loadu_pd(row[g + 2] + from + l), d = _mm256_loadu_pd(row[g + 3] + from + l);
			__m256d ab = _mm256_unpacklo_pd(a, b), ba = _mm256_unpackhi_pd(a, b);
			__m256d cd = _mm256_unpacklo_pd(c, d), dc = _mm256_unpackhi_pd(c, d);
			double *to = panel + l * 8 + g;
			_mm256_storeu_pd(to, _mm256_permute2f128_pd(ab, cd, 0x20));
			_mm256_storeu_pd(to + 8, _mm256_permute2f128_pd(ba, dc, 0x20));
			_mm256_storeu_pd(to + 16, _mm256_permute2f128_pd(ab, cd, 0x31));
			_mm256_storeu_pd(to + 24, _mm256_permute2f128_pd(ba, dc, 0x31));
		}
	}
	for (; l < n; l++)
		for (int r = 0; r < 8; r++) panel[l * 8 + r] = row[r][from + l];
}

// The numbers of the bits that are set in 0 to 255, in bytes, the lowest one first.
#define BIT(m, b) ((uint64_t)((m) >> (b) & 1) * (b) << 8 * __builtin_popcount((m) & ((1u << (b)) - 1)))
#define SET(m) BIT(m, 1) + BIT(m, 2) + BIT(m, 3) + BIT(m, 4) + BIT(m, 5) + BIT(m, 6) + BIT(m, 7)
#define SETS(m) SET(m), SET((m) + 1), SET((m) + 2), SET((m) + 3)
#define MORE_SETS(m) SETS(m), SETS((m) + 4), SETS((m) + 8), SETS((m) + 12)
#define ALL_SETS(m) MORE_SETS(m), MORE_SETS((m) + 16), MORE_SETS((m) + 32), MORE_SETS((m) + 48)
static const uint64_t set_avx2[256] = {ALL_SETS(0u), ALL_SETS(64u), ALL_SETS(128u), ALL_SETS(192u)};

// put_avx2 writes those of 8 numbers from i on whose bits are set, and others behind them. Without a branch: which are set
// cannot be foreseen.
static inline __attribute__((always_inline)) TARGET int64_t put_avx2(int32_t *rows, int64_t count, int64_t i, unsigned bits) {
	__m256i numbers = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(set_avx2 + (bits & 0xff))));
	_mm256_storeu_si256((__m256i *)(rows + count), _mm256_add_epi32(numbers, _mm256_set1_epi32((int32_t)i)));
	return count + __builtin_popcount(bits & 0xff);
}

#define OWN_SCAN
#define OWN_CHANGED
#include "tile.h"

// scan_avx2 is scan_… of tile.h, for 8 rows at a time. Drifts that are rounded up make it
// look at a few rows more. Tables of up to 32 of them are kept in registers.
TARGET int64_t scan_avx2(int32_t *rows, const results *out, int64_t k, int64_t first, int64_t end) {
	int64_t count = 0, i = first;
	if (out->up) {
		float up[32] = {0};
		memcpy(up, out->up, (size_t)(k < 32 ? k : 32) * sizeof(float));
		__m256 a = _mm256_loadu_ps(up), b = _mm256_loadu_ps(up + 8), c = _mm256_loadu_ps(up + 16), d = _mm256_loadu_ps(up + 24);
		for (; i + 8 <= end; i += 8) {
			__m256i its = _mm256_loadu_si256((const __m256i *)(out->label + i));
			__m256 drift;
			if (k > 32) {
				drift = _mm256_i32gather_ps(out->up, its, 4);
			} else {
				__m256 eight = _mm256_castsi256_ps(_mm256_slli_epi32(its, 28)), sixteen = _mm256_castsi256_ps(_mm256_slli_epi32(its, 27));
				drift = _mm256_permutevar8x32_ps(a, its);
				if (k > 8) drift = _mm256_blendv_ps(drift, _mm256_permutevar8x32_ps(b, its), eight);
				if (k > 16) {
					__m256 high = _mm256_blendv_ps(_mm256_permutevar8x32_ps(c, its), _mm256_permutevar8x32_ps(d, its), eight);
					drift = _mm256_blendv_ps(drift, high, sixteen);
				}
			}
			unsigned skipped = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(out->gap + i), drift, _CMP_GT_OQ));
			count = put_avx2(rows, count, i, ~skipped);
		}
	}
	return count + scan_each_avx2(rows + count, out, i, end);
}

// changed_avx2 is changed_… of tile.h.
TARGET int64_t changed_avx2(int32_t *rows, const int32_t *from, const int32_t *to, int64_t first, int64_t end, int32_t *all) {
	int64_t count = 0, i = first;
	__m256i any = _mm256_setzero_si256();
	for (; i + 8 <= end; i += 8) {
		__m256i a = _mm256_loadu_si256((const __m256i *)(from + i)), b = _mm256_loadu_si256((const __m256i *)(to + i));
		unsigned same = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b)));
		any = _mm256_or_si256(any, b);
		count = put_avx2(rows, count, i, ~same);
	}
	int32_t bits[8];
	_mm256_storeu_si256((__m256i *)bits, any);
	for (int l = 0; l < 8; l++) *all |= bits[l];
	return count + changed_each_avx2(rows + count, from, to, i, end, all);
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

// Groups and slabs again, and dots, in short whole numbers.
#undef G
#define G(f) f##_madd
#define SHORTS
#include "groups.h"
#include "slabs.h"
#include "short_dots.h"
#include "short_lanes.h"
#include "end.h"
