// Package memory says how much memory this process can still get. What follows
// from it may change time and room, never a result.
package memory

import "math"

// little is so few bytes that every process can have them.
const little = 16 << 20

// AvailableFor returns Available where that matters for something of the given
// size in bytes. For a little it is the largest number: reading what the system
// tells, in a dozen files, takes longer than many a fit.
func AvailableFor(size int64) int64 {
	if size <= little {
		return math.MaxInt64
	}
	return Available()
}
