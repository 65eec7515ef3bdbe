package memory

import "unsafe"

// A cell is what large tables have.
type cell interface {
	~uint8 | ~uint16 | ~int32 | ~float32 | ~float64
}

// large is from how many bytes on a table is worth a call of the system.
const large = 64 << 10

// Zeros returns n zeros, for a table that is about to be written from one end to the other.
// The memory of a large one is had from the system at once, which takes little more than half
// as long as page by page, when each is first written to.
func Zeros[T cell](n int) []T {
	v := make([]T, n)
	Provide(v)
	return v
}

// Provide gets the memory of cells that are about to be written from the system, as Zeros
// does.
func Provide[T cell](v []T) {
	if size := uintptr(len(v)) * unsafe.Sizeof(*new(T)); size >= large {
		populate(unsafe.Pointer(unsafe.SliceData(v)), size)
	}
}
