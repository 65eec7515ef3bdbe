// Entries of vectors, copied with what every version of DuckDB offers to
// extensions: its own way to copy is not among that.
#include "copy.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef uint64_t idx_t;

void *duckdb_vector_get_column_type(void *vector);
void *duckdb_vector_get_data(void *vector);
uint64_t *duckdb_vector_get_validity(void *vector);
void duckdb_vector_ensure_validity_writable(void *vector);
void duckdb_vector_assign_string_element_len(void *vector, idx_t index, const char *text, idx_t length);
void *duckdb_list_vector_get_child(void *vector);
idx_t duckdb_list_vector_get_size(void *vector);
int duckdb_list_vector_set_size(void *vector, idx_t size);
int duckdb_list_vector_reserve(void *vector, idx_t capacity);
void *duckdb_struct_vector_get_child(void *vector, idx_t index);
void *duckdb_array_vector_get_child(void *vector);
int duckdb_get_type_id(void *type);
int duckdb_decimal_internal_type(void *type);
int duckdb_enum_internal_type(void *type);
idx_t duckdb_struct_type_child_count(void *type);
idx_t duckdb_array_type_array_size(void *type);
void duckdb_destroy_logical_type(void **type);

// Types as DuckDB numbers them.
enum { DECIMAL = 19, ENUM = 23, LIST = 24, STRUCT = 25, MAP = 26, UNION = 28, ARRAY = 33, VARIANT = 41 };

// widths are the bytes of a value, by type; those of TEXT are texts or bytes of any
// length. SQLNULL has values of 4 bytes, all of them NULL.
#define TEXT -1
static const int widths[] = {
    [1] = 1,  [2] = 1,   [3] = 2,   [4] = 4,     [5] = 8,     [6] = 1,     [7] = 2,     [8] = 4,   [9] = 8,
    [10] = 4, [11] = 8,  [12] = 8,  [13] = 4,    [14] = 8,    [15] = 16,   [16] = 16,   [17] = TEXT, [18] = TEXT,
    [20] = 8, [21] = 8,  [22] = 8,  [27] = 16,   [29] = TEXT, [30] = 8,    [31] = 8,    [32] = 16, [35] = TEXT,
    [36] = 4, [39] = 8,  [40] = TEXT,
};

static int null_at(const uint64_t *mask, idx_t i) { return mask && !(mask[i / 64] >> (i % 64) & 1); }

static void copy_nulls(void *from, idx_t first, idx_t n, void *to, idx_t at) {
    const uint64_t *mask = duckdb_vector_get_validity(from);
    uint64_t *copy = 0;
    for (idx_t i = 0; mask && i < n; i++) {
        if (null_at(mask, first + i)) {
            if (!copy) {
                duckdb_vector_ensure_validity_writable(to);
                copy = duckdb_vector_get_validity(to);
            }
            copy[(at + i) / 64] &= ~((uint64_t)1 << ((at + i) % 64));
        }
    }
}

// A text as DuckDB holds it: up to 12 bytes in place, or 4 and a pointer to all.
typedef struct {
    uint32_t length;
    char prefix[4];
    const char *rest;
} text;

static void copy_texts(void *from, idx_t first, idx_t n, void *to, idx_t at) {
    const text *texts = (const text *)duckdb_vector_get_data(from) + first;
    text *copies = (text *)duckdb_vector_get_data(to) + at;
    const uint64_t *mask = duckdb_vector_get_validity(from);
    for (idx_t i = 0; i < n; i++) {
        if (null_at(mask, first + i)) {
            memset(&copies[i], 0, sizeof(text));
        } else if (texts[i].length <= 12) {
            copies[i] = texts[i];
        } else {
            duckdb_vector_assign_string_element_len(to, at + i, texts[i].rest, texts[i].length);
        }
    }
}

typedef struct {
    uint64_t offset, length;
} span;

static int copy_lists(void *from, idx_t first, idx_t n, void *to, idx_t at) {
    const span *spans = (const span *)duckdb_vector_get_data(from) + first;
    span *copies = (span *)duckdb_vector_get_data(to) + at;
    const uint64_t *mask = duckdb_vector_get_validity(from);
    void *child = duckdb_list_vector_get_child(from);
    idx_t size = duckdb_list_vector_get_size(to), all = size;
    for (idx_t i = 0; i < n; i++) {
        copies[i].length = null_at(mask, first + i) ? 0 : spans[i].length;
        copies[i].offset = all;
        all += copies[i].length;
    }
    duckdb_list_vector_reserve(to, all);
    duckdb_list_vector_set_size(to, all);
    void *into = duckdb_list_vector_get_child(to);
    for (idx_t i = 0; i < n;) { // lists that follow one another are copied at once
        if (copies[i].length == 0) {
            i++;
            continue;
        }
        idx_t start = spans[i].offset, length = 0, place = copies[i].offset;
        for (; i < n && (copies[i].length == 0 || spans[i].offset == start + length); i++) {
            length += copies[i].length;
        }
        int unknown = sqlcluster_copy(child, start, length, into, place);
        if (unknown) {
            return unknown;
        }
    }
    return 0;
}

static int width_of(void *type) {
    int id = duckdb_get_type_id(type);
    if (id == DECIMAL) {
        id = duckdb_decimal_internal_type(type);
    } else if (id == ENUM) {
        id = duckdb_enum_internal_type(type);
    }
    return id >= 0 && id < (int)(sizeof(widths) / sizeof(widths[0])) ? widths[id] : 0;
}

int sqlcluster_copy(void *from, uint64_t first, uint64_t n, void *to, uint64_t at) {
    void *type = duckdb_vector_get_column_type(from);
    int id = duckdb_get_type_id(type), width = width_of(type), unknown = 0;
    if (width > 0) {
        memcpy((char *)duckdb_vector_get_data(to) + at * width, (const char *)duckdb_vector_get_data(from) + first * width, n * width);
    } else if (width == TEXT) {
        copy_texts(from, first, n, to, at);
    } else if (id == LIST || id == MAP) {
        unknown = copy_lists(from, first, n, to, at);
    } else if (id == ARRAY) {
        idx_t size = duckdb_array_type_array_size(type);
        unknown = sqlcluster_copy(duckdb_array_vector_get_child(from), first * size, n * size, duckdb_array_vector_get_child(to), at * size);
    } else if (id == STRUCT || id == UNION || id == VARIANT) {
        idx_t children = duckdb_struct_type_child_count(type);
        for (idx_t c = 0; c < children && !unknown; c++) {
            unknown = sqlcluster_copy(duckdb_struct_vector_get_child(from, c), first, n, duckdb_struct_vector_get_child(to, c), at);
        }
    } else {
        unknown = id;
    }
    duckdb_destroy_logical_type(&type);
    copy_nulls(from, first, n, to, at);
    return unknown;
}

int sqlcluster_bytes(void *vector) {
    void *type = duckdb_vector_get_column_type(vector);
    int width = width_of(type);
    duckdb_destroy_logical_type(&type);
    return width > 0 ? width : sizeof(text);
}

void sqlcluster_discard(void *vector, uint64_t n) {
    void *type = duckdb_vector_get_column_type(vector);
    int width = width_of(type);
    duckdb_destroy_logical_type(&type);
    if (width > 0) {
        uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)duckdb_vector_get_data(vector), to = from + n * width;
        from = (from + page - 1) / page * page;
        to = to / page * page;
        if (from < to) {
            madvise((void *)from, to - from, MADV_DONTNEED);
        }
    }
}
