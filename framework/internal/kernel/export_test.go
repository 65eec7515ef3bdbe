package kernel

// Filtered reports whether there is a filter.
func (c *Centers) Filtered() bool { return c.filter.on }

// Unsure is the share of the rows of which the filter was not certain.
func (c *Centers) Unsure() float64 {
	r := c.filter.record
	return float64(r.unsure) / float64(r.looked)
}
