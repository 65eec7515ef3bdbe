package memory

import (
	"context"
	"runtime"
	"slices"
	"testing"
	"unsafe"
)

func TestTablesComeFromTheStockAsLongAsItHasRoomAndAreZerosOfTheirOwn(t *testing.T) {
	defer ClearStock()
	const first, rest = 1<<20 + 4, 2*stockPiece + 100_000
	StockUp(t.Context(), first, rest)
	if had := Stocked(); had < first+rest || had > first+rest+4*cacheLine {
		t.Fatalf("%d bytes of %d", had, first+rest)
	}
	var tables [][]float32
	from := 0
	for i, n := range []int{first / 4, small / 4, small/4 + 1, stockPiece / 4, stockPiece/4 + 1, small/4 - 1, stockPiece / 8, 70_001, stockPiece, 30_000} {
		before := Stocked()
		v := Zeros[float32](n)
		if len(v) != n || slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			t.Fatalf("table %d is no %d zeros", i, n)
		}
		if used := before - Stocked(); used > 0 {
			from++
			if used < int64(n)*4 || uintptr(unsafe.Pointer(&v[0]))%cacheLine != 0 {
				t.Errorf("table %d of %d numbers took %d bytes, and begins at %p", i, n, used, &v[0])
			}
		} else if i < 4 || n*4 >= small && n*4 <= 70_001*4 {
			t.Errorf("table %d, of %d numbers, is not of the stock of %d bytes", i, n, before)
		}
		for j := range v {
			v[j] = float32(i + 1)
		}
		tables = append(tables, v)
	}
	if from != 7 {
		t.Errorf("%d tables are of the stock", from) // all but one that is small, and two that are larger than a piece
	}
	for i, v := range tables {
		if slices.ContainsFunc(v, func(x float32) bool { return x != float32(i+1) }) {
			t.Errorf("table %d has been written by another", i)
		}
	}
}

func TestAStockIsNotMadeWhenItIsNotAskedForAnyMore(t *testing.T) {
	defer ClearStock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	StockUp(ctx, 1<<20, 1<<20)
	if Stocked() != 0 {
		t.Errorf("%d bytes, when cancelled", Stocked())
	}
	era := clearStock()
	ClearStock()
	stockUp(t.Context(), era, 1<<20)
	if Stocked() != 0 {
		t.Errorf("%d bytes, when cleared meanwhile", Stocked())
	}
	StockUp(t.Context(), 1<<20, 1<<20)
	StockUp(t.Context(), 1<<20, 0)
	if Stocked() != 1<<20 {
		t.Errorf("%d bytes of the last time", Stocked())
	}
}

func TestATableThatLastsKeepsOnePieceOfTheStockAtMost(t *testing.T) {
	defer ClearStock()
	const pieces = 8
	had := inUse()
	StockUp(t.Context(), 0, pieces*stockPiece)
	lasting := Zeros[uint8](large)
	for Stocked() >= large {
		Zeros[uint8](large)
	}
	ClearStock()
	if kept := inUse() - had; kept > stockPiece+stockPiece/4 {
		t.Errorf("%d bytes are kept", kept)
	}
	runtime.KeepAlive(lasting)
}

func TestWhatIsClearedIsFree(t *testing.T) {
	had := inUse()
	StockUp(t.Context(), stockPiece, stockPiece)
	ClearStock()
	if kept := inUse() - had; Stocked() != 0 || kept > stockPiece/4 {
		t.Errorf("%d bytes are stocked, %d in use", Stocked(), kept)
	}
}

// inUse returns the bytes of the heap that can be reached.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
