// What the first touch of memory costs: microseconds a page for a process that writes to new
// memory, and for one that reads a memory file which another mapping has filled, as a
// fit reads its rows, the first time and later. Much of it is what a virtual machine does for each page.
// To read through a buffer costs less. So do large pages, unless the virtual machine has given the memory
// back to its host; those of a memory file are large for each that maps it.
//
//	gcc -O2 -o touch bench/touch.c && ./touch

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BYTES ((size_t)160 << 20)
#define PAGE 4096
#define LARGE ((size_t)2 << 20)
#define BUFFER ((size_t)128 << 10)

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static volatile uint64_t sink;

static double seconds(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double began;

// since prints what has passed since it was called before, a page.
static void since(const char *what) {
	double now = seconds();
	if (what) printf("  %s %.2f", what, 1e6 * (now - began) / (BYTES / PAGE));
	began = seconds();
}

static void read_all(const uint64_t *x) {
	uint64_t sum = 0;
	for (size_t i = 0; i < BYTES / sizeof *x; i++) sum += x[i];
	sink = sum;
}

// map maps a file where a large page can begin.
static char *map(int file, int protection) {
	char *room = mmap(0, BYTES + LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED) return room;
	return mmap((char *)(((uintptr_t)room + LARGE - 1) / LARGE * LARGE), BYTES, protection, MAP_SHARED | MAP_FIXED, file, 0);
}

int main(void) {
	static char buffer[BUFFER];
	memset(buffer, 1, BUFFER);
	printf("microseconds a page of 4 kB\n");
	for (int ask = 0; ask < 2; ask++) {
		char *new = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		int file = memfd_create("rows", 0);
		if (new == MAP_FAILED || file < 0 || ftruncate(file, BYTES)) return perror("memory"), 1;
		char *filled = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
		char *rows = mmap(0, BYTES, PROT_READ, MAP_SHARED, file, 0);
		if (filled == MAP_FAILED || rows == MAP_FAILED) return perror("memory file"), 1;
		printf("%-32s", ask ? "new memory, asked for before:" : "new memory:");
		since(0);
		if (ask) madvise(new, BYTES, MADV_POPULATE_WRITE), since("asking");
		memset(new, 1, BYTES), since("writing");
		memset(new, 2, BYTES), since("again");
		memset(filled, 1, BYTES);
		printf("\n%-32s", ask ? "a memory file, asked for before:" : "a memory file:");
		since(0);
		if (ask) madvise(rows, BYTES, MADV_POPULATE_READ), since("asking");
		read_all((const uint64_t *)rows), since("reading");
		read_all((const uint64_t *)rows), since("again");
		if (!ask) {
			printf("\n%-32s", "a memory file, by a buffer:");
			since(0);
			for (size_t at = 0; at < BYTES; at += BUFFER)
				if (pread(file, buffer, BUFFER, at) != BUFFER) return perror("memory file"), 1;
			since("reading");
		}
		printf("\n");
		munmap(new, BYTES), munmap(filled, BYTES), munmap(rows, BYTES), close(file);
	}
	for (int again = 0; again < 2; again++) {
		char *new = mmap(0, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (new == MAP_FAILED) return perror("memory"), 1;
		printf("%-32s", again ? "large pages, just given back:" : "large pages, asked for before:");
		madvise(new, BYTES, MADV_HUGEPAGE);
		since(0);
		madvise(new, BYTES, MADV_POPULATE_WRITE), since("asking");
		memset(new, 1, BYTES), since("writing");
		printf("\n");
		munmap(new, BYTES);
	}
	for (int again = 0; again < 2; again++) {
		int file = memfd_create("rows", 0);
		if (file < 0 || ftruncate(file, BYTES)) return perror("memory file"), 1;
		char *filled = map(file, PROT_READ | PROT_WRITE), *rows = map(file, PROT_READ);
		if (filled == MAP_FAILED || rows == MAP_FAILED) return perror("memory file"), 1;
		printf("%-32s", again ? "the same, just given back:" : "a memory file in large pages:");
		since(0);
		for (size_t at = 0; at < BYTES; at += LARGE) filled[at] = 1, madvise(filled + at, LARGE, MADV_COLLAPSE);
		since("asking");
		memset(filled, 1, BYTES), since("writing");
		read_all((const uint64_t *)rows), since("reading");
		read_all((const uint64_t *)rows), since("again");
		printf("\n");
		munmap(filled, BYTES), munmap(rows, BYTES), close(file);
	}
}
