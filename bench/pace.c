// How much more two threads do than one on this machine, when neither waits for the other:
// the upper bound of what a second thread can gain.
//
//   gcc -O3 -march=native -ffast-math -pthread -o pace bench/pace.c && ./pace
//
// One thread and two take turns, on work of the kinds that a fit consists of. Each of two
// threads does as much as the one does alone, so that the ratio is 2 where both keep their
// pace. It prints medians of ROUNDS turns, and what a thread waits for until the other one
// begins: by spinning, and by sleeping until it is woken.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

enum { ROUNDS = 15, CHAINS = 12, STEPS = 1 << 22, LANES = 16, THREADS = 2 };
typedef float vector __attribute__((vector_size(4 * LANES)));

static const int64_t table = 1 << 20, memory = (int64_t)1 << 28; // bytes of each thread: in a second cache, and in none

typedef struct {
	vector *table, *memory;
	int32_t *order; // of rows of 2 kB in memory
} own;

#define CHAINS_DO(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11)
#define BEGIN(J) a##J = b * (1 + J);
#define STEP(J) a##J = a##J * b + c;
#define SUM(J) sum += a##J[0];

// multiply does multiply-adds in registers.
static double multiply(own *o) {
	vector a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, b, c;
	volatile float near_1 = 1 - 1e-6f, tiny = 1e-6f;
	for (int i = 0; i < LANES; i++) b[i] = near_1, c[i] = tiny;
	CHAINS_DO(BEGIN)
	for (int i = 0; i < STEPS; i++) { CHAINS_DO(STEP) }
	float sum = o->table[0][0];
	CHAINS_DO(SUM)
	return sum;
}

// add_up adds up so many bytes, of rows of ROW vectors: in order, or in that of numbers.
enum { ROW = 32 };
static double add_up(const vector *x, int64_t bytes, const int32_t *order) {
	vector a = {0}, b = a, c = a, d = a;
	for (int64_t i = 0; i < bytes / (int64_t)(ROW * sizeof *x); i++) {
		const vector *row = x + (order ? order[i] : i) * ROW;
		for (int l = 0; l < ROW; l += 4) a += row[l], b += row[l + 1], c += row[l + 2], d += row[l + 3];
	}
	a += b + c + d;
	return a[0] + a[7];
}

static double cached(own *o) {
	double sum = 0;
	for (int i = 0; i < 600; i++) sum += add_up(o->table, table, 0);
	return sum;
}

static double ordered(own *o) { return add_up(o->memory, memory, 0); }

static double scattered(own *o) { return add_up(o->memory, memory / 2, o->order); }

// pages writes to new memory, page by page; the system has to find and to clear it.
static double pages(own *o) {
	int64_t size = memory / 8;
	char *p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) exit(1);
	for (int64_t i = 0; i < size; i += 4096) p[i] = (char)i;
	munmap(p, size);
	return o->table[0][0];
}

// The second thread does what it is told when told is another number than before.
static own owns[THREADS];
static double (*work)(own *);
static atomic_int told, done;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static atomic_int spins;
static volatile double used;
static _Atomic double began;

static void *second(void *unused) {
	for (int last = 0;; last++) {
		if (atomic_load(&spins)) {
			while (atomic_load(&told) == last) {}
		} else {
			pthread_mutex_lock(&mutex);
			while (atomic_load(&told) == last) pthread_cond_wait(&wake, &mutex);
			pthread_mutex_unlock(&mutex);
		}
		began = now();
		if (work) used += work(&owns[1]);
		atomic_store(&done, last + 1);
	}
	return unused;
}

static void tell(void) {
	pthread_mutex_lock(&mutex);
	atomic_fetch_add(&told, 1);
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&mutex);
}

static void wait_for_second(void) {
	while (atomic_load(&done) != atomic_load(&told)) {}
}

static double seconds(double (*of)(own *), int threads) {
	work = of;
	double from = now();
	if (threads == 2) tell();
	used += of(&owns[0]);
	wait_for_second();
	return now() - from;
}

static int ascending(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

static double median(double *v, int n) {
	qsort(v, n, sizeof *v, ascending);
	return v[n / 2];
}

static void turns(const char *name, double (*of)(own *)) {
	double one[ROUNDS], two[ROUNDS], ratio[ROUNDS];
	seconds(of, 2);
	for (int i = 0; i < ROUNDS; i++) {
		one[i] = seconds(of, 1), two[i] = seconds(of, 2);
		ratio[i] = 2 * one[i] / two[i];
	}
	double most = 0, least = 9;
	for (int i = 0; i < ROUNDS; i++) most = ratio[i] > most ? ratio[i] : most, least = ratio[i] < least ? ratio[i] : least;
	double a = median(one, ROUNDS), b = median(two, ROUNDS);
	printf("%-44s one thread %6.2f ms, two %6.2f for twice as much: %.2f times (%.2f to %.2f)\n", name, 1e3 * a, 1e3 * b,
	       median(ratio, ROUNDS), least, most);
}

static void latency(const char *name, int by_spinning) {
	double took[201];
	work = 0;
	atomic_store(&spins, by_spinning);
	for (int i = -2; i < 201; i++) {
		double from = now(); // both have slept or spun for a while
		while (now() - from < 1e-4) {}
		from = now();
		tell();
		wait_for_second();
		if (i >= 0) took[i] = began - from;
	}
	printf("%-44s %.1f us\n", name, 1e6 * median(took, 201));
}

int main(void) {
	uint64_t r = 1;
	for (int t = 0; t < THREADS; t++) {
		int64_t rows = memory / (ROW * (int64_t)sizeof(vector));
		owns[t].table = aligned_alloc(4096, table), owns[t].memory = aligned_alloc(4096, memory);
		owns[t].order = malloc(rows * sizeof(int32_t));
		if (!owns[t].table || !owns[t].memory || !owns[t].order) return 1;
		memset(owns[t].table, 0, table), memset(owns[t].memory, 0, memory);
		for (int64_t i = 0; i < rows; i++) owns[t].order[i] = (int32_t)i;
		for (int64_t i = rows - 1; i > 0; i--) {
			r = r * 6364136223846793005u + 1442695040888963407u;
			int64_t j = (int64_t)((r >> 33) % (uint64_t)(i + 1));
			int32_t a = owns[t].order[i];
			owns[t].order[i] = owns[t].order[j], owns[t].order[j] = a;
		}
	}
	pthread_t id;
	pthread_create(&id, 0, second, 0);
	turns("multiply-adds in registers", multiply);
	turns("reading a second-level cache", cached);
	turns("reading memory, from one end to the other", ordered);
	turns("reading memory, rows of 2 kB in any order", scattered);
	turns("writing to new memory, page by page", pages);
	latency("a thread that sleeps begins after", 0);
	latency("a thread that spins begins after", 1);
	return 0;
}
