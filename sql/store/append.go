package store

import (
	"context"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// A cellWriter writes the cells of one column: rows from… of the data to
// entries 0…n−1 of a vector.
type cellWriter func(to target, from, n int)

// A target is a vector to be filled.
type target struct {
	handle bindings.Vector
	data   unsafe.Pointer
	valid  []uint64 // of chunkRows bits, all set
}

func (t target) null(i int) { t.valid[i/64] &^= 1 << (i % 64) }

// appendRows appends n rows to a table that lies in the current transaction.
func (db *DB) appendRows(ctx context.Context, schemaName, name string, n int, columns []cellWriter) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	defer db.interruptWhenDone(ctx)()
	var appender bindings.Appender
	defer bindings.AppenderDestroy(&appender)
	fail := func() error {
		err := &duckError{text: bindings.AppenderError(appender)}
		bindings.AppenderClear(appender) // or else destroying it would try again
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return err
	}
	if bindings.AppenderCreateExt(db.conn, "", schemaName, name, &appender) == bindings.StateError {
		return fail()
	}
	types := make([]bindings.LogicalType, len(columns))
	for i := range types {
		types[i] = bindings.AppenderColumnType(appender, bindings.IdxT(i))
		defer bindings.DestroyLogicalType(&types[i])
	}
	c := bindings.CreateDataChunk(types)
	defer bindings.DestroyDataChunk(&c)
	for from := 0; from < n; from += chunkRows {
		if err := ctx.Err(); err != nil {
			bindings.AppenderClear(appender)
			return err
		}
		rows := min(chunkRows, n-from)
		bindings.DataChunkReset(c)
		for i, write := range columns {
			write(newTarget(bindings.DataChunkGetVector(c, bindings.IdxT(i))), from, rows)
		}
		bindings.DataChunkSetSize(c, bindings.IdxT(rows))
		if bindings.AppendDataChunk(appender, c) == bindings.StateError {
			return fail()
		}
	}
	if bindings.AppenderFlush(appender) == bindings.StateError {
		return fail()
	}
	return nil
}

func newTarget(handle bindings.Vector) target {
	bindings.VectorEnsureValidityWritable(handle)
	t := target{handle: handle, data: bindings.VectorGetData(handle)}
	t.valid = unsafe.Slice((*uint64)(bindings.VectorGetValidity(handle)), chunkRows/64)
	for i := range t.valid {
		t.valid[i] = ^uint64(0)
	}
	return t
}

// fixed writes values of a fixed width; get returns false for NULL.
func fixed[T any](get func(i int) (T, bool)) cellWriter {
	return func(to target, from, n int) {
		cells := unsafe.Slice((*T)(to.data), n)
		for i := range cells {
			x, ok := get(from + i)
			if cells[i] = x; !ok {
				to.null(i)
			}
		}
	}
}

// numbers writes DOUBLEs; what is not finite becomes NULL.
func numbers(get func(i int) float64) cellWriter {
	return fixed(func(i int) (float64, bool) {
		x := get(i)
		return x, finite(x)
	})
}

// counts writes INTEGERs; numbers below least become NULL.
func counts(least int, get func(i int) int) cellWriter {
	return fixed(func(i int) (int32, bool) {
		n := get(i)
		return int32(n), n >= least
	})
}

// bigCounts writes BIGINTs.
func bigCounts(get func(i int) int) cellWriter {
	return fixed(func(i int) (int64, bool) { return int64(get(i)), true })
}

// texts writes VARCHARs; the empty text becomes NULL.
func texts(get func(i int) string) cellWriter {
	return func(to target, from, n int) {
		for i := range n {
			if s := get(from + i); s != "" {
				bindings.VectorAssignStringElement(to.handle, bindings.IdxT(i), s)
			} else {
				to.null(i)
			}
		}
	}
}

// orNull writes texts that may be empty; nil is NULL.
func orNull(get func(i int) *string) cellWriter {
	return func(to target, from, n int) {
		for i := range n {
			if s := get(from + i); s != nil {
				bindings.VectorAssignStringElementLen(to.handle, bindings.IdxT(i), []byte(*s))
			} else {
				to.null(i)
			}
		}
	}
}

// keyCells writes the keys of first, then those of second, which may be nil.
func keyCells(first, second *Keys) cellWriter {
	return keysAt(func(i int) (*Keys, int) {
		if i >= first.Len() {
			return second, i - first.Len()
		}
		return first, i
	})
}

// repeatedKeys writes the keys again and again.
func repeatedKeys(k *Keys) cellWriter {
	return keysAt(func(i int) (*Keys, int) { return k, i % k.Len() })
}

// keysAt writes the keys that get finds.
func keysAt(get func(i int) (*Keys, int)) cellWriter {
	return func(to target, from, n int) {
		for i := range n {
			k, at := get(from + i)
			if k.kind.isText() {
				bindings.VectorAssignStringElementLen(to.handle, bindings.IdxT(i), k.bytes(at))
				continue
			}
			hi, lo := k.words(at)
			k.kind.save(to.data, i, hi, lo)
		}
	}
}
