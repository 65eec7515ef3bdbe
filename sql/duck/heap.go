package duck

/*
#include <stdlib.h>
#include "copy.h"
#include "table.h"
*/
import "C"

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// A Heap keeps rows of a statement as it runs, in vectors of the same types. A query
// of a database that reads heaps sees them as the rows of heap(ID, CHUNKS): a column g
// with a number for each row, then c0, c1, ...
type Heap struct {
	id    int64
	types []mapping.LogicalType

	width int64 // bytes of a row, of texts and lists the least

	mu     sync.Mutex
	chunks []mapping.DataChunk
	last   int // rows of the last one
	closed int // chunks that get no more rows: they may be read
}

// heaps are those of this process, by ID.
var (
	heaps    sync.Map
	lastHeap atomic.Int64
)

// NewHeap returns a heap for rows of such vectors.
func NewHeap(columns []Vector) *Heap {
	h := &Heap{id: lastHeap.Add(1), types: []mapping.LogicalType{mapping.CreateLogicalType(mapping.TypeBigInt)}}
	h.width = 8
	for _, c := range columns {
		h.types = append(h.types, mapping.VectorGetColumnType(c.handle))
		h.width += int64(C.sqlcluster_bytes(c.handle.Ptr))
	}
	heaps.Store(h.id, h)
	return h
}

// Relation is the rows that are there now, in a query. Others can be added while it
// is read: they go to chunks of their own.
func (h *Heap) Relation() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = len(h.chunks)
	return fmt.Sprintf("heap(%d, %d)", h.id, h.closed)
}

// Bytes returns what the rows take at least.
func (h *Heap) Bytes() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return int64(len(h.chunks)) * ChunkRows * h.width
}

// Add copies the rows of vectors, with a number for each.
func (h *Heap) Add(numbers []int64, columns []Vector) error {
	return h.add(numbers, columns, 0)
}

// AddOne copies one row, of which each column is entry at of a vector.
func (h *Heap) AddOne(number int64, columns []Vector, at int) error {
	return h.add([]int64{number}, columns, at)
}

func (h *Heap) add(numbers []int64, columns []Vector, first int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for from := 0; from < len(numbers); {
		if len(h.chunks) == h.closed || h.last == ChunkRows {
			h.chunks, h.last = append(h.chunks, mapping.CreateDataChunk(h.types)), 0
		}
		chunk := h.chunks[len(h.chunks)-1]
		n := min(ChunkRows-h.last, len(numbers)-from)
		Fixed(func(i int) (int64, bool) { return numbers[from+i], true })(
			targetAt(mapping.DataChunkGetVector(chunk, 0), h.last, n), 0, n)
		for i, c := range columns {
			to := mapping.DataChunkGetVector(chunk, mapping.IdxT(i+1))
			if err := copyEntries(c.handle, first+from, n, to, h.last); err != nil {
				return err
			}
		}
		from, h.last = from+n, h.last+n
		mapping.DataChunkSetSize(chunk, mapping.IdxT(h.last))
	}
	return nil
}

// copyEntries copies n entries of a vector, from the one at first, to those of another
// from a place on.
func copyEntries(from mapping.Vector, first, n int, to mapping.Vector, at int) error {
	if unknown := C.sqlcluster_copy(from.Ptr, C.uint64_t(first), C.uint64_t(n), to.Ptr, C.uint64_t(at)); unknown != 0 {
		return fmt.Errorf("values of DuckDB's type %d cannot be kept", unknown)
	}
	return nil
}

// Drop frees the rows. What a query has read of them stays.
func (h *Heap) Drop() {
	if _, there := heaps.LoadAndDelete(h.id); !there {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.chunks {
		for c := range h.types {
			C.sqlcluster_discard(mapping.DataChunkGetVector(h.chunks[i], mapping.IdxT(c)).Ptr, ChunkRows)
		}
		mapping.DestroyDataChunk(&h.chunks[i])
	}
	for i := range h.types {
		mapping.DestroyLogicalType(&h.types[i])
	}
	h.chunks = nil
}

// ReadHeaps lets queries of this database read heaps.
func (db *DB) ReadHeaps() error {
	return db.locked(context.Background(), func() error {
		f := mapping.CreateTableFunction()
		defer mapping.DestroyTableFunction(&f)
		mapping.TableFunctionSetName(f, "heap")
		id := mapping.CreateLogicalType(mapping.TypeBigInt)
		defer mapping.DestroyLogicalType(&id)
		mapping.TableFunctionAddParameter(f, id)
		mapping.TableFunctionAddParameter(f, id) // CHUNKS has the same type
		mapping.TableFunctionSetBind(f, C.sqlcluster_heap_bind)
		mapping.TableFunctionSetInit(f, C.sqlcluster_heap_init)
		mapping.TableFunctionSetFunction(f, C.sqlcluster_heap_next)
		mapping.TableFunctionSupportsProjectionPushdown(f, true)
		if mapping.RegisterTableFunction(db.conn, f) == mapping.StateError {
			return errors.New("DuckDB does not take the table function heap")
		}
		return nil
	})
}

// heapScan is where a query is in a heap, in memory of C.
type heapScan struct {
	heap, next int64
	chunks     int64
	columns    int64
	column     [1 << 16]int32 // as many as there are columns
}

//export sqlclusterHeapBind
func sqlclusterHeapBind(pointer unsafe.Pointer) {
	info := mapping.BindInfo{Ptr: pointer}
	defer answered(func(message string) { mapping.BindSetError(info, message) })
	var data [2]int64 // of the heap and of what is read of it
	for i := range data {
		argument := mapping.BindGetParameter(info, mapping.IdxT(i))
		data[i] = mapping.GetInt64(argument)
		mapping.DestroyValue(&argument)
	}
	found, ok := heaps.Load(data[0])
	if !ok {
		mapping.BindSetError(info, "these rows are gone")
		return
	}
	h := found.(*Heap)
	h.mu.Lock() // or the types could be freed meanwhile
	defer h.mu.Unlock()
	for i, t := range h.types {
		name := fmt.Sprintf("c%d", i-1)
		if i == 0 {
			name = "g"
		}
		mapping.BindAddResultColumn(info, name, t)
	}
	mapping.BindSetCardinality(info, mapping.IdxT(data[1]*ChunkRows), false)
	kept := (*[2]int64)(C.malloc(C.size_t(unsafe.Sizeof(data))))
	*kept = data
	mapping.BindSetBindData(info, unsafe.Pointer(kept), C.free)
}

//export sqlclusterHeapInit
func sqlclusterHeapInit(pointer unsafe.Pointer) {
	info := mapping.InitInfo{Ptr: pointer}
	defer answered(func(message string) { mapping.InitSetError(info, message) })
	n := mapping.InitGetColumnCount(info)
	scan := (*heapScan)(C.malloc(C.size_t(unsafe.Offsetof(heapScan{}.column) + uintptr(n)*unsafe.Sizeof(int32(0)))))
	data := *(*[2]int64)(mapping.InitGetBindData(info))
	scan.heap, scan.chunks, scan.next, scan.columns = data[0], data[1], 0, int64(n)
	for i := range n {
		scan.column[i] = int32(mapping.InitGetColumnIndex(info, i))
	}
	mapping.InitSetInitData(info, unsafe.Pointer(scan), C.free)
}

//export sqlclusterHeapNext
func sqlclusterHeapNext(pointer, output unsafe.Pointer) {
	info, to := mapping.FunctionInfo{Ptr: pointer}, mapping.DataChunk{Ptr: output}
	defer answered(func(message string) { mapping.FunctionSetError(info, message) })
	scan := (*heapScan)(mapping.FunctionGetInitData(info))
	found, ok := heaps.Load(scan.heap)
	if !ok {
		mapping.FunctionSetError(info, "these rows are gone")
		return
	}
	h := found.(*Heap)
	h.mu.Lock()
	defer h.mu.Unlock()
	if scan.next >= min(scan.chunks, int64(len(h.chunks))) {
		return // no more rows
	}
	from := h.chunks[scan.next]
	scan.next++
	for i, c := range scan.column[:scan.columns] {
		if int(c) < len(h.types) { // or else it is one that has no values, as for count(*)
			source, n := mapping.DataChunkGetVector(from, mapping.IdxT(c)), int(mapping.DataChunkGetSize(from))
			if err := copyEntries(source, 0, n, mapping.DataChunkGetVector(to, mapping.IdxT(i)), 0); err != nil {
				mapping.FunctionSetError(info, err.Error())
				return
			}
		}
	}
	mapping.DataChunkSetSize(to, mapping.DataChunkGetSize(from))
}
