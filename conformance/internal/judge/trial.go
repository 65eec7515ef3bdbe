package judge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A Trial is one case of one law.
type Trial struct {
	Ctx    context.Context
	Number uint64
	Index  int // of the case among those of its law, to go through lists evenly
	Size   int // 1 … sizes−1
	Rand   *rand.Rand
	input  []func() string
	limit  time.Duration // after which the case counts as hung
	note   string
	ends   []func()
	Failed bool // known when ends are called
}

// A check ends early by a panic with one of these, which methods of Trial raise.
type (
	// A Failure says what breaks the law.
	Failure struct{ Message string }
	// Trouble is an error of the suite itself.
	Trouble struct{ Err error }
	nothing struct{ why string }
)

// Failf ends the case: the law does not hold.
func (c *Trial) Failf(format string, args ...any) {
	panic(Failure{fmt.Sprintf(format, brief(args)...)})
}

// brief copies lists, of which it keeps the first entries.
func brief(args []any) []any {
	const few = 48
	for i, arg := range args {
		switch v := arg.(type) {
		case []float64:
			args[i] = slices.Clone(v)
			if len(v) > few {
				args[i] = fmt.Sprintf("%v and %d more", v[:few], len(v)-few)
			}
		case []int32:
			args[i] = slices.Clone(v)
			if len(v) > few {
				args[i] = fmt.Sprintf("%v and %d more", v[:few], len(v)-few)
			}
		}
	}
	return args
}

// Skipf ends the case, which says nothing about the law.
func (c *Trial) Skipf(format string, args ...any) { panic(nothing{fmt.Sprintf(format, args...)}) }

// Must ends the case if the suite itself has failed.
func (c *Trial) Must(err error) {
	if err != nil {
		panic(Trouble{err})
	}
}

// Given notes what the target is given, for the report. Lists are copied as they
// are now, and written out only if the case fails.
func (c *Trial) Given(format string, args ...any) {
	for i, arg := range brief(args) {
		if v, ok := arg.(framework.Matrix); ok {
			args[i] = Shown{v.Clone()}
		}
	}
	c.input = append(c.input, func() string { return fmt.Sprintf(format, args...) })
}

// Forget drops the notes of Given.
func (c *Trial) Forget() { c.input = nil }

// inputs writes out the notes of Given.
func (c *Trial) inputs() []string {
	var all []string
	for _, text := range c.input {
		all = append(all, text())
	}
	return all
}

// Patience is how long the case may wait for what should happen within a time. It
// is less where the watchdog gives the whole case little.
func (c *Trial) Patience(within time.Duration) time.Duration { return min(within, c.limit/4) }

// Notef notes what the law does not check on this target. All cases note the same.
func (c *Trial) Notef(format string, args ...any) { c.note = fmt.Sprintf(format, args...) }

// AtEnd calls f when the case is over.
func (c *Trial) AtEnd(f func()) { c.ends = append(c.ends, f) }

// Between returns a number from low to high, both included.
func (c *Trial) Between(low, high int) int {
	if high <= low {
		return low
	}
	return low + c.Rand.IntN(high-low+1)
}

// Large reports whether a case is one of the largest, some of which have sizes and
// magnitudes of real life.
func (c *Trial) Large() bool { return c.Size >= sizes*3/4 }
