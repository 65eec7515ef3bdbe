package memory

import (
	"context"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// The stock is memory that this process has got from the system before anything has asked for it.
var stock struct {
	left   atomic.Int64 // bytes
	mu     sync.Mutex
	pieces [][]byte // what is left of each, all zeros
	era    int      // how often it has been cleared
}

const (
	stockPiece = 4 << 20 // bytes: a small table that lasts keeps no more than that from being freed
	cacheLine  = 64
)

// StockUp gets memory for tables of Zeros that are to come: for one of first bytes, and for smaller ones of rest bytes
// in all, in place of what was left of the stock. It goes on until that is there, the stock is cleared or ctx is cancelled,
// and is for a time when there is nothing else to do. ClearStock drops what nothing has asked for.
func StockUp(ctx context.Context, first, rest int64) {
	era := clearStock()
	stockUp(ctx, era, first)
	for ; rest > 0; rest -= stockPiece {
		stockUp(ctx, era, min(rest, stockPiece))
	}
}

func stockUp(ctx context.Context, era int, size int64) {
	if size <= 0 || ctx.Err() != nil {
		return
	}
	piece := make([]byte, (size+cacheLine-1)&^(cacheLine-1))
	for rest := piece; len(rest) > 0 && ctx.Err() == nil; {
		part := rest[:min(stockPiece, len(rest))]
		Provide(part)
		for i := 0; i < len(part); i += os.Getpagesize() {
			part[i] = 0 // which takes time in a virtual machine even where the system has provided it
		}
		rest = rest[len(part):]
	}
	stock.mu.Lock()
	defer stock.mu.Unlock()
	if era != stock.era || ctx.Err() != nil {
		return
	}
	stock.pieces = append(stock.pieces, piece)
	stock.left.Add(int64(len(piece)))
}

// fromStock returns n zeros of the stock, or nil if it has not got so many side by side.
func fromStock[T cell](n int) []T {
	size := uintptr(n) * unsafe.Sizeof(*new(T))
	if size < small || Stocked() < int64(size) {
		return nil
	}
	size = (size + cacheLine - 1) &^ (cacheLine - 1) // as pieces have whole ones
	stock.mu.Lock()
	defer stock.mu.Unlock()
	i := slices.IndexFunc(stock.pieces, func(piece []byte) bool { return len(piece) >= int(size) })
	if i < 0 {
		return nil
	}
	piece := stock.pieces[i]
	used := int64(size)
	if rest := piece[size:]; len(rest) >= small {
		stock.pieces[i] = rest
	} else {
		stock.pieces, used = slices.Delete(stock.pieces, i, i+1), int64(len(piece))
	}
	stock.left.Add(-used)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(piece))), n)
}

// Stocked returns how many bytes are left of the stock.
func Stocked() int64 { return stock.left.Load() }

// ClearStock frees what is left of the stock.
func ClearStock() { clearStock() }

func clearStock() (era int) {
	stock.mu.Lock()
	defer stock.mu.Unlock()
	stock.pieces = nil
	stock.left.Store(0)
	stock.era++
	return stock.era
}
