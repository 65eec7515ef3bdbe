// Package judge checks laws on generated cases: it runs each case under a watchdog,
// looks for a smaller one when a case fails, and says what it has found.
package judge

import (
	"cmp"
	"time"
)

// A Law is something that must hold of targets of type T.
type Law[T any] struct {
	Name      string // stable: "clusterer/merge"
	Statement string // one sentence
	Source    string // where that is promised or proven
	Full      bool   // only the larger profile includes it

	Cases int // generated cases in the smaller profile; the larger has three times as many. 0: 40
	// Once: a single case, nothing to generate or shrink.
	Once  bool
	Check func(c *Trial, target T)
}

// Options say which cases are looked at, and for how long.
type Options struct {
	Full     bool          // three times as many cases
	Only     *uint64       // the only case to look at; nil: all
	Watchdog time.Duration // how long one case may take before it counts as hung; 0: a minute
	Together int           // how many cases may run at a time; 0: one
}

// A Result is what the cases of a law have shown.
type Result struct {
	Cases   int    // how many applied
	Note    string // what the law did not check on this target
	Skipped string // why cases did not apply
	Err     error  // the suite could not do its part
	Finding *Finding
}

// A Finding is the smallest failing case that was found.
type Finding struct {
	Number  uint64
	Input   []string // what the target was given
	Message string   // what came out, and what was allowed
}

const (
	defaultCases    = 40
	fullFactor      = 3
	defaultWatchdog = time.Minute

	// The size of a case is its number modulo sizes, so that the number alone
	// replays it.
	sizes        = 32
	shrinkTries  = 15 // at every smaller size
	shrinkNumber = 1 << 20
)

func (o Options) limit() time.Duration {
	if o.Watchdog <= 0 {
		return defaultWatchdog
	}
	return o.Watchdog
}

// numbers returns the numbers of a law's cases, small ones first.
func (l Law[T]) numbers(o Options) []uint64 {
	if o.Only != nil {
		return []uint64{*o.Only}
	}
	if l.Once {
		return []uint64{1}
	}
	count := cmp.Or(l.Cases, defaultCases)
	if o.Full {
		count *= fullFactor
	}
	all := make([]uint64, count)
	for i := range all {
		all[i] = uint64(i)*sizes + 1 + uint64(i*(sizes-1)/count)
	}
	return all
}
