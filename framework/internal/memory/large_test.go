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

func TestRoomHasTheLengthAskedForAndIsThatOfBeforeWhereItCanBe(t *testing.T) {
	v := Room[float64](nil, 3)
	first := &v[0]
	for _, n := range []int{2, 3, 0, 1, large, large / 8, 2 * large} {
		had := cap(v)
		if v = Room(v, n); len(v) != n {
			t.Fatalf("%d cells of %d", len(v), n)
		}
		if kept := n > 0 && &v[0] == first; n > 0 && kept != (n <= had) {
			t.Errorf("%d cells where there was room for %d: the memory is that of before: %v", n, had, kept)
		}
		if n > 0 {
			first = &v[0]
		}
	}
}
