package duck

import (
	"math"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// Numbers writes the first n entries to dst, one every stride, as DuckDB casts them to
// DOUBLE, and NaN for NULL. It returns false, and may have written some, if the type
// is not one of the usual numbers, or if a number is NaN itself.
func (v Vector) Numbers(dst []float64, stride, n int) bool {
	t := mapping.VectorGetColumnType(v.handle)
	defer mapping.DestroyLogicalType(&t)
	whole := true
	switch mapping.GetTypeId(t) {
	case mapping.TypeDouble:
		whole = spread(dst, stride, unsafe.Slice((*float64)(v.data), n))
	case mapping.TypeFloat:
		whole = spread(dst, stride, unsafe.Slice((*float32)(v.data), n))
	case mapping.TypeBigInt:
		spread(dst, stride, unsafe.Slice((*int64)(v.data), n))
	case mapping.TypeInteger:
		spread(dst, stride, unsafe.Slice((*int32)(v.data), n))
	case mapping.TypeSmallInt:
		spread(dst, stride, unsafe.Slice((*int16)(v.data), n))
	case mapping.TypeTinyInt:
		spread(dst, stride, unsafe.Slice((*int8)(v.data), n))
	case mapping.TypeUBigInt:
		spread(dst, stride, unsafe.Slice((*uint64)(v.data), n))
	case mapping.TypeUInteger:
		spread(dst, stride, unsafe.Slice((*uint32)(v.data), n))
	case mapping.TypeUSmallInt:
		spread(dst, stride, unsafe.Slice((*uint16)(v.data), n))
	case mapping.TypeUTinyInt:
		spread(dst, stride, unsafe.Slice((*uint8)(v.data), n))
	case mapping.TypeHugeInt:
		return v.spreadHuge(dst, stride, n)
	case mapping.TypeDecimal:
		scale := int(mapping.DecimalScale(t))
		switch mapping.DecimalInternalType(t) {
		case mapping.TypeBigInt:
			spreadDecimal(dst, stride, unsafe.Slice((*int64)(v.data), n), scale)
		case mapping.TypeInteger:
			spreadDecimal(dst, stride, unsafe.Slice((*int32)(v.data), n), scale)
		case mapping.TypeSmallInt:
			spreadDecimal(dst, stride, unsafe.Slice((*int16)(v.data), n), scale)
		default:
			return false
		}
	default:
		return false
	}
	if !whole {
		for i := range n {
			if x := dst[i*stride]; x != x && !v.Null(i) {
				return false
			}
		}
	}
	v.Nulls(n, func(i int) { dst[i*stride] = math.NaN() })
	return true
}

// spread writes values every stride, and reports whether none of them is NaN.
func spread[T float64 | float32 | int64 | int32 | int16 | int8 | uint64 | uint32 | uint16 | uint8](
	dst []float64, stride int, from []T,
) bool {
	sum := 0.0
	for i, x := range from {
		dst[i*stride] = float64(x)
		sum += float64(x)
	}
	return sum == sum
}

// spreadDecimal is spread for decimals. Those of more digits than a float64 has are
// taken apart at the point, as DuckDB does.
func spreadDecimal[T int64 | int32 | int16](dst []float64, stride int, from []T, scale int) {
	whole := int64(1)
	for range scale {
		whole *= 10
	}
	power := float64(whole)
	for i, x := range from {
		if v := int64(x); v <= exactInteger && v >= -exactInteger || scale == 0 {
			dst[i*stride] = float64(v) / power
		} else {
			dst[i*stride] = float64(v/whole) + float64(v%whole)/power
		}
	}
}

// exactInteger is the largest number up to which a float64 has every whole number.
const exactInteger = 1 << 53

// spreadHuge is Numbers for HUGEINT; it returns false for numbers beyond 64 bits.
func (v Vector) spreadHuge(dst []float64, stride, n int) bool {
	for i := range n {
		lower, upper := *(*uint64)(unsafe.Add(v.data, i*16)), *(*int64)(unsafe.Add(v.data, i*16+8))
		switch {
		case v.Null(i):
			dst[i*stride] = math.NaN()
		case upper == 0:
			dst[i*stride] = float64(lower)
		case upper == -1:
			dst[i*stride] = -float64(math.MaxUint64-lower) - 1
		default:
			return false
		}
	}
	return true
}
