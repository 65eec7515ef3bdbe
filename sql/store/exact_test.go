package store

import (
	"testing"
	"unsafe"
)

// 2^53 + 2 is above the numbers that a float64 tells apart; behind a NULL it is
// what happened to be in memory.
func TestWhatIsBehindANULLIsNoNumberThatIsRounded(t *testing.T) {
	values := []float64{1, exactInteger + 2, 3}
	for name, c := range map[string]struct {
		valid []uint64
		want  bool
	}{
		"all are numbers":   {nil, true},
		"the second is":     {[]uint64{0b010}, true},
		"the second is not": {[]uint64{0b101}, false},
	} {
		in := &reader{rounded: make([]bool, 1)}
		in.noteRounding(source{column: column{typ: "BIGINT"}}, 0, vector{data: unsafe.Pointer(unsafe.SliceData(values)), valid: c.valid}, len(values))
		if in.rounded[0] != c.want {
			t.Errorf("%s: rounded %v", name, in.rounded[0])
		}
	}
}
