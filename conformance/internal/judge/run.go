package judge

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Try checks the law on its cases, until one fails.
func (l Law[T]) Try(ctx context.Context, target T, o Options) (r Result) {
	for _, number := range l.numbers(o) {
		if r.Err = ctx.Err(); r.Err != nil {
			return r
		}
		end, input, note := l.run(ctx, target, number, o)
		if note != "" {
			r.Note = note
		}
		switch end := end.(type) {
		case nil:
			r.Cases++
		case nothing:
			r.Skipped = end.why
		case Trouble:
			r.Err = end.Err
			return r
		case Failure:
			r.Cases++
			number, end, input = l.shrink(ctx, target, number, end, input, o)
			r.Finding = &Finding{number, input, end.Message}
			return r
		}
	}
	return r
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
			found, with, _ := l.run(ctx, target, smaller, o)
			if f, ok := found.(Failure); ok {
				return smaller, f, with
			}
		}
	}
	return number, end, input
}

// hung begins the message of a case that did not end.
const hung = "it did not return"

// run runs one case under the watchdog. It returns nil if the law held.
func (l Law[T]) run(ctx context.Context, target T, number uint64, o Options) (end any, input []string, note string) {
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
	case end := <-done:
		if c.Failed {
			input = c.inputs()
		}
		return end, input, c.note
	case <-timer.C:
		return Failure{fmt.Sprintf("%s within %v", hung, limit)}, nil, "" // its goroutine may still write to c
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
