package duck

import (
	"context"
	"sort"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// Cells write the cells of one column: rows from… of the data to entries 0…n−1 of
// a vector.
type Cells func(to target, from, n int)

// A target is entries of a vector that are to be filled, from the one at a place.
type target struct {
	handle mapping.Vector
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
	if n > 0 && n == db.expected {
		return db.insert(ctx, schemaName, name, columns)
	}
	db.mu.Lock()
	defer db.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	defer db.interruptWhenDone(ctx)()
	var appender mapping.Appender
	defer mapping.AppenderDestroy(&appender)
	fail := func() error {
		said := mapping.AppenderError(appender)
		mapping.AppenderClear(appender) // or else destroying it would try again
		return failure(ctx, said)
	}
	if mapping.AppenderCreateExt(db.conn, "", schemaName, name, &appender) == mapping.StateError {
		return fail()
	}
	types := make([]mapping.LogicalType, len(columns))
	for i := range types {
		types[i] = mapping.AppenderColumnType(appender, mapping.IdxT(i))
		defer mapping.DestroyLogicalType(&types[i])
	}
	c := mapping.CreateDataChunk(types)
	defer mapping.DestroyDataChunk(&c)
	for from := 0; from < n; from += ChunkRows {
		if ctx.Err() != nil {
			return fail()
		}
		rows := min(ChunkRows, n-from)
		mapping.DataChunkReset(c)
		for i, write := range columns {
			write(targetAt(mapping.DataChunkGetVector(c, mapping.IdxT(i)), 0, rows), from, rows)
		}
		mapping.DataChunkSetSize(c, mapping.IdxT(rows))
		if mapping.AppendDataChunk(appender, c) == mapping.StateError {
			return fail()
		}
	}
	if mapping.AppenderFlush(appender) == mapping.StateError {
		return fail()
	}
	return nil
}

// targetAt returns n entries of a vector.
func targetAt(handle mapping.Vector, at, n int) target {
	mapping.VectorEnsureValidityWritable(handle)
	t := target{handle: handle, at: at, data: mapping.VectorGetData(handle)}
	t.valid = unsafe.Slice((*uint64)(mapping.VectorGetValidity(handle)), (at+n+63)/64)
	for i := at; i < at+n; {
		if i%64 == 0 && i+64 <= at+n {
			t.valid[i/64] = ^uint64(0)
			i += 64
			continue
		}
		t.valid[i/64] |= 1 << (i % 64)
		i++
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

// Numbers writes DOUBLEs; what is not finite, and where there are no more, becomes NULL.
func Numbers(all []float64) Cells { return listed(all, func(x float64) bool { return x-x == 0 }) }

// Labels writes INTEGERs; numbers below 0, and where there are no more, become NULL.
func Labels(all []int32) Cells { return listed(all, func(x int32) bool { return x >= 0 }) }

// listed writes the numbers of a list that are there, without a call for each place.
func listed[T int32 | float64](all []T, there func(T) bool) Cells {
	return func(to target, from, n int) {
		cells := unsafe.Slice((*T)(to.data), to.at+n)[to.at:]
		for i := copy(cells, all[min(from, len(all)):]); i < n; i++ {
			cells[i] = 0
			to.null(i)
		}
		for i, x := range all[min(from, len(all)):min(from+n, len(all))] {
			if !there(x) {
				cells[i] = 0
				to.null(i)
			}
		}
	}
}

// Texts writes VARCHARs; the empty text becomes NULL.
func Texts(get func(i int) string) Cells {
	return func(to target, from, n int) {
		for i := range n {
			if s := get(from + i); s != "" {
				mapping.VectorAssignStringElement(to.handle, mapping.IdxT(to.at+i), s)
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
				mapping.VectorAssignStringElementLen(to.handle, mapping.IdxT(to.at+i), []byte(*s))
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
			if k.kind.IsText() {
				mapping.VectorAssignStringElementLen(to.handle, mapping.IdxT(to.at+i), k.bytes(at))
				continue
			}
			hi, lo := k.words(at)
			k.kind.Save(to.data, to.at+i, hi, lo)
		}
	}
}

// KeysThen writes keys, and behind them those of more.
func KeysThen(keys, more *Keys) Cells {
	behind := KeysAt(func(i int) (*Keys, int) { return more, i - keys.Len() })
	return func(to target, from, n int) {
		if first := min(n, keys.Len()-from); first > 0 {
			keys.write(to, from, first)
			to.at, from, n = to.at+first, from+first, n-first
		}
		behind(to, from, n)
	}
}

// write writes keys from…from+n−1.
func (k *Keys) write(to target, from, n int) {
	if k.kind.IsText() {
		for i := range n {
			mapping.VectorAssignStringElementLen(to.handle, mapping.IdxT(to.at+i), k.bytes(from+i))
		}
		return
	}
	var lo []uint64
	if k.lo != nil {
		lo = k.lo[from : from+n]
	}
	k.kind.SaveAll(unsafe.Add(to.data, to.at*k.kind.Width()), k.hi[from:from+n], lo)
}

// KeysOrNull writes keys, or NULL where get returns false; get says which of these.
func KeysOrNull(keys *Keys, get func(i int) (int, bool)) Cells {
	return func(to target, from, n int) {
		for i := range n {
			at, ok := get(from + i)
			if !ok {
				to.null(i)
				continue
			}
			one := to
			one.at += i
			KeysAt(func(int) (*Keys, int) { return keys, at })(one, 0, 1)
		}
	}
}

// Joined writes the cells of several tables, one table after the other. ends says where
// the rows of each end.
func Joined(ends []int, of []Cells) Cells {
	return func(to target, from, n int) {
		for g := sort.SearchInts(ends, from+1); n > 0; g++ {
			begin := 0
			if g > 0 {
				begin = ends[g-1]
			}
			if rows := min(n, ends[g]-from); rows > 0 {
				of[g](to, from-begin, rows)
				to.at, from, n = to.at+rows, from+rows, n-rows
			}
		}
	}
}

// Nulls writes NULLs.
func Nulls(to target, _, n int) {
	for i := range n {
		to.null(i)
	}
}
