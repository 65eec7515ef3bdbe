package means

// Certain returns how many rows of the block of p need not be looked at by c.
func (p *Panel) Certain(c *Centers) (n int) {
	p.recall(c, make([]int32, len(p.bound.Gap)), false)
	for i, label := range p.bound.Label {
		if float64(p.bound.Gap[i]) > c.drift[label] {
			n++
		}
	}
	return n
}

// Left returns how many bytes panels may still keep.
func (r *PanelMemory) Left() int64 { return r.left.Load() }
