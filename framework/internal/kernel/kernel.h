// The C side of the package: see kernel.go for what the functions compute.

#ifndef SQLCLUSTER_KERNEL_H
#define SQLCLUSTER_KERNEL_H

#include <float.h>
#include <stdint.h>
#include <string.h>

// No product may be fused with a sum except by FMA. GCC is told by -std=c11, clang
// by the pragma.
#pragma STDC FP_CONTRACT OFF

// The instruction sets.
enum { AVX512, AVX2, NEON, VNNI }; // VNNI is AVX512, and more for groups and for few centers

// Limits of gaps, as in Go.
#define MIN_GAP 1e-30
#define MAX_GAP 3e38
#define ROUND_DOWN (1 - 0x1p-22)

// The bits of a cell that go into Go's Sums.Low.
#define LOW_BITS 0x7ffffff

// has tells whether the processor has an instruction set, tile the largest number of
// centers in its packed tiles.
int has(int set);
int tile(int set);

// whole returns how many lanes sums of products of whole numbers have; 0: there are none.
int whole(int set);

// A problem is n rows of s features in x, and k centers of s features packed in
// tiles. weights is NULL or has s entries.
typedef struct {
	const double *x;
	int64_t n, s;
	const double *centers;
	int64_t k;
	const double *weights;
	int loss, observed;
	const void *narrow; // a copy of x, less the origin of a filter and by its scale; NULL: not there
	int64_t size;       // bytes of a cell of the copy
} problem;

// The sizes of cells.
enum { DOUBLE = 8, SINGLE = 4, HALF = 2 };

// The constants of a filter.
enum { LIMIT, DOUBT_SLOPE, DOUBT, ABOVE_SLOPE, ABOVE, BELOW_SLOPE, BELOW };

// A filter is Go's, with centers packed in tiles. A slab has the cells of some rows, as
// many as an instruction set likes, feature by feature.
typedef struct {
	const float *centers, *half;
	const double *origin;
	double scale;
	const double *constants;
	const float *reach;       // these three for a copy in half precision, as in Go; NULL: it is in single precision
	float least, both;
	float limit, slope, doubt, above_slope, above; // of the constants, rounded to the safe side
	float share, rest, twice; // how much the rows in hand have lost at most; 0 for rows of doubles
	int64_t together; // rows to look at, from which on a slab of the copy is handled as one; 0: the copy is not in slabs
	int alone;        // handles rows that are not in a slab, too
	int dots;         // centers are packed one after the other, and not in tiles
	int shorts;       // the copy is in short whole numbers: see whole.go
	const int16_t *whole;          // and so are centers; NULL: they cannot be, and such a copy is of no use
	double inverse, gone, longest, shortest; // of the scale of centers; the others as in Go
	const float *lost;             // how much each of the rows in hand has lost
} filter;

// Groups are those of a filter of Go, with centers packed in n groups. lower is NULL or
// Bound.Lower; scratch has room for so many rows, and heads for n numbers.
typedef struct {
	int64_t n;
	const float *centers, *half;
	const double *origin, *constants;
	const int32_t *order, *of;
	const double *drift;
	const float *reach;
	float *lower;
	float *scratch;
	int32_t *heads, *lists;
	int64_t room;
	const double *exact;       // the centers
	const int16_t *whole;      // in whole numbers, and what follows: see whole.go; NULL: there are none
	double scale, gone, longest;
} groups;

// A copy of x, less the origin and by the scale: chunk by chunk, where filled is above 0.
// Of one in half precision that is the share of Go's half.go. x is NULL if there is none.
typedef struct {
	void *x;
	float *filled;
} copy;

// narrow writes n rows of s cells to a copy.
typedef void narrow_fn(float *copy, const double *x, const double *origin, double scale, int64_t n, int64_t s);
extern narrow_fn narrow_rows_avx512, narrow_rows_avx2, narrow_rows_neon;

// lay writes a copy in slabs. The last slab is filled up with the last row.
extern narrow_fn lay_avx512, lay_avx2, lay_neon;

// halve is narrow for half precision. Of each row it subtracts rest from the length of what
// is lost, and returns the largest share of the row's length that is left then.
typedef float halve_fn(uint16_t *copy, const double *x, const double *origin, double scale, float rest, int64_t n, int64_t s);
extern halve_fn halve_rows_avx512, halve_rows_avx2, halve_rows_neon;
extern halve_fn lay_halves_avx512, lay_halves_avx2, lay_halves_neon;

// The cells of a row of s features in a copy in short whole numbers, as in Go: with a head,
// and filled up to whole vectors.
static inline int64_t short_cells(int64_t s) { return (s + 8 + 31) / 32 * 32; }

// short_rows writes n rows to a copy in short whole numbers. Rows whose squares add up to more than limit have none.
typedef void short_rows_fn(int16_t *copy, const double *x, const double *origin, double limit, int64_t n, int64_t s);
extern short_rows_fn short_rows_vnni, short_rows_madd;

// The rows of a chunk.
enum { CHUNK = 1024 };

// Slabs in short whole numbers are of so many features and centers at most, and a chunk of them begins with
// so many bytes, as in Go.
enum { SHORT_FEATURES = 32, SHORT_CENTERS = 256, SHORT_HEAD = 512 };

// The bytes of a row of such a slab, and of a chunk.
static inline int64_t short_row(int64_t s) { return (s + 1) / 2 * 2 * (int64_t)sizeof(int16_t); }
static inline int64_t short_chunk(int64_t s) { return SHORT_HEAD + CHUNK * short_row(s); }

// lay_shorts writes n rows, CHUNK at most, to a copy in slabs of short whole numbers. The last slab is filled up with the
// last row. Of a slab with a row whose squares add up to more than limit, nothing is certain. Rows shorter than least
// are taken for as long.
typedef void lay_shorts_fn(void *chunk, const double *x, const double *origin, double limit, double least, int64_t n, int64_t s);
extern lay_shorts_fn lay_shorts_vnni, lay_shorts_madd;

// Where the results of nearest go. If dst (n x k) is not NULL, it gets all distances. If own
// is not NULL, it, next, distance and other get what the fields of Go's Two hold, of all rows;
// next may be ODD. Otherwise label and, if not NULL, best, second and gap get what the fields of Go's
// Nearest and Bound hold.
typedef struct {
	double *dst, *best, *second;
	int32_t *label;
	float *gap;
	const double *drift;
	const float *up; // drift, rounded up; NULL if there are more than DRIFTS
	double margin;
	float part; // margin, rounded up
	int32_t *own, *next;
	double *distance, *other;
} results;

// What next holds where a distance is not finite.
enum { ODD = -2 };

// The most drifts that are rounded beforehand.
enum { DRIFTS = 1024 };

// nearest handles the numbered rows, or all n if rows is NULL.
typedef void nearest_fn(const problem *p, const int32_t *rows, int64_t count, const results *out);
extern nearest_fn nearest_avx512, nearest_avx2, nearest_neon;

typedef int64_t filter_fn(const problem *p, const filter *w, const int32_t *rows, int64_t count, const results *out, int32_t *unsure);
extern filter_fn filter_avx512, filter_avx2, filter_neon;
extern filter_fn dots_avx512, dots_avx2, dots_neon; // for centers that are packed one after the other

// short_dots is dots for the numbered rows of a copy in short whole numbers.
typedef int64_t short_dots_fn(const problem *p, const filter *w, const int16_t *copy, const int32_t *rows, int64_t count,
                              const results *out, int32_t *unsure);
extern short_dots_fn short_dots_vnni, short_dots_madd;

// short_lanes is filter for rows of LANED features at most, which it makes short whole numbers.
enum { LANED = 512 };
extern filter_fn short_lanes_vnni, short_lanes_madd;

typedef int64_t slabs_fn(const problem *p, const filter *w, const void *x, int64_t first, int64_t end, int all, int fresh,
                         int32_t *rows, const results *out, int32_t *unsure, int64_t *scattered, int64_t *looked);
extern slabs_fn slabs_avx512, slabs_avx2, slabs_neon, slabs_vnni, slabs_madd;

typedef int64_t grouped_fn(const problem *p, const groups *w, const int32_t *rows, int64_t count, const results *out, int all,
                           int32_t *unsure, int64_t *resolved);
extern grouped_fn grouped_avx512, grouped_avx2, grouped_neon, grouped_vnni, grouped_madd;

// The most centers that candidates lists for a row.
enum { CANDIDATES = 8 };

typedef void candidates_fn(const problem *p, const groups *w, float *sums, int32_t *list);
extern candidates_fn candidates_avx512, candidates_avx2, candidates_neon, candidates_vnni, candidates_madd;
void candidates(int set, const double *x, int64_t n, int64_t s, const float *packed, const float *half, const double *origin,
                const double *constants, int64_t number, const int32_t *order, float *scratch, int64_t room, const int16_t *whole,
                double scale, double gone, double longest, float *sums, int32_t *list);

typedef void pairs_fn(const double *x, const double *centers, int64_t s, const int32_t *row, const int32_t *center, int64_t n, double *d);
extern pairs_fn pairs_avx512, pairs_avx2, pairs_neon;
void pairs(int set, const double *x, const double *centers, int64_t s, const int32_t *row, const int32_t *center, int64_t n, double *d);

void find(int set, const double *x, int64_t n, int64_t s, const double *centers, int64_t k, const double *weights,
          int loss, int observed, double *dst, double *best, double *second, int32_t *label);

// between is Go's Two.Find, but for rows for which it writes ODD.
void between(int set, const double *x, int64_t n, int64_t s, const double *centers, int64_t k, const double *weights, int loss,
             int observed, int32_t *own, int32_t *next, double *distance, double *other);

// assign is Go's Bound.Assign. packed, and what follows, are of Go's filter, and NULL
// without one; narrow and filled are its copy, or NULL; unsure gets the number of rows
// that it was not certain of. step is the scale of centers in whole numbers.
int64_t assign(int set, const double *x, int64_t n, int64_t s, const double *centers, int64_t k, const double *weights,
               int loss, int observed, int32_t *label, float *gap, const double *drift, double margin, int all,
               const float *packed, const float *half, const double *origin, double scale, const double *constants, const float *reach,
               float least, float both, int64_t together, int alone, int dots, int shorts, const int16_t *whole, double step, double gone,
               double longest, double shortest, void *narrow, float *filled, int64_t *unsure);

// assign_grouped is assign with a filter that has groups: see groups.
int64_t assign_grouped(int set, const double *x, int64_t n, int64_t s, const double *centers, int64_t k, int32_t *label, float *gap,
                       const double *drift, double margin, int all, const float *packed, const float *half, const double *origin,
                       const double *constants, int64_t number, const int32_t *order, const int32_t *of, const double *drifts,
                       const float *reach, float *lower, float *scratch, int32_t *heads, int32_t *lists, int64_t room,
                       const double *exact, const int16_t *whole, double scale, double gone, double longest,
                       void *narrow, float *filled, int64_t *unsure);

// move is Go's Sums.Move; low, count, origin, from and weight may be NULL. It returns
// how many rows it has moved: n, unless a label is not below k.
typedef int64_t move_fn(double *sum, double *low, double *mass, double *count, const double *origin, int64_t k, const double *x, int64_t p,
                        int64_t n, const int32_t *from, const int32_t *to, const double *weight);
int64_t move(int set, double *sum, double *low, double *mass, double *count, const double *origin, int64_t k, const double *x, int64_t p,
             int64_t n, const int32_t *from, const int32_t *to, const double *weight);

// means is Go's Sums.Means for columns first to end−1, of which first is a multiple of 64; low, count and origin may be NULL.
typedef void means_fn(const double *sum, const double *low, const double *mass, const double *count, const double *origin,
                      const double *square, const double *theta, int64_t k, int64_t p, int64_t first, int64_t end, double *mean,
           double *column);
void means(int set, const double *sum, const double *low, const double *mass, const double *count, const double *origin,
           const double *square, const double *theta, int64_t k, int64_t p, int64_t first, int64_t end, double *mean,
           double *column);

// changed writes to rows those of first..end-1 whose labels differ, and returns how many.
// It may write up to 16 numbers more. all gets the bits that any label in to has.
typedef int64_t changed_fn(int32_t *rows, const int32_t *from, const int32_t *to, int64_t first, int64_t end, int32_t *all);
extern changed_fn changed_avx512, changed_avx2, changed_neon;

// pick is Go's Pick, for n rows and s columns.
void pick(int set, double *to, const double *x, int64_t p, int64_t n, const int64_t *columns, int64_t s);

// remember and recall are Go's, for n labels.
typedef void remember_fn(uint8_t *kept, const int32_t *label, int64_t n);
extern remember_fn remember_avx512, remember_avx2, remember_neon;
void remember(int set, uint8_t *kept, const int32_t *label, int64_t n);
typedef void recall_fn(const uint8_t *kept, int32_t *label, int64_t n);
extern recall_fn recall_avx512, recall_avx2, recall_neon;
void recall(int set, const uint8_t *kept, int32_t *label, int64_t n);

// entries are Go's Entries.
typedef struct {
	const int64_t *start;
	const int32_t *column;
	const double *offset;
} entries;

// entry_products is Table.Products; own may be null.
typedef void entry_products_fn(const entries *x, const int32_t *rows, int64_t count, const double *table, const double *own,
                         const double *square, const double *weights, int64_t wide, int large, double *q,
                    double *norm);
extern entry_products_fn entry_products_avx512, entry_products_avx2, entry_products_neon;

void entry_products(int set, const int64_t *start, const int32_t *column, const double *offset, const int32_t *rows, int64_t count,
              const double *table, const double *own, const double *square, const double *weights, int64_t wide, int large, double *q,
                    double *norm);

// changed is Go's Changed. It returns the complement of the number if a label is below 0.
int64_t changed(int set, int32_t *rows, const int32_t *from, const int32_t *to, int64_t n);

// add adds n numbers to sum.
typedef void add_fn(double *sum, const double *x, int64_t n);
void add(int set, double *sum, const double *x, int64_t n);

// drain is Go's Drain.
typedef void drain_fn(double *sum, double *x, int64_t n);
void drain(int set, double *sum, double *x, int64_t n);

// add_squares is Go's AddSquares, for n rows of p cells.
typedef void add_squares_fn(double *sum, const double *x, const double *mass, int64_t n, int64_t p);
void add_squares(int set, double *sum, const double *x, const double *mass, int64_t n, int64_t p);

// add_roots is Go's AddRoots, for so many rows of n numbers.
typedef void add_roots_fn(double *sum, const double *x, const int32_t *label, const double *weight, int64_t rows, int64_t n);
void add_roots(int set, double *sum, const double *x, const int32_t *label, const double *weight, int64_t rows, int64_t n);

// totals is Go's Totals.Add and squares Squares.Add, for n rows of p cells.
typedef void totals_fn(const double *pivot, double *high, double *low, double *least, double *most, double *missing,
                       const double *x, int64_t n, int64_t p);
void totals(int set, const double *pivot, double *high, double *low, double *least, double *most, double *missing,
            const double *x, int64_t n, int64_t p);
typedef void squares_fn(const double *mean, const double *inverse, double *off, double *centred, double *square,
                        const double *x, int64_t n, int64_t p);
void squares(int set, const double *mean, const double *inverse, double *off, double *centred, double *square,
             const double *x, int64_t n, int64_t p);

extern totals_fn totals_avx512, totals_avx2, totals_neon;
extern squares_fn squares_avx512, squares_avx2, squares_neon;
extern means_fn means_avx512, means_avx2, means_neon;
extern add_fn add_avx512, add_avx2, add_neon;
extern drain_fn drain_avx512, drain_avx2, drain_neon;
extern add_squares_fn add_squares_avx512, add_squares_avx2, add_squares_neon;
extern add_roots_fn add_roots_avx512, add_roots_avx2, add_roots_neon;
typedef int64_t scan_fn(int32_t *rows, const results *out, int64_t k, int64_t first, int64_t end);
extern scan_fn scan_avx512, scan_avx2, scan_neon;
extern move_fn move_avx512, move_avx2, move_neon;

#endif
