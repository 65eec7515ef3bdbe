//go:build cgo && (amd64 || arm64)

package kernel

// With -g, the compiler spends half of its time on where variables are; lines are enough (-g1).

// #cgo CFLAGS: -O3 -std=c11 -g1
// #cgo CFLAGS: -Wno-unknown-pragmas
// #include "kernel.h"
import "C"

import "unsafe"

// implementations returns what this processor can run, best first.
func implementations() []implementation {
	var all []implementation
	if C.has(C.VNNI) != 0 {
		all = append(all, inC("avx512vnni", C.VNNI))
	}
	if C.has(C.AVX512) != 0 {
		all = append(all, inC("avx512", C.AVX512))
	}
	if C.has(C.AVX2) != 0 {
		all = append(all, inC("avx2", C.AVX2))
	}
	if C.has(C.NEON) != 0 {
		all = append(all, inC("neon", C.NEON))
	}
	return append(all, portable)
}

// inC returns the C functions of an instruction set.
func inC(name string, set C.int) implementation {
	return implementation{
		name: name, tile: int(C.tile(set)), whole: int(C.whole(set)),
		find: func(m Measure, x []float64, n int, c *Centers, f Nearest, dst []float64) {
			C.find(set, doubles(x), C.int64_t(n), C.int64_t(c.S), doubles(c.packed), C.int64_t(c.K), doubles(m.Weights),
				C.int(m.Loss), truth(m.Observed), doubles(dst), doubles(f.Best), doubles(f.Second), ints(f.Label))
		},
		between: func(m Measure, x []float64, c *Centers, t Two) {
			C.between(set, doubles(x), C.int64_t(len(t.Own)), C.int64_t(c.S), doubles(c.packed), C.int64_t(c.K), doubles(m.Weights),
				C.int(m.Loss), truth(m.Observed), ints(t.Own), ints(t.Second), doubles(t.Distance), doubles(t.Other))
		},
		assign: func(m Measure, x []float64, c *Centers, b *Bound, drift []float64, all bool) int {
			b.unsure = 0
			f := c.filterOf(m)
			if g := &f.groups; f.on && g.on {
				v := newVisit(c)
				defer visits.Put(v)
				looked := int(C.assign_grouped(set, doubles(x), C.int64_t(len(b.Label)), C.int64_t(c.S), doubles(c.packed), C.int64_t(c.K),
					ints(b.Label), floats(b.Gap), doubles(drift), C.double(margin(c.S)), truth(all), floats(f.packed), floats(f.half),
					doubles(f.origin), (*C.double)(&f.constants[0]), C.int64_t(len(g.drift)), ints(g.order), ints(g.of),
					doubles(g.drift), floats(g.reach), floats(b.Lower), floats(v.x), ints(v.heads), ints(v.lists), C.int64_t(v.rows),
					doubles(c.Rows), shorts(g.whole.packed), C.double(g.whole.scale), C.double(g.whole.gone), C.double(g.whole.longest),
					unsafe.Pointer(unsafe.SliceData(b.narrow)), floats(b.narrowed), (*C.int64_t)(&b.unsure)))
				f.tell(looked, int(b.unsure))
				return looked
			}
			looked := int(C.assign(set, doubles(x), C.int64_t(len(b.Label)), C.int64_t(c.S), doubles(c.packed), C.int64_t(c.K),
				doubles(m.Weights), C.int(m.Loss), truth(m.Observed), ints(b.Label), floats(b.Gap),
				doubles(drift), C.double(margin(c.S)), truth(all), floats(f.packed), floats(f.half), doubles(f.origin),
				C.double(f.scale), (*C.double)(&f.constants[0]), floats(f.reach), C.float(f.least), C.float(f.both), C.int64_t(f.together),
				truth(f.alone), truth(f.dots), truth(f.short), shorts(f.few.packed), C.double(f.few.scale), C.double(f.few.gone),
				C.double(f.few.longest), C.double(f.few.shortest), unsafe.Pointer(unsafe.SliceData(b.narrow)), floats(b.narrowed), (*C.int64_t)(&b.unsure)))
			f.tell(looked, int(b.unsure))
			return looked
		},
		candidates: func(x []float64, n int, c *Centers, list []int32) {
			f, v := &c.filter, newVisit(c)
			defer visits.Put(v)
			sums := make([]float32, slabRows*len(f.groups.order))
			C.candidates(set, doubles(x), C.int64_t(n), C.int64_t(c.S), floats(f.packed), floats(f.half), doubles(f.origin),
				(*C.double)(&f.constants[0]), C.int64_t(len(f.groups.drift)), ints(f.groups.order), floats(v.x), C.int64_t(v.rows),
				shorts(f.groups.whole.packed), C.double(f.groups.whole.scale), C.double(f.groups.whole.gone),
				C.double(f.groups.whole.longest), floats(sums), ints(list))
		},
		pairs: func(x []float64, c *Centers, row, center []int32, d []float64) {
			C.pairs(set, doubles(x), doubles(c.Rows), C.int64_t(c.S), ints(row), ints(center), C.int64_t(len(d)), doubles(d))
		},
		move: func(s Sums, x []float64, p int, from, to []int32, weight []float64) int {
			return int(C.move(set, doubles(s.Sum), doubles(s.Low), doubles(s.Mass), doubles(s.Count), doubles(s.Origin),
				C.int64_t(len(s.Mass)), doubles(x), C.int64_t(p), C.int64_t(len(to)), ints(from), ints(to), doubles(weight)))
		},
		means: func(s Sums, square, theta, mean, column []float64, first, end int) {
			C.means(set, doubles(s.Sum), doubles(s.Low), doubles(s.Mass), doubles(s.Count), doubles(s.Origin), doubles(square),
				doubles(theta), C.int64_t(len(s.Mass)), C.int64_t(len(column)), C.int64_t(first), C.int64_t(end),
				doubles(mean), doubles(column))
		},
		changed: func(rows, from, to []int32) (int, bool) {
			n := int(C.changed(set, ints(rows), ints(from), ints(to), C.int64_t(len(to))))
			return max(n, ^n), n < 0
		},
		pick: func(dst, x []float64, p int, columns []int) {
			C.pick(set, doubles(dst), doubles(x), C.int64_t(p), C.int64_t(len(x)/p), (*C.int64_t)(unsafe.Pointer(unsafe.SliceData(columns))),
				C.int64_t(len(columns)))
		},
		remember: func(kept []uint8, labels []int32) { C.remember(set, bytes(kept), ints(labels), C.int64_t(len(labels))) },
		recall:   func(labels []int32, kept []uint8) { C.recall(set, bytes(kept), ints(labels), C.int64_t(len(labels))) },
		products: func(t *Table, q, norm []float64, x Entries, rows []int32) {
			C.entry_products(set, (*C.int64_t)(unsafe.SliceData(x.Start)), ints(x.Column), doubles(x.Offset), ints(rows), C.int64_t(len(rows)),
				doubles(t.cells), doubles(t.missing()), doubles(t.Square), doubles(t.weights),
				C.int64_t(t.wide), truth(len(t.cells) > largeTable), doubles(q), doubles(norm))
		},
		add:   func(sum, x []float64) { C.add(set, doubles(sum), doubles(x), C.int64_t(len(x))) },
		drain: func(sum, x []float64) { C.drain(set, doubles(sum), doubles(x), C.int64_t(len(x))) },
		addSquares: func(sum, x, mass []float64) {
			C.add_squares(set, doubles(sum), doubles(x), doubles(mass), C.int64_t(len(mass)), C.int64_t(len(sum)))
		},
		addRoots: func(sum, x []float64, labels []int32, weights []float64, n int) {
			C.add_roots(set, doubles(sum), doubles(x), ints(labels), doubles(weights), C.int64_t(len(labels)), C.int64_t(n))
		},
		totals: func(t Totals, x []float64) {
			C.totals(set, doubles(t.Pivot), doubles(t.High), doubles(t.Low), doubles(t.Min), doubles(t.Max), doubles(t.Missing),
				doubles(x), C.int64_t(len(x)/len(t.Pivot)), C.int64_t(len(t.Pivot)))
		},
		squares: func(s Squares, x []float64) {
			C.squares(set, doubles(s.Mean), doubles(s.Inverse), doubles(s.Off), doubles(s.Centred), doubles(s.Square),
				doubles(x), C.int64_t(len(x)/len(s.Mean)), C.int64_t(len(s.Mean)))
		},
	}
}

func doubles(v []float64) *C.double { return (*C.double)(unsafe.SliceData(v)) }

func floats(v []float32) *C.float { return (*C.float)(unsafe.SliceData(v)) }

func ints(v []int32) *C.int32_t { return (*C.int32_t)(unsafe.SliceData(v)) }

func shorts(v []int16) *C.int16_t { return (*C.int16_t)(unsafe.SliceData(v)) }

func bytes(v []uint8) *C.uint8_t { return (*C.uint8_t)(unsafe.SliceData(v)) }

func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}
