package seeding

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

// FuzzDistinctRows reads cells of any bits, three features a row.
func FuzzDistinctRows(f *testing.F) {
	var seed []byte
	for _, v := range []float64{0, 1, math.NaN(), math.Copysign(0, -1), 1, math.NaN(), math.Inf(1), 5e-324, -1} {
		seed = binary.LittleEndian.AppendUint64(seed, math.Float64bits(v))
	}
	f.Add(seed, 3)
	f.Fuzz(func(t *testing.T, bits []byte, atLeast int) {
		const p = 3
		n := len(bits) / (8 * p)
		x := framework.NewMatrix(n, p)
		texts := map[string]bool{}
		for i := range n {
			row := x.Row(i)
			for l := range row {
				row[l] = math.Float64frombits(binary.LittleEndian.Uint64(bits[8*(i*p+l):])) + 0 // −0 + 0 is 0
			}
			texts[fmt.Sprint(row)] = true
			if i%2 == 0 && row[0] == 0 {
				row[0] = math.Copysign(0, -1)
			}
		}
		got := DistinctRows(table{x: x, block: 2}, atLeast)
		if want := max(0, min(atLeast, len(texts))); got != want {
			t.Errorf("%d distinct rows of %d", got, want)
		}
	})
}
