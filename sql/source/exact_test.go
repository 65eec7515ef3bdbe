package source

import (
	"testing"
)

// 2^53 + 2 is above the numbers that a float64 tells apart; behind a NULL it is
// what happened to be in memory.
func TestWhatIsBehindANULLIsNoNumberThatIsRounded(t *testing.T) {
	values := []float64{1, exactInteger + 2, 3}
	for name, c := range map[string]struct {
		null func(i int) bool
		want bool
	}{
		"all are numbers":   {func(int) bool { return false }, true},
		"the second is":     {func(i int) bool { return i != 1 }, true},
		"the second is not": {func(i int) bool { return i == 1 }, false},
	} {
		in := &reader{rounded: make([]bool, 1)}
		in.noteRounding(exactUpTo("BIGINT"), 0, values, c.null)
		if in.rounded[0] != c.want {
			t.Errorf("%s: rounded %v", name, in.rounded[0])
		}
	}
}
