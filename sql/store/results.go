package store

import (
	"math"
)

// finite reports whether x is a number to be written.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
