package judge

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Try checks the law on its cases, until one fails.
func (l Law[T]) Try(ctx context.Context, target T, o Options) Result {
	if o.Together <= 1 || l.Once || o.Only != nil {
		return l.inTurn(ctx, target, o)
	}
	together := l.atATime(ctx, target, o)
	if together.Finding == nil && together.Err == nil {
		return together
	}
	// One case may have spoiled another, as by ending the process of both. By
	// itself, the one that fails is the same in each run.
	alone := l.inTurn(ctx, target, o)
	if alone.Finding == nil && alone.Err == nil {
		alone.Err = together.Err
		if alone.Finding = together.Finding; alone.Finding != nil {
			alone.Finding.Message += besideOthers
		}
	}
	return alone
}

// besideOthers ends the message of a case that holds when it is replayed.
const besideOthers = "; so it was beside another case, and the case holds when it is replayed alone: what do the two share?"

// inTurn checks the cases one after the other, until one fails.
func (l Law[T]) inTurn(ctx context.Context, target T, o Options) (r Result) {
	for _, number := range l.numbers(o) {
		if r.Err = ctx.Err(); r.Err != nil {
			return r
		}
		end := l.run(ctx, target, number, o)
		if f, failed := r.add(end); failed {
			number, f, end.input = l.shrink(ctx, target, number, f, end.input, o)
			r.Finding = &Finding{number, end.input, f.Message}
		}
		if r.Err != nil || r.Finding != nil {
			return r
		}
	}
	return r
}

// atATime checks all cases, some at a time, and says what those before the first
// that fails have shown.
func (l Law[T]) atATime(ctx context.Context, target T, o Options) (r Result) {
	numbers := l.numbers(o)
	ends := make([]ending, len(numbers))
	var next, failed atomic.Int64
	failed.Store(int64(len(numbers)))
	var workers sync.WaitGroup
	for range o.Together {
		workers.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= failed.Load() || ctx.Err() != nil {
					return
				}
				ends[i] = l.run(ctx, target, numbers[i], o)
				if ends[i].fails() {
					failed.Store(min(i, failed.Load())) // a larger one only costs a few more cases
				}
			}
		})
	}
	workers.Wait()
	if r.Err = ctx.Err(); r.Err != nil {
		return r
	}
	for i, end := range ends {
		if f, failed := r.add(end); failed {
			r.Finding = &Finding{numbers[i], end.input, f.Message}
		}
		if r.Err != nil || r.Finding != nil {
			return r
		}
	}
	return r
}

// An ending is how a case went.
type ending struct {
	how   any // nil: the law held; or a Failure, nothing, or Trouble
	input []string
	note  string
}

// fails reports whether no case after this one matters.
func (e ending) fails() bool {
	switch e.how.(type) {
	case Failure, Trouble:
		return true
	}
	return false
}

// add counts a case. It returns the failure, if it is one.
func (r *Result) add(end ending) (f Failure, failed bool) {
	r.Note = cmp.Or(end.note, r.Note)
	switch how := end.how.(type) {
	case nil:
		r.Cases++
	case nothing:
		r.Skipped = how.why
	case Trouble:
		r.Err = how.Err
	case Failure:
		r.Cases++
		return how, true
	}
	return f, false
}

// shrink looks for a smaller case that fails too.
func (l Law[T]) shrink(ctx context.Context, target T, number uint64, end Failure, input []string, o Options) (uint64, Failure, []string) {
	if l.Once || o.Only != nil || strings.HasPrefix(end.Message, hung) {
		return number, end, input
	}
	began := time.Now()
	for size := uint64(1); size < number%sizes; size++ {
		for i := range uint64(shrinkTries) {
			if ctx.Err() != nil || time.Since(began) > o.limit()/4 {
				return number, end, input
			}
			smaller := (shrinkNumber+i)*sizes + size
			end := l.run(ctx, target, smaller, o)
			if f, ok := end.how.(Failure); ok {
				return smaller, f, end.input
			}
		}
	}
	return number, end, input
}

// hung begins the message of a case that did not end.
const hung = "it did not return"

// run runs one case under the watchdog.
func (l Law[T]) run(ctx context.Context, target T, number uint64, o Options) ending {
	limit := o.limit()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &Trial{Ctx: ctx, limit: limit, Number: number, Index: int(number / sizes), Size: max(1, int(number%sizes)),
		Rand: framework.Rand(number, l.Name)}
	done := make(chan any, 1)
	go func() {
		defer func() {
			end := Thrown(recover())
			_, c.Failed = end.(Failure)
			for i := len(c.ends) - 1; i >= 0; i-- {
				c.ends[i]()
			}
			done <- end
		}()
		l.Check(c, target)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case how := <-done:
		e := ending{how: how, note: c.note}
		if c.Failed {
			e.input = c.inputs()
		}
		return e
	case <-timer.C:
		return ending{how: Failure{fmt.Sprintf("%s within %v", hung, limit)}} // its goroutine may still write to c
	}
}

// Thrown says how a check ended. A panic that is not ours is the target's.
func Thrown(r any) any {
	switch r := r.(type) {
	case nil:
		return nil
	case Failure, nothing, Trouble:
		return r
	default:
		return Failure{fmt.Sprintf("it panicked: %v%s; what data or a user can cause must be a Fault", r, culprit(string(debug.Stack())))}
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
