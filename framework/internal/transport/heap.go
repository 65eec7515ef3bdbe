package transport

// An entry is a row with what it costs to move it from its cluster to another: the
// difference of two costs, key + rest, without rounding.
type entry struct {
	key, rest float64
	row       int32
}

// move returns the entry of moving a row from cost a to cost b. key + rest is b − a
// without error (Knuth's TwoSum), and rest is what rounding has cut from the key.
func move(a, b float64, row int32) entry {
	key := b - a
	z := key - b
	return entry{key, (b - (key - z)) - (a + z), row}
}

// less orders entries by cost, equal ones by row. It is exact: rounding keeps order,
// so that a smaller key means a smaller difference, and equal keys leave the rest.
func (e entry) less(f entry) bool {
	if e.key != f.key {
		return e.key < f.key
	}
	if e.rest != f.rest {
		return e.rest < f.rest
	}
	return e.row < f.row
}

// A heap has its least entry first.
type heap []entry

func (h heap) init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *heap) push(e entry) {
	*h = append(*h, e)
	s := *h
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.less(s[up]) {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = e
}

func (h *heap) pop() {
	s := *h
	last := len(s) - 1
	s[0] = s[last]
	*h = s[:last]
	if last > 1 {
		h.down(0)
	}
}

func (h heap) down(i int) {
	e := h[i]
	for {
		c := 2*i + 1
		if c >= len(h) {
			break
		}
		if c+1 < len(h) && h[c+1].less(h[c]) {
			c++
		}
		if !h[c].less(e) {
			break
		}
		h[i] = h[c]
		i = c
	}
	h[i] = e
}
