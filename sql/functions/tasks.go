package functions

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/duck"
)

// A task makes the values of groups.
type task struct {
	groups []int64
	done   chan struct{}
	values [][]duck.Field
	err    error
}

// poll tells which groups have their values. It starts the work on those that are new.
func (c *calls) poll(args duck.Chunk, out duck.Returned) error {
	groups := duck.View[int64](args.Column(0), args.Rows)
	tasks := make([]*task, len(groups))
	for i, g := range groups {
		st := c.at(g)
		if st == nil {
			return errGone
		}
		if tasks[i] = st.taskOf(g, groups[i:]); tasks[i] == nil {
			return errGone
		}
	}
	done := ended(tasks)
	out.Fill(len(groups), duck.Fixed(func(i int) (bool, bool) { return done[i], true }))
	return nil
}

// ended tells which tasks have ended. If none has, it waits for the first for a while.
func ended(tasks []*task) []bool {
	done := make([]bool, len(tasks))
	look := func() (some bool) {
		for i, t := range tasks {
			select {
			case <-t.done:
				done[i], some = true, true
			default:
			}
		}
		return some
	}
	if len(tasks) > 0 && !look() {
		select {
		case <-tasks[0].done:
		case <-time.After(wait):
		}
		look()
	}
	return done
}

// taskOf returns the task of a group. A new one does all of these that have none.
func (st *statement) taskOf(group int64, all []int64) *task {
	c := st.call
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.tasks[group]; known != nil {
		return known
	}
	if st.ctx.Err() != nil {
		return nil
	}
	t := &task{done: make(chan struct{})}
	for _, g := range all {
		if g>>idBits == c.id && c.tasks[g] == nil {
			c.tasks[g] = t
			t.groups = append(t.groups, g)
		}
	}
	c.of.tasks.Add(1)
	running.Go(func() {
		defer c.of.tasks.Done()
		t.run(st)
	})
	return t
}

func (t *task) run(st *statement) {
	defer func() {
		if r := recover(); r != nil {
			t.err = fmt.Errorf("internal error: %v", r)
		}
		close(t.done)
	}()
	if t.values, t.err = st.call.work(st, t.groups); t.err == nil && len(t.values) != len(t.groups) {
		t.err = fmt.Errorf("internal error: %d values of %d groups", len(t.values), len(t.groups))
	}
}

// take is a scalar function that returns the values that some work has made.
func (c *calls) take(w work) duck.Scalar {
	var all []duck.Overload
	for _, o := range w.overloads {
		if o.Parameters[0] == "ANY" && len(w.overloads) > 1 {
			continue // handles of these keys are those of texts: two of one type could not be told apart
		}
		all = append(all, duck.Overload{Parameters: []string{handleType(keyOf(o))}, Returns: o.Returns})
	}
	return duck.Scalar{Name: c.f.prefix + "take_" + w.name, Overloads: all, Volatile: true,
		Call: func(args duck.Chunk, out duck.Returned) error {
			for i, g := range duck.View[int64](args.Column(0).Fields(args.Rows)[0].Vector, args.Rows) {
				st := c.at(g)
				if st == nil {
					return errGone
				}
				value, err := st.call.value(g)
				if err != nil {
					return st.say(err)
				}
				out.Set(i, value)
			}
			return nil
		}}
}

// value returns the value of a group that is done.
func (c *call) value(group int64) ([]duck.Field, error) {
	c.mu.Lock()
	t := c.tasks[group]
	c.mu.Unlock()
	if t == nil {
		return nil, errGone
	}
	<-t.done
	if t.err != nil {
		return nil, t.err
	}
	return t.values[slices.Index(t.groups, group)], nil
}

// running are the tasks of all calls of this process.
var running sync.WaitGroup

// Wait waits until no work is under way, at most so long.
func Wait(most time.Duration) {
	ended := make(chan struct{})
	go func() {
		running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(most):
	}
}
