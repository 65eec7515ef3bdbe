// What this machine can do: multiply-adds per second on one core, bytes read from
// memory per second by one thread and by all, and rows picked from memory per second,
// with and without the arithmetic of 10 centers. See docs/performance.md.
//
//   gcc -O2 -pthread -o peak bench/peak.c && ./peak
//
// It prints the best of several tries, since others may use the machine too.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

enum { CHAINS = 12, STEPS = 1 << 20, TRIES = 40 };

// Each loop has 12 chains, each in a register of its own: more than the latency of a
// multiply-add times the number of units that do them.
#define CHAINS_DO(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define BEGIN(J) a##J = b * (1 + J);
#define STEP(J) a##J = a##J * b + c;
#define SUM(J) sum += a##J[0];

#define FMA_LOOP(NAME, TARGET, LANES) \
	typedef double NAME##_v __attribute__((vector_size(LANES * 8))); \
	TARGET static double NAME(void) { \
		volatile double near_1 = 1 - 1e-9, tiny = 1e-9; \
		NAME##_v a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, b, c; \
		for (int i = 0; i < LANES; i++) b[i] = near_1, c[i] = tiny; \
		CHAINS_DO(BEGIN) \
		double from = now(); \
		for (int i = 0; i < STEPS; i++) { CHAINS_DO(STEP) } \
		double sum = 0; \
		CHAINS_DO(SUM) \
		volatile double used = sum; \
		(void)used; \
		return 2.0 * LANES * CHAINS * STEPS / (now() - from); \
	}

#if defined(__x86_64__)
FMA_LOOP(avx512, __attribute__((target("avx512f,fma"), optimize("fp-contract=fast"))), 8)
FMA_LOOP(avx2, __attribute__((target("avx2,fma"), optimize("fp-contract=fast"))), 4)
#else
FMA_LOOP(neon, __attribute__((optimize("fp-contract=fast"))), 2)
#endif

static void flops(const char *name, double (*loop)(void)) {
	double best = 0;
	for (int i = 0; i < TRIES; i++) {
		double f = loop();
		if (f > best) best = f;
	}
	printf("%s: %.0f GFLOP/s on one core\n", name, best / 1e9);
}

static const int64_t size = (int64_t)1 << 29; // bytes of a thread: more than any cache
typedef struct {
	uint64_t *words, sum;
} part;

static void *reads(void *p) {
	part *t = p;
	uint64_t a = 0, b = 0, c = 0, d = 0;
	for (int64_t i = 0; i < size / 8; i += 4) a += t->words[i], b += t->words[i + 1], c += t->words[i + 2], d += t->words[i + 3];
	t->sum = a + b + c + d;
	return 0;
}

static void bandwidth(int threads) {
	part parts[64] = {{0}};
	pthread_t id[64];
	double best = 0;
	for (int t = 0; t < threads; t++) {
		parts[t].words = malloc(size);
		if (!parts[t].words) return;
		for (int64_t i = 0; i < size / 8; i++) parts[t].words[i] = i;
	}
	for (int i = 0; i < 8; i++) {
		double from = now();
		for (int t = 0; t < threads; t++) pthread_create(&id[t], 0, reads, &parts[t]);
		for (int t = 0; t < threads; t++) pthread_join(id[t], 0);
		double rate = threads * (double)size / (now() - from);
		if (rate > best) best = rate;
	}
	uint64_t sum = 0;
	for (int t = 0; t < threads; t++) sum += parts[t].sum, free(parts[t].words);
	printf("reading memory: %.1f GB/s on %d thread%s%s\n", best / 1e9, threads, threads == 1 ? "" : "s", sum == 0 ? " " : "");
}

#if defined(__x86_64__)

// Rows of 20 numbers, some of which are picked at random, in order, as in design B.
// Each is fetched 32 rows ahead, one cache line at a time. The arithmetic is that of
// the distances of 16 rows to 10 centers, on numbers in registers.
enum { FEATURES = 20, GROUP = 16, ROWS = 1 << 20 };
typedef double vector __attribute__((vector_size(64)));

#define CENTER(J) d = x - c##J, a##J += d * d, d = y - c##J, b##J += d * d;
#define TEN(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9)
#define DECLARE(J) vector a##J = {0}, b##J = {0}, c##J = {J};
#define ADD_UP(J) sum += a##J + b##J;

__attribute__((target("avx512f,fma"), optimize("fp-contract=fast")))
static double pick(const double *x, const int32_t *row, int64_t count, int memory, int arithmetic) {
	vector sum = {0};
	double seen = 0, from = now();
	for (int64_t i = 0; i + 3 * GROUP <= count; i += GROUP) {
		const char *ahead[4 * GROUP + 3 * FEATURES];
		int lines = 0;
		for (int64_t r = i + 2 * GROUP; memory && r < i + 3 * GROUP; r++) {
			const char *first = (const char *)(x + (int64_t)row[r] * FEATURES), *end = first + 8 * FEATURES;
			for (first -= (uintptr_t)first % 64; first < end; first += 64) ahead[lines++] = first;
		}
		int next = 0;
		if (arithmetic) {
			TEN(DECLARE)
			for (int l = 0; l < FEATURES; l++) {
				vector d, x = {l}, y = {i};
				__asm__ volatile("" : "+v"(x), "+v"(y));
				TEN(CENTER)
				for (int f = 0; f < 3 && next < lines; f++) __builtin_prefetch(ahead[next++]);
			}
			TEN(ADD_UP)
		}
		while (next < lines) __builtin_prefetch(ahead[next++]);
		for (int64_t r = i; memory && r < i + GROUP; r++)
			for (int l = 0; l < FEATURES; l += 8) seen += x[(int64_t)row[r] * FEATURES + l]; // one of each line
	}
	volatile double used = seen + sum[0];
	(void)used;
	return 1e9 * (now() - from) / count;
}

static void rows(double share) {
	double *x = malloc(sizeof(double) * FEATURES * ROWS);
	int32_t *row = malloc(sizeof(int32_t) * ROWS);
	if (!x || !row) return;
	uint64_t r = 1;
	int64_t count = 0;
	for (int64_t i = 0; i < ROWS; i++) {
		for (int l = 0; l < FEATURES; l++) x[i * FEATURES + l] = (double)l / FEATURES;
		r = r * 6364136223846793005u + 1442695040888963407u;
		row[count] = (int32_t)i;
		count += (double)(r >> 32) < share * 4294967296.0;
	}
	double best[4] = {1e9, 1e9, 1e9, 1e9};
	for (int i = 0; i < TRIES; i++)
		for (int kind = 1; kind < 4; kind++) {
			double ns = pick(x, row, count, kind & 1, kind >> 1);
			if (ns < best[kind]) best[kind] = ns;
		}
	printf("%3.0f %% of rows of 20 numbers: reading %.1f, arithmetic %.1f, both %.1f ns a row\n", 100 * share, best[1], best[2], best[3]);
	free(x);
	free(row);
}

#endif

int main(void) {
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f")) flops("AVX-512", avx512);
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) flops("AVX2", avx2);
#else
	flops("NEON", neon);
#endif
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	bandwidth(1);
	if (cores > 1) bandwidth(cores > 64 ? 64 : (int)cores);
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx512f"))
		for (int share = 4; share > 0; share--) rows(share / 4.0);
#endif
	return 0;
}
