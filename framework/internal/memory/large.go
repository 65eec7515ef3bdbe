package memory

import "unsafe"

// A cell is what large tables have.
type cell interface {
	~uint8 | ~int16 | ~uint16 | ~int32 | ~float32 | ~float64
}

// large is from how many bytes on a table is worth a call of the system.
const large = 64 << 10

// small is from how many bytes on a table is worth a call together with others beside it, such as those
// of the blocks of a fit.
const small = 16 << 10

// Zeros returns n zeros, for a table that is about to be written from one end to the other.
// It is of the stock, if that has it. Otherwise the memory of a large one is had from the system at once, which takes
// little more than half as long as page by page, when each is first written to.
func Zeros[T cell](n int) []T {
	if v := fromStock[T](n); v != nil {
		return v
	}
	v := make([]T, n)
	Provide(v)
	return v
}

// Room returns n cells that are about to be written: those of v, or as Zeros, and a few more to grow, where it has not
// got so many. (slices.Grow would write zeros to all of them first, page by page.)
func Room[T cell](v []T, n int) []T {
	if n <= cap(v) {
		return v[:n]
	}
	if cap(v) == 0 {
		return Zeros[T](n)
	}
	v = make([]T, n+n/4)[:n]
	Provide(v)
	return v
}

// Provide gets the memory of cells that are about to be written from the system, as Zeros
// does.
func Provide[T cell](v []T) {
	switch size := uintptr(len(v)) * unsafe.Sizeof(*new(T)); {
	case size >= large:
		populate(unsafe.Pointer(unsafe.SliceData(v)), size, true)
	case size >= small:
		surround(unsafe.Pointer(unsafe.SliceData(v)))
	}
}

// ProvideSmall is Provide of cells whose pages stay small, as those of a file on a disk.
func ProvideSmall[T cell](v []T) {
	if size := uintptr(len(v)) * unsafe.Sizeof(*new(T)); size >= large {
		populate(unsafe.Pointer(unsafe.SliceData(v)), size, false)
	}
}
