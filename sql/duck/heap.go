package duck

/*
#include <stdlib.h>
void sqlclusterHeapBind(void *);
void sqlclusterHeapInit(void *);
void sqlclusterHeapNext(void *, void *);
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// A Heap keeps rows of a statement as it runs, in vectors of the same types. A query
// of a database that reads heaps sees them as the rows of heap(ID): a column g with a
// number for each row, then c0, c1, ... It can be read when nothing is added.
type Heap struct {
	id    int64
	types []bindings.LogicalType

	mu     sync.Mutex
	chunks []bindings.DataChunk // full, but for the last one
	last   int                  // rows of that
}

// heaps are those of this process, by ID.
var (
	heaps    sync.Map
	lastHeap atomic.Int64
)

// NewHeap returns a heap for rows of such vectors.
func NewHeap(columns []Vector) *Heap {
	h := &Heap{id: lastHeap.Add(1), types: []bindings.LogicalType{bindings.CreateLogicalType(bindings.TypeBigInt)}}
	for _, c := range columns {
		h.types = append(h.types, bindings.VectorGetColumnType(c.handle))
	}
	heaps.Store(h.id, h)
	return h
}

// Relation is the heap in a query.
func (h *Heap) Relation() string { return fmt.Sprintf("heap(%d)", h.id) }

// Add copies the rows of vectors, with a number for each.
func (h *Heap) Add(numbers []int64, columns []Vector) {
	h.add(numbers, columns, 0)
}

// AddOne copies one row, of which each column is entry at of a vector.
func (h *Heap) AddOne(number int64, columns []Vector, at int) {
	h.add([]int64{number}, columns, at)
}

func (h *Heap) add(numbers []int64, columns []Vector, first int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	rows := bindings.CreateSelectionVector(bindings.IdxT(len(numbers)))
	defer bindings.DestroySelectionVector(&rows)
	for i, entries := 0, unsafe.Slice(bindings.SelectionVectorGetDataPtr(rows), len(numbers)); i < len(numbers); i++ {
		entries[i] = bindings.SelT(first + i)
	}
	for from := 0; from < len(numbers); {
		if len(h.chunks) == 0 || h.last == ChunkRows {
			h.chunks, h.last = append(h.chunks, bindings.CreateDataChunk(h.types)), 0
		}
		chunk := h.chunks[len(h.chunks)-1]
		n := min(ChunkRows-h.last, len(numbers)-from)
		Fixed(func(i int) (int64, bool) { return numbers[from+i], true })(
			targetAt(bindings.DataChunkGetVector(chunk, 0), h.last, n), 0, n)
		for i, c := range columns {
			to := bindings.DataChunkGetVector(chunk, bindings.IdxT(i+1))
			bindings.VectorCopySel(c.handle, to, rows, bindings.IdxT(from+n), bindings.IdxT(from), bindings.IdxT(h.last))
		}
		from, h.last = from+n, h.last+n
		bindings.DataChunkSetSize(chunk, bindings.IdxT(h.last))
	}
}

// Drop frees the rows. What a query has read of them stays.
func (h *Heap) Drop() {
	if _, there := heaps.LoadAndDelete(h.id); !there {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.chunks {
		bindings.DestroyDataChunk(&h.chunks[i])
	}
	for i := range h.types {
		bindings.DestroyLogicalType(&h.types[i])
	}
	h.chunks = nil
}

// ReadHeaps lets queries of this database read heaps.
func (db *DB) ReadHeaps() error {
	return db.locked(context.Background(), func() error {
		f := bindings.CreateTableFunction()
		defer bindings.DestroyTableFunction(&f)
		bindings.TableFunctionSetName(f, "heap")
		id := bindings.CreateLogicalType(bindings.TypeBigInt)
		defer bindings.DestroyLogicalType(&id)
		bindings.TableFunctionAddParameter(f, id)
		bindings.TableFunctionSetBind(f, C.sqlclusterHeapBind)
		bindings.TableFunctionSetInit(f, C.sqlclusterHeapInit)
		bindings.TableFunctionSetFunction(f, C.sqlclusterHeapNext)
		bindings.TableFunctionSupportsProjectionPushdown(f, true)
		if bindings.RegisterTableFunction(db.conn, f) == bindings.StateError {
			return errors.New("DuckDB does not take the table function heap")
		}
		return nil
	})
}

// heapScan is where a query is in a heap, in memory of C.
type heapScan struct {
	heap, next int64
	columns    int64
	column     [1 << 16]int32 // as many as there are columns
}

//export sqlclusterHeapBind
func sqlclusterHeapBind(pointer unsafe.Pointer) {
	info := bindings.BindInfo{Ptr: pointer}
	argument := bindings.BindGetParameter(info, 0)
	defer bindings.DestroyValue(&argument)
	id := bindings.GetInt64(argument)
	found, ok := heaps.Load(id)
	if !ok {
		bindings.BindSetError(info, "these rows are gone")
		return
	}
	h := found.(*Heap)
	for i, t := range h.types {
		name := fmt.Sprintf("c%d", i-1)
		if i == 0 {
			name = "g"
		}
		bindings.BindAddResultColumn(info, name, t)
	}
	bindings.BindSetCardinality(info, bindings.IdxT(max(0, len(h.chunks)-1)*ChunkRows+h.last), true)
	data := (*int64)(C.malloc(C.size_t(unsafe.Sizeof(id))))
	*data = id
	bindings.BindSetBindData(info, unsafe.Pointer(data), C.free)
}

//export sqlclusterHeapInit
func sqlclusterHeapInit(pointer unsafe.Pointer) {
	info := bindings.InitInfo{Ptr: pointer}
	n := bindings.InitGetColumnCount(info)
	scan := (*heapScan)(C.malloc(C.size_t(unsafe.Offsetof(heapScan{}.column) + uintptr(n)*unsafe.Sizeof(int32(0)))))
	scan.heap, scan.next, scan.columns = *(*int64)(bindings.InitGetBindData(info)), 0, int64(n)
	for i := range n {
		scan.column[i] = int32(bindings.InitGetColumnIndex(info, i))
	}
	bindings.InitSetInitData(info, unsafe.Pointer(scan), C.free)
}

//export sqlclusterHeapNext
func sqlclusterHeapNext(pointer, output unsafe.Pointer) {
	info, to := bindings.FunctionInfo{Ptr: pointer}, bindings.DataChunk{Ptr: output}
	scan := (*heapScan)(bindings.FunctionGetInitData(info))
	found, ok := heaps.Load(scan.heap)
	if !ok {
		bindings.FunctionSetError(info, "these rows are gone")
		return
	}
	h := found.(*Heap)
	h.mu.Lock()
	defer h.mu.Unlock()
	if int(scan.next) >= len(h.chunks) {
		return // no more rows
	}
	from := h.chunks[scan.next]
	scan.next++
	for i, c := range scan.column[:scan.columns] {
		if int(c) < len(h.types) { // or else it is one that has no values, as for count(*)
			bindings.VectorReferenceVector(bindings.DataChunkGetVector(to, bindings.IdxT(i)), bindings.DataChunkGetVector(from, bindings.IdxT(c)))
		}
	}
	bindings.DataChunkSetSize(to, bindings.DataChunkGetSize(from))
}
