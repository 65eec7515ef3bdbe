package wire

import "unsafe"

// A Window is room on a board for what a result has of some rows, an even number of them. Both
// processes see it.
type Window struct {
	Distance, Margin []float64
	Labels, Second   []int32
}

// Windows is how many a board has.
const Windows = 2

// BoardWords returns how many numbers of 8 bytes a board has, whose windows have so many
// rows.
func BoardWords(rows int) int { return Windows * windowWords(rows) }

func windowWords(rows int) int { return 3 * rows }

// Board returns the windows of a board.
func Board(words []float64, rows int) (all [Windows]Window) {
	for i := range all {
		own := words[i*windowWords(rows) : (i+1)*windowWords(rows)]
		part := func(at int) []float64 { return own[at : at+rows/2 : at+rows/2] }
		all[i] = Window{Distance: own[:rows:rows], Margin: own[rows : 2*rows : 2*rows], Labels: integers(part(2 * rows)),
			Second: integers(part(2*rows + rows/2))}
	}
	return all
}

// integers returns the memory of doubles as twice as many integers.
func integers(words []float64) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))
}
