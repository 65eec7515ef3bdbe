package memory

import "testing"

func TestZerosAreZerosAndCanBeWritten(t *testing.T) {
	for _, n := range []int{0, 1, large/4 - 1, large / 4, 5*large + 3} {
		v, w := Zeros[float32](n), Zeros[float64](n)
		if len(v) != n || len(w) != n {
			t.Fatalf("%d and %d of %d", len(v), len(w), n)
		}
		for i := range n {
			if v[i] != 0 || w[i] != 0 {
				t.Fatalf("number %d of %d is %v and %v", i, n, v[i], w[i])
			}
			v[i], w[i] = 1, 1
		}
	}
}
