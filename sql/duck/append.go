package duck

import (
	"context"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// Cells write the cells of one column: rows from… of the data to entries 0…n−1 of
// a vector.
type Cells func(to target, from, n int)

// A target is entries of a vector that are to be filled, from the one at a place.
type target struct {
	handle bindings.Vector
	at     int
	data   unsafe.Pointer // of the whole vector
	valid  []uint64       // as well; the bits of the entries are set
}

func (t target) null(i int) {
	i += t.at
	t.valid[i/64] &^= 1 << (i % 64)
}

// Append appends n rows to a table, within the current transaction.
func (db *DB) Append(ctx context.Context, schemaName, name string, n int, columns []Cells) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	defer db.interruptWhenDone(ctx)()
	var appender bindings.Appender
	defer bindings.AppenderDestroy(&appender)
	fail := func() error {
		said := bindings.AppenderError(appender)
		bindings.AppenderClear(appender) // or else destroying it would try again
		return failure(ctx, said)
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
	for from := 0; from < n; from += ChunkRows {
		if ctx.Err() != nil {
			return fail()
		}
		rows := min(ChunkRows, n-from)
		bindings.DataChunkReset(c)
		for i, write := range columns {
			write(targetAt(bindings.DataChunkGetVector(c, bindings.IdxT(i)), 0, rows), from, rows)
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

// targetAt returns n entries of a vector.
func targetAt(handle bindings.Vector, at, n int) target {
	bindings.VectorEnsureValidityWritable(handle)
	t := target{handle: handle, at: at, data: bindings.VectorGetData(handle)}
	t.valid = unsafe.Slice((*uint64)(bindings.VectorGetValidity(handle)), (at+n+63)/64)
	for i := at; i < at+n; i++ {
		t.valid[i/64] |= 1 << (i % 64)
	}
	return t
}

// Fixed writes values of a fixed width; get returns false for NULL.
func Fixed[T any](get func(i int) (T, bool)) Cells {
	return func(to target, from, n int) {
		cells := unsafe.Slice((*T)(to.data), to.at+n)[to.at:]
		for i := range cells {
			x, ok := get(from + i)
			if cells[i] = x; !ok {
				to.null(i)
			}
		}
	}
}

// Doubles writes DOUBLEs; what is not finite becomes NULL.
func Doubles(get func(i int) float64) Cells {
	return Fixed(func(i int) (float64, bool) {
		x := get(i)
		return x, x-x == 0
	})
}

// Integers writes INTEGERs; numbers below least become NULL.
func Integers(least int, get func(i int) int) Cells {
	return Fixed(func(i int) (int32, bool) {
		n := get(i)
		return int32(n), n >= least
	})
}

// Bigints writes BIGINTs.
func Bigints(get func(i int) int) Cells {
	return Fixed(func(i int) (int64, bool) { return int64(get(i)), true })
}

// Texts writes VARCHARs; the empty text becomes NULL.
func Texts(get func(i int) string) Cells {
	return func(to target, from, n int) {
		for i := range n {
			if s := get(from + i); s != "" {
				bindings.VectorAssignStringElement(to.handle, bindings.IdxT(to.at+i), s)
			} else {
				to.null(i)
			}
		}
	}
}

// TextsOrNull writes VARCHARs that may be empty; nil is NULL.
func TextsOrNull(get func(i int) *string) Cells {
	return func(to target, from, n int) {
		for i := range n {
			if s := get(from + i); s != nil {
				bindings.VectorAssignStringElementLen(to.handle, bindings.IdxT(to.at+i), []byte(*s))
			} else {
				to.null(i)
			}
		}
	}
}

// KeysAt writes keys; get says of which keys, and which of these.
func KeysAt(get func(i int) (*Keys, int)) Cells {
	return func(to target, from, n int) {
		for i := range n {
			k, at := get(from + i)
			if k.kind.isText() {
				bindings.VectorAssignStringElementLen(to.handle, bindings.IdxT(to.at+i), k.bytes(at))
				continue
			}
			hi, lo := k.words(at)
			k.kind.save(to.data, to.at+i, hi, lo)
		}
	}
}

// Nulls writes NULLs.
func Nulls(to target, _, n int) {
	for i := range n {
		to.null(i)
	}
}
