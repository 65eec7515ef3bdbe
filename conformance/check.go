package conformance

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
)

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

// A trial is one case of one law.
type trial struct {
	ctx    context.Context
	number uint64
	index  int // of the case among those of its law, to go through lists evenly
	size   int // 1 … sizes−1
	rand   *rand.Rand
	input  []func() string
	limit  time.Duration // after which the case counts as hung
	note   string
	ends   []func()
	failed bool // known when ends are called
}

// How a check ends early: methods of trial panic with one of these.
type (
	failure struct{ message string }
	nothing struct{ why string }
	trouble struct{ err error }
)

// failf ends the case: the law does not hold.
func (c *trial) failf(format string, args ...any) {
	panic(failure{fmt.Sprintf(format, brief(args)...)})
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

// skipf ends the case, which says nothing about the law.
func (c *trial) skipf(format string, args ...any) { panic(nothing{fmt.Sprintf(format, args...)}) }

// must ends the case if the suite itself has failed.
func (c *trial) must(err error) {
	if err != nil {
		panic(trouble{err})
	}
}

// given notes what the target is given, for the report. Lists are copied as they
// are now, and written out only if the case fails.
func (c *trial) given(format string, args ...any) {
	for i, arg := range brief(args) {
		if v, ok := arg.(framework.Matrix); ok {
			args[i] = shown{v.Clone()}
		}
	}
	c.input = append(c.input, func() string { return fmt.Sprintf(format, args...) })
}

// inputs writes out the notes of given.
func (c *trial) inputs() []string {
	var all []string
	for _, text := range c.input {
		all = append(all, text())
	}
	return all
}

// patience is how long the case may wait for what should happen within a time. It
// is less where the watchdog gives the whole case little.
func (c *trial) patience(within time.Duration) time.Duration { return min(within, c.limit/4) }

// notef notes what the law does not check on this target. All cases note the same.
func (c *trial) notef(format string, args ...any) { c.note = fmt.Sprintf(format, args...) }

// atEnd calls f when the case is over.
func (c *trial) atEnd(f func()) { c.ends = append(c.ends, f) }

// between returns a number from low to high, both included.
func (c *trial) between(low, high int) int {
	if high <= low {
		return low
	}
	return low + c.rand.IntN(high-low+1)
}

// checkLaws checks the laws one after the other.
func checkLaws[T any](ctx context.Context, laws []law[T], target T, o Options) []Verdict {
	verdicts := make([]Verdict, len(laws))
	for i, l := range laws {
		v := &verdicts[i]
		began := time.Now()
		if why := o.disabled(l.Law); why != "" {
			*v = Verdict{Law: l.Law, Status: Disabled, Reason: why}
		} else {
			*v = l.verdict(ctx, target, o)
			v.Seconds = time.Since(began).Seconds()
		}
		if reason, expected := o.Expected[l.Name]; expected {
			v.expect(reason, o)
		}
		if o.Progress != nil {
			o.Progress(*v)
		}
	}
	return verdicts
}

// expect applies an expected failure, of which it is a failure to pass.
func (v *Verdict) expect(reason string, o Options) {
	switch v.Status {
	case Failed:
		v.Status, v.Reason = ExpectedFailed, reason
	case Passed:
		v.Status = Failed
		v.Finding = &Finding{Message: fmt.Sprintf("the law holds, but is expected to fail (%s): the expectation is out of date", reason),
			Replay: o.replay(v.Name, 0)}
	}
}

// numbers returns the numbers of a law's cases, small ones first.
func (l law[T]) numbers(o Options) []uint64 {
	if o.Case != nil {
		return []uint64{*o.Case}
	}
	if l.once {
		return []uint64{1}
	}
	count := cmp.Or(l.cases, defaultCases)
	if o.Profile == Full {
		count *= fullFactor
	}
	all := make([]uint64, count)
	for i := range all {
		all[i] = uint64(i)*sizes + 1 + uint64(i*(sizes-1)/count)
	}
	return all
}

func (l law[T]) verdict(ctx context.Context, target T, o Options) Verdict {
	v := Verdict{Law: l.Law, Status: Passed}
	var skipped string
	for _, number := range l.numbers(o) {
		if err := ctx.Err(); err != nil {
			v.Status, v.Reason = Errored, err.Error()
			return v
		}
		end, input, note := l.run(ctx, target, number, o)
		if note != "" {
			v.Note = note
		}
		switch end := end.(type) {
		case nil:
			v.Cases++
		case nothing:
			skipped = end.why
		case trouble:
			v.Status, v.Reason = Errored, end.err.Error()
			return v
		case failure:
			v.Cases++
			v.Status = Failed
			number, end, input = l.shrink(ctx, target, number, end, input, o)
			v.Finding = &Finding{Case: number, Input: input, Message: end.message, Replay: o.replay(l.Name, number)}
			return v
		}
	}
	if v.Cases == 0 {
		v.Status, v.Reason = Skipped, skipped
	}
	return v
}

// shrink looks for a smaller case that fails too.
func (l law[T]) shrink(ctx context.Context, target T, number uint64, end failure, input []string, o Options) (uint64, failure, []string) {
	if l.once || o.Case != nil || strings.HasPrefix(end.message, hung) {
		return number, end, input
	}
	began := time.Now()
	for size := uint64(1); size < number%sizes; size++ {
		for i := range uint64(shrinkTries) {
			if ctx.Err() != nil || time.Since(began) > o.watchdog()/4 {
				return number, end, input
			}
			smaller := (shrinkNumber+i)*sizes + size
			found, with, _ := l.run(ctx, target, smaller, o)
			if f, ok := found.(failure); ok {
				return smaller, f, with
			}
		}
	}
	return number, end, input
}

// hung begins the message of a case that did not end.
const hung = "it did not return"

// run runs one case under the watchdog. It returns nil if the law held.
func (l law[T]) run(ctx context.Context, target T, number uint64, o Options) (end any, input []string, note string) {
	limit := o.watchdog()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &trial{ctx: ctx, limit: limit, number: number, index: int(number / sizes), size: max(1, int(number%sizes)),
		rand: framework.Rand(number, l.Name)}
	done := make(chan any, 1)
	go func() {
		defer func() {
			end := thrown(recover())
			_, c.failed = end.(failure)
			for i := len(c.ends) - 1; i >= 0; i-- {
				c.ends[i]()
			}
			done <- end
		}()
		l.check(c, target)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case end := <-done:
		if c.failed {
			input = c.inputs()
		}
		return end, input, c.note
	case <-timer.C:
		return failure{fmt.Sprintf("%s within %v", hung, limit)}, nil, "" // its goroutine may still write to c
	}
}

// thrown says how a check ended. A panic that is not ours is the target's.
func thrown(r any) any {
	switch r := r.(type) {
	case nil:
		return nil
	case failure, nothing, trouble:
		return r
	default:
		return failure{fmt.Sprintf("it panicked: %v%s; what data or a user can cause must be a Fault", r, culprit(string(debug.Stack())))}
	}
}

// culprit returns the line of code that panicked.
func culprit(stack string) string {
	_, after, _ := strings.Cut(stack, "\npanic(")
	lines := strings.Split(after, "\n")
	for i := 2; i+1 < len(lines); i += 2 {
		if strings.HasPrefix(lines[i], "runtime.") || strings.HasPrefix(lines[i], "panic(") {
			continue
		}
		place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +0x")
		if cut := strings.LastIndex(place, "/"); cut >= 0 {
			place = place[cut+1:]
		}
		return " at " + place
	}
	return ""
}
