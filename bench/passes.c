// What a fit of few centers cannot do without, and nothing else: see docs/performance.md.
// It copies rows of doubles in half precision once, and adds each to a sum while it is in a
// cache; looks at all of the copy again and again (products with every center, the least of
// them, and 4 bytes written for each row); and moves rows from one sum to another, in the two
// parts of which sums are. There are no decisions, no errors, no labels, no threads, and all
// memory has been touched before.
//
//   gcc -O3 -o passes bench/passes.c && ./passes ROWS FEATURES CENTERS LOOKS MOVES
//
// LOOKS is how often the copy is passed, MOVES how many rows move in all later passes, of
// which each has as many, equally far from each other. The fastest of several tries counts,
// since others may use the machine too.

#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512vl,fma,f16c")))

enum { TRIES = 10, SLAB = 32, CENTERS = 10, BLOCK = 4096 };

static double now(void) {
	struct timespec t;
	timespec_get(&t, TIME_UTC);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

// copy writes n cells in half precision.
AVX512 static void copy(uint16_t *to, const double *x, int64_t n) {
	for (int64_t i = 0; i + 16 <= n; i += 16) {
		__m256 low = _mm512_cvtpd_ps(_mm512_loadu_pd(x + i)), high = _mm512_cvtpd_ps(_mm512_loadu_pd(x + i + 8));
		_mm_storeu_si128((__m128i *)(to + i), _mm256_cvtps_ph(low, 0));
		_mm_storeu_si128((__m128i *)(to + i + 8), _mm256_cvtps_ph(high, 0));
	}
}

// look computes the products of n rows, in slabs of s features, with 10 centers.
AVX512 static void look(float *least, const uint16_t *x, int64_t n, int64_t s, const float *centers) {
	for (int64_t i = 0; i < n; i += SLAB, x += SLAB * s) {
		__m512 a[CENTERS], b[CENTERS];
		for (int j = 0; j < CENTERS; j++) a[j] = b[j] = _mm512_setzero_ps();
		for (int64_t l = 0; l < s; l++) {
			__m512 low = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(x + l * SLAB)));
			__m512 high = _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(x + l * SLAB + 16)));
#pragma GCC unroll 10
			for (int j = 0; j < CENTERS; j++) {
				__m512 c = _mm512_set1_ps(centers[l * CENTERS + j]);
				a[j] = _mm512_fmadd_ps(low, c, a[j]), b[j] = _mm512_fmadd_ps(high, c, b[j]);
			}
		}
		for (int j = 1; j < CENTERS; j++) a[0] = _mm512_min_ps(a[0], a[j]), b[0] = _mm512_min_ps(b[0], b[j]);
		_mm512_storeu_ps(least + i, a[0]), _mm512_storeu_ps(least + i + 16, b[0]);
	}
}

// part is the cell without the bits that go into the second part of a sum.
static inline double part(double cell) {
	uint64_t bits;
	double high;
	memcpy(&bits, &cell, 8);
	bits &= ~(uint64_t)0x7ffffff;
	memcpy(&high, &bits, 8);
	return high;
}

// add adds n rows to sums.
AVX512 static void add(double *sum, const double *x, int64_t n, int64_t s) {
	for (int64_t i = 0; i < n; i++, x += s) {
		double *restrict to = sum + i * 7 % CENTERS * 2 * s;
		for (int64_t l = 0; l < s; l++) {
			double high = part(x[l]);
			to[l] += high, to[s + l] += x[l] - high;
		}
	}
}

// move moves every so many rows from one sum to another. Rows are fetched into the second
// cache, since few can be waited for by the first at a time.
AVX512 static int64_t move(double *sum, const double *x, int64_t n, int64_t s, int64_t every) {
	int64_t count = 0;
	for (int64_t i = 0; i < n; i += every, count++) {
		const double *row = x + i * s, *next = x + (i + 16 * every) * s;
		for (int64_t l = 0; s < 64 && i + 16 * every < n && l < s; l += 8) __builtin_prefetch(next + l, 0, 2);
		double *restrict from = sum + i % CENTERS * 2 * s, *restrict to = sum + (i + 1) % CENTERS * 2 * s;
		for (int64_t l = 0; l < s; l++) {
			double high = part(row[l]), low = row[l] - high;
			from[l] -= high, from[s + l] -= low, to[l] += high, to[s + l] += low;
		}
	}
	return count;
}

static double least(double a, double b) { return a < b ? a : b; }

int main(int count, char **given) {
	if (count < 6) return fprintf(stderr, "./passes ROWS FEATURES CENTERS LOOKS MOVES\n"), 1;
	int64_t n = atoll(given[1]) / SLAB * SLAB, s = atoll(given[2]);
	double tiles = (atof(given[3]) + CENTERS - 1) / CENTERS, looks = atof(given[4]), moves = atof(given[5]);
	int64_t every = moves > 0 && moves < n * looks ? (int64_t)(n * looks / moves) : 1; // a row in so many moves in a pass
	double *x = malloc(8 * n * s), *sum = calloc(2 * CENTERS * s, 8);
	uint16_t *half = malloc(2 * n * s);
	float *out = calloc(n, 4), *centers = calloc(CENTERS * s, 4);
	if (!x || !sum || !half || !out || !centers) return fprintf(stderr, "there is not enough memory\n"), 1;
	for (int64_t i = 0; i < n * s; i++) x[i] = (double)(i % 997) / 997, half[i] = 1;
	double copying = 1e9, looking = 1e9, moving = 1e9;
	for (int t = 0; t < TRIES; t++) {
		double from = now();
		for (int64_t i = 0; i < n; i += BLOCK) {
			int64_t some = n - i < BLOCK ? n - i : BLOCK;
			copy(half + i * s, x + i * s, some * s);
			add(sum, x + i * s, some, s);
		}
		copying = least(copying, now() - from), from = now();
		look(out, half, n, s, centers);
		looking = least(looking, now() - from), from = now();
		int64_t some = move(sum, x, n, s, every);
		moving = least(moving, (now() - from) / some);
	}
	looking *= (int)tiles;
	printf("copying and adding once %.1f ms, %.0f looks of %.2f ms (%.1f GB/s), %.0f moves of %.1f ns: %.0f ms in all\n", 1e3 * copying, looks,
	       1e3 * looking, 2e-9 * n * s / looking, moves, 1e9 * moving, 1e3 * (copying + looks * looking + moves * moving));
	return 0;
}
