package kernel

// Filtered reports whether there is a filter.
func (c *Centers) Filtered() bool { return c.filter.on }

// Unsure is the share of the rows of which the filter was not certain.
func (c *Centers) Unsure() float64 {
	r := c.filter.record
	return float64(r.unsure) / float64(r.looked)
}

// GroupOf returns the group of a center, and how far its centers may have moved.
func (c *Centers) GroupOf(j int) (group int, drift float64) {
	group = int(c.filter.groups.of[j])
	return group, c.filter.groups.drift[group]
}

// Spring makes the filter find the centers of a group nearest to whatever it compares
// them with.
func (c *Centers) Spring(group int) {
	for i := range groupSize {
		c.filter.half[group*groupSize+i] = -1e30
	}
}

// Halved reports whether copies of rows are in half precision.
func (c *Centers) Halved() bool { return c.filter.on && c.filter.halved }

// Short reports whether copies of rows are in whole numbers.
func (c *Centers) Short() bool { return c.filter.on && c.filter.short && c.filter.few.packed != nil }

// Lanes reports whether rows are made whole numbers while they are looked at.
func (c *Centers) Lanes() bool { return c.filter.on && !c.filter.short && c.filter.few.packed != nil }

// Whole reports whether the groups are in whole numbers.
func (c *Centers) Whole() bool { return c.Groups() > 0 && c.filter.groups.whole.packed != nil }

// Forgive forgets of how many rows the filter was not certain, so that it goes on as it is.
func (c *Centers) Forgive() {
	if r := c.filter.record; r != nil {
		r.looked, r.unsure = 0, 0
	}
}
