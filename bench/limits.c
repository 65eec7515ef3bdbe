// What the targets of docs/performance.md that are missed cost at least on this machine:
// only what a fit cannot do without, at the speed that the machine reaches at best.
//
//   gcc -O3 -march=native -ffast-math -pthread -o limits bench/limits.c && ./limits
//
// It prints, for one iteration of many clusters (two passes in which every row is
// measured from every center), the multiply-adds in single precision in registers alone,
// reading the rows, and getting the pages that a new process has to write to; how much more
// two threads do than one; and for small fits of design E the time of the passes over rows,
// in a process that begins with them and in one that repeats them.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

#ifdef __AVX512F__
enum { LANES = 16 };
#elif defined(__AVX2__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef float vector __attribute__((vector_size(4 * LANES)));

enum { CHAINS = 12, STEPS = 1 << 22, TRIES = 9, THREADS = 64 };
#define CHAINS_DO(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define BEGIN(J) a##J = b * (1 + J);
#define STEP(J) a##J = a##J * b + c;
#define SUM(J) sum += a##J[0];

// multiply does CHAINS · STEPS multiply-adds of vectors, in registers.
static void *multiply(void *unused) {
	volatile float near_1 = 1 - 1e-6f, tiny = 1e-6f;
	vector a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, b, c;
	for (int i = 0; i < LANES; i++) b[i] = near_1, c[i] = tiny;
	CHAINS_DO(BEGIN)
	for (int i = 0; i < STEPS; i++) { CHAINS_DO(STEP) }
	float sum = 0;
	CHAINS_DO(SUM)
	volatile float used = sum;
	(void)used;
	return unused;
}

static const int64_t mapped = (int64_t)256 << 20;

// read_all reads a part of its own from one end to the other.
static void *read_all(void *p) {
	const double *x = p;
	double a[16] = {0};
	for (int64_t i = 0; i < mapped / 8; i += 16)
		for (int l = 0; l < 16; l++) a[l] += x[i + l];
	volatile double used = 0;
	for (int l = 0; l < 16; l++) used += a[l];
	return 0;
}

// together returns the seconds of work on so many threads at once, at best.
static double together(void *(*work)(void *), void *const *of, int threads) {
	double best = 1e9;
	for (int try = 0; try < TRIES; try++) {
		pthread_t id[THREADS];
		double from = now();
		for (int t = 0; t < threads; t++) pthread_create(&id[t], 0, work, of ? of[t] : 0);
		for (int t = 0; t < threads; t++) pthread_join(id[t], 0);
		double took = now() - from;
		if (took < best) best = took;
	}
	return best;
}

// pages returns the seconds for so many bytes of new memory, written to page by page, at best.
static double pages(int64_t bytes) {
	double best = 1e9;
	for (int try = 0; try < TRIES; try++) {
		char *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED) exit(1);
		double from = now();
		for (int64_t i = 0; i < bytes; i += 4096) p[i] = 1;
		double took = now() - from;
		if (took < best) best = took;
		munmap(p, bytes);
	}
	return best;
}

static void many(double flops, double bytes, int64_t n, int64_t p, int64_t k) {
	double arithmetic = 2 * 2.0 * n * p * k / flops, rows = 2 * 8.0 * n * p / bytes, copy = pages(4 * n * p);
	printf("%ld x %ld, k %ld, one iteration: %.3f s of multiply-adds, %.3f to read the rows twice, %.3f for the pages of a copy: %.3f s\n",
	       (long)n, (long)p, (long)k, arithmetic, rows, copy, arithmetic + rows + copy);
}

// A small fit: k clusters, of whose features 10 are selected.
enum { N = 400, K = 10, SELECTED = 10 };

typedef struct {
	int p, passes, moved;
	double *x;
} fit;

// run does the passes of a fit, and nothing else: the sums of all rows at the start and at
// the end, in two parts; the distances of all rows in the selected columns, in each pass; the rows that
// move; the means of all columns.
static double run(const fit *f) {
	int p = f->p;
	double *high = calloc(K * p, 8), *low = calloc(K * p, 8), *mean = calloc(K * p, 8), *packed = malloc(8 * N * SELECTED), least = 0;
	double *drop = calloc(p, 8);
	for (int all = 0; all < 2; all++)
		for (int i = 0; i < N; i++) {
			double *h = high + i % K * p, *l = low + i % K * p, *x = f->x + i * p;
			for (int c = 0; c < p; c++) {
				uint64_t bits;
				double v;
				memcpy(&bits, x + c, 8);
				bits &= ~(uint64_t)0x7ffffff;
				memcpy(&v, &bits, 8);
				h[c] += v, l[c] += x[c] - v;
			}
		}
	for (int s = 0; s < SELECTED; s++)
		for (int i = 0; i < N; i++) packed[s * N + i] = f->x[i * p + s];
	for (int pass = 0; pass < f->passes; pass++) {
		for (int m = 0; m < f->moved / f->passes; m++) {
			int i = (pass * 131 + m * 7) % N, a = i % K * p, b = (i + 1) % K * p;
			double *x = f->x + i * p;
			for (int c = 0; c < p; c++) {
				uint64_t bits;
				double v;
				memcpy(&bits, x + c, 8);
				bits &= ~(uint64_t)0x7ffffff;
				memcpy(&v, &bits, 8);
				high[a + c] -= v, low[a + c] -= x[c] - v, high[b + c] += v, low[b + c] += x[c] - v;
			}
		}
		for (int j = 0; j < K; j++)
			for (int c = 0; c < p; c++) {
				double m = high[j * p + c] / (N / K) + low[j * p + c] * (1.0 * K / N);
				mean[j * p + c] = m, drop[c] += m * m;
			}
		for (int i = 0; i < N; i += 16) {
			double best[16], second[16], label[16];
			for (int r = 0; r < 16; r++) best[r] = second[r] = 1e300, label[r] = 0;
			for (int j = 0; j < K; j++) {
				double d[16] = {0};
				for (int s = 0; s < SELECTED; s++)
					for (int r = 0; r < 16; r++) {
						double t = packed[s * N + i + r] - mean[j * p + s];
						d[r] += t * t;
					}
				for (int r = 0; r < 16; r++) {
					double other = d[r] > best[r] ? d[r] : best[r];
					second[r] = other < second[r] ? other : second[r];
					label[r] = d[r] < best[r] ? j : label[r];
					best[r] = d[r] < best[r] ? d[r] : best[r];
				}
			}
			least += label[0] + second[0];
		}
	}
	least += drop[0];
	free(high), free(low), free(mean), free(packed), free(drop);
	return least;
}

static int ascending(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

// small prints the median of the first run of new processes, and of runs that repeat it.
static void small(int p, int iterations, int moved) {
	fit f = {p, iterations + 1, moved, mmap(0, 8 * N * p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)};
	enum { PROCESSES = 31 };
	double *took = mmap(0, 2 * PROCESSES * 8, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < N * p; i++) f.x[i] = i % 977 / 31.0;
	for (int process = 0; process < PROCESSES; process++) {
		pid_t child = fork();
		if (child == 0) {
			double seen = 0;
			for (int i = 0; i < N * p; i += 64) seen += f.x[i]; // the matrix is mapped before the clock starts
			volatile double used = seen;
			double from = now();
			used += run(&f);
			took[process] = now() - from;
			for (int repeat = 0; repeat < 20; repeat++) {
				from = now();
				used += run(&f);
				double again = now() - from;
				if (repeat == 0 || again < took[PROCESSES + process]) took[PROCESSES + process] = again;
			}
			(void)used;
			_exit(0);
		}
		waitpid(child, 0, 0);
	}
	qsort(took, PROCESSES, 8, ascending), qsort(took + PROCESSES, PROCESSES, 8, ascending);
	printf("400 x %d, k 10, %d iterations in which %d rows move: %.0f us in a new process, %.0f where it is repeated\n", p, iterations, moved,
	       1e6 * took[PROCESSES / 2], 1e6 * took[PROCESSES + PROCESSES / 2]);
}

int main(void) {
	double operations = 2.0 * LANES * CHAINS * STEPS, one = together(multiply, 0, 1);
	printf("single precision: %.0f GFLOP/s on one core, %.2f times as many on two\n", operations / one / 1e9, 2 * one / together(multiply, 0, 2));
	void *of[2];
	for (int t = 0; t < 2; t++) {
		of[t] = malloc(mapped);
		if (!of[t]) return 1;
		memset(of[t], 1, mapped);
	}
	double read = together(read_all, of, 1);
	printf("reading memory: %.1f GB/s on one thread, %.2f times as many on two\n", mapped / read / 1e9, 2 * read / together(read_all, of, 2));
	many(operations / one, mapped / read, 50000, 256, 1000);
	many(operations / one, mapped / read, 100000, 128, 100);
	small(20, 13, 672);
	small(1000, 12, 817);
	return 0;
}
