//go:build cgo && arm64

#include <arm_neon.h>
#include "kernel.h"

#define NAME(f) f##_neon
#define TARGET
#define V float64x2_t
#define M uint64x2_t
#define LANES 2
#define TOGETHER 4
#define PARTS DO(0, 4) DO(4, 4) DO(8, 4) DO(12, 4)
#define WIDE 4
#define TILE 5
#define WIDTHS(...) CASE(1, __VA_ARGS__) CASE(2, __VA_ARGS__) CASE(3, __VA_ARGS__) CASE(4, __VA_ARGS__) CASE(5, __VA_ARGS__)

#define LOAD(p) vld1q_f64(p)
#define STORE(p, a) vst1q_f64(p, a)
#define ALL(a) vdupq_n_f64(a)
#define SUB(a, b) vsubq_f64(a, b)
#define SUB_CELL(a, p) SUB(a, ALL(*(p)))
#define ADD(a, b) vaddq_f64(a, b)
#define MUL(a, b) vmulq_f64(a, b)
#define FMA(a, b, c) vfmaq_f64(c, a, b)
#define ABS(a) vabsq_f64(a)
#define LESS(a, b) vcltq_f64(a, b)
#define SAME(a, b) vceqq_f64(a, b)
#define ORDERED(a) vceqq_f64(a, a)
#define PICK(m, a, b) vbslq_f64(m, a, b)
#define KEEP(m, a) vreinterpretq_f64_u64(vandq_u64(m, vreinterpretq_u64_f64(a)))
#define SQRT(a) vsqrtq_f64(a)
#define MIN(a, b) PICK(LESS(a, b), a, b)
#define MAX(a, b) PICK(LESS(b, a), a, b)
#define HIGH(a) vreinterpretq_f64_u64(vandq_u64(vreinterpretq_u64_f64(a), vdupq_n_u64(~(uint64_t)LOW_BITS)))
#define SOME(p, n) ((n) < 2 ? vcombine_f64(vld1_f64(p), vdup_n_f64(0)) : LOAD(p))
#define ANY(a) (vgetq_lane_f64(a, 0) != 0 || vgetq_lane_f64(a, 1) != 0)
#define LOOK_UP(t, i) vcombine_f64(vld1_f64((t) + (i)[0]), vld1_f64((t) + (i)[1]))
#define FLOATS(p, a) vst1_f32(p, vcvt_f32_f64(a))
#define F float32x4_t
#define F_M uint32x4_t
#define F_BOTH(a, b) vandq_u32(a, b)
#define F_BITS(m) bits_neon(m)
#define F_NUMBERS(p) vcvtq_f32_s32(vld1q_s32(p))
#define F_DIFFER(a, b) (0xf ^ F_BITS(vceqq_s32(vld1q_s32(a), vld1q_s32(b))))
#define F_LOAD(p) vld1q_f32(p)
#define F_STORE(p, a) vst1q_f32(p, a)
#define F_ALL(a) vdupq_n_f32(a)
#define F_ADD(a, b) vaddq_f32(a, b)
#define F_SUB(a, b) vsubq_f32(a, b)
#define F_MUL(a, b) vmulq_f32(a, b)
#define F_DIV(a, b) vdivq_f32(a, b)
#define F_SQRT(a) vsqrtq_f32(a)
#define F_FMA(a, b, c) vfmaq_f32(c, a, b)
#define F_LESS(a, b) vcltq_f32(a, b)
#define F_PICK(m, a, b) vbslq_f32(m, a, b)
#define F_MIN(a, b) F_PICK(F_LESS(a, b), a, b)
#define F_MAX(a, b) F_PICK(F_LESS(b, a), a, b)
#define HOLD(a) __asm__("" : "+w"(a))
#define F_SUM(a) vaddvq_f32(a)
#define F_OF(a, b) vcombine_f32(vcvt_f32_f64(a), vcvt_f32_f64(b))
#define F_WIDEN(p) vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)))
#define F_HALVE(p, a) vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(a)))
#define F_CELL(p) vgetq_lane_f32(vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(*(p)))), 0)
#define F_INTS(p, a) vst1q_s32(p, vcvtq_s32_f32(a))
#define F_TABLE(t, k, a) table_neon(t, a)
#define F_ROUGH 0x1p-20f
#define F_ROOT(a) vsqrtq_f32(a)
#define F_RATIO(a, b) vdivq_f32(a, b)
#define INTS(p, a) vst1_s32(p, vmovn_s64(vcvtq_s64_f64(a)))

// bits_neon returns a bit for each lane.
static inline __attribute__((always_inline)) uint32_t bits_neon(uint32x4_t m) {
	static const uint32_t of[4] = {1, 2, 4, 8};
	return vaddvq_u32(vandq_u32(m, vld1q_u32(of)));
}

// table_neon returns the entries of a table with the given numbers.
static inline __attribute__((always_inline)) float32x4_t table_neon(const float *t, float32x4_t a) {
	float its[4];
	vst1q_f32(its, a);
	for (int r = 0; r < 4; r++) its[r] = t[(int)its[r]];
	return vld1q_f32(its);
}

// transpose_neon writes features from..from+n-1 of 8 rows to the panel.
static inline __attribute__((always_inline)) void transpose_neon(double *panel, const double *const *row, int64_t from, int64_t n) {
	for (int64_t l = 0; l < n; l++)
		for (int r = 0; r < 8; r++) panel[l * 8 + r] = row[r][from + l];
}

#include "tile.h"
#include "entries.h"
#include "labels.h"
#include "copies.h"
#include "filter.h"
#define G(f) NAME(f)
#include "slabs.h"
#include "dots.h"
#include "groups.h"
#include "end.h"
