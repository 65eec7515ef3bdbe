//go:build !linux || portable

package memory

import "math"

// Available returns the bytes that this process can still get. This system does
// not tell.
func Available() int64 { return math.MaxInt64 }
