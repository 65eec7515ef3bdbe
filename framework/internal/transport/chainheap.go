package transport

// A chainHeap has its shortest chain first, of several that of the lowest team.
type chainHeap[N number[N]] []chain[N]

func (c chain[N]) less(d chain[N]) bool {
	return c.length.less(d.length) || c.length == d.length && c.team < d.team
}

func (h chainHeap[N]) init() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.down(i)
	}
}

func (h *chainHeap[N]) push(c chain[N]) {
	*h = append(*h, c)
	s := *h
	i := len(s) - 1
	for i > 0 && c.less(s[(i-1)/2]) {
		s[i] = s[(i-1)/2]
		i = (i - 1) / 2
	}
	s[i] = c
}

func (h *chainHeap[N]) pop() {
	s := *h
	last := len(s) - 1
	s[0] = s[last]
	*h = s[:last]
	if last > 1 {
		h.down(0)
	}
}

func (h chainHeap[N]) down(i int) {
	c := h[i]
	for {
		l := 2*i + 1
		if l >= len(h) {
			break
		}
		if l+1 < len(h) && h[l+1].less(h[l]) {
			l++
		}
		if !h[l].less(c) {
			break
		}
		h[i] = h[l]
		i = l
	}
	h[i] = c
}
