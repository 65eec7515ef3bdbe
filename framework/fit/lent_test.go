package fit

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestTheFirstBlockOfAShardIsNotLent(t *testing.T) {
	var b taken
	for _, shard := range []struct{ first, end int }{{0, 1}, {0, 2}, {3, 9}} { // passes, one after the other
		b.begin(shard.first, shard.end)
		var want, lent []int
		for n := shard.end - 1; n > shard.first; n-- {
			want = append(want, n)
		}
		must.Equal(t, len(want), b.left())
		for block, ok := b.lend(nil); ok; block, ok = b.lend(nil) {
			lent = append(lent, block)
			b.end(block, nil)
		}
		if !slices.Equal(lent, want) || b.left() != 0 {
			t.Errorf("blocks %d to %d: lent are %v, and %d are left", shard.first, shard.end-1, lent, b.left())
		}
		for n := shard.first; n < shard.end; n++ {
			if _, alone := b.take(n, nil); alone != (n == shard.first) {
				t.Errorf("blocks %d to %d: block %d is the worker's own: %v", shard.first, shard.end-1, n, alone)
			}
		}
	}
}

// The help ends while the worker of the shard looks for that, or after it has given up.
func TestAWorkerGetsTheHelpWheneverItEnds(t *testing.T) {
	failed := errors.New("the help has failed")
	for _, sleeps := range []bool{false, true} {
		var b taken
		b.begin(0, 3)
		block, _ := b.lend([]int32{7})
		h, alone := b.take(block, func(isSo func() bool) bool {
			if sleeps {
				go b.end(block, failed)
				return false
			}
			if isSo() {
				t.Error("a help has ended before it has")
			}
			b.end(block, failed)
			return isSo()
		})
		if alone || !errors.Is(h.err, failed) || !slices.Equal(h.before, []int32{7}) {
			t.Errorf("sleeps %v: %+v, alone %v", sleeps, h, alone)
		}
	}
}

// single has one row in each block.
type single int

func (s single) Len() int    { return int(s) }
func (s single) Blocks() int { return int(s) }
func (s single) Block(i int) framework.Block {
	return framework.Block{Index: i, Row0: i, X: framework.Matrix{Rows: 1, Cols: 1, Data: []float64{0}}}
}

// hooked has steps of one call each.
type hooked struct {
	framework.Clusterer
	assign func() error
	step   func(m *framework.Model)
}

func (hooked) Plan() framework.Plan          { return framework.Plan{} }
func (hooked) Scratch(int) framework.Scratch { return nil }
func (c hooked) Prepare(m *framework.Model)  { c.step(m) }
func (c hooked) Begin() *framework.Model     { return new(framework.Model) }

func (c hooked) Assign(*framework.Model, framework.Block, []int32, framework.Scratch) error {
	return c.assign()
}

func (c hooked) Update(_ context.Context, m *framework.Model, _ framework.Stats, _ framework.Rows, _ []int32) (framework.Step, error) {
	c.step(m)
	return framework.Step{}, nil
}

// helped is a state of one shard of 100 blocks, before a pass.
func helped(t *testing.T, assign func(st *state) error) *state {
	var st *state
	st = newState(hooked{assign: func() error { return assign(st) }}, 1, single(100), 2)
	t.Cleanup(st.close)
	must.Equal(t, 1, len(st.shards))
	st.shards[0].taken.begin(0, 100)
	return st
}

// failures are two ways to fail.
var failures = map[string]func() error{
	"error": func() error { return errors.New("no") },
	"panic": func() error { panic("no") },
}

func TestNoBlockIsLentAfterAnErrorInAShard(t *testing.T) {
	for name, fail := range failures {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			begun := make(chan struct{})
			st := helped(t, func(st *state) error {
				if calls.Add(1) == 1 {
					close(begun)
				}
				for !st.pool.Failed() {
					runtime.Gosched()
				}
				return nil
			})
			err := st.gather(t.Context(), func(int, int) error {
				<-begun // the block that is lent before the error
				return fail()
			}, 1)
			if err == nil || calls.Load() != 1 {
				t.Errorf("%d blocks were lent: %v", calls.Load(), err)
			}
		})
	}
}

func TestNoBlockIsLentAfterAnErrorInOneThatWas(t *testing.T) {
	for name, fail := range failures {
		t.Run(name, func(t *testing.T) {
			calls := 0
			st := helped(t, func(*state) error {
				calls++
				return fail()
			})
			st.ctx = t.Context()
			err := st.pool.For(t.Context(), 1, func(worker, _ int) error { return st.help(worker) })
			if h, alone := st.shards[0].taken.take(99, nil); err == nil || alone || h.err == nil || calls != 1 {
				t.Errorf("%d blocks were lent: %v", calls, err)
			}
		})
	}
}

func TestAModelSharesNothingOutAfterAStepThatPanics(t *testing.T) {
	for name, run := range map[string]func(*state){
		"prepare": (*state).prepare,
		"update":  func(st *state) { _, _ = st.update(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			shared := false
			c := hooked{step: func(m *framework.Model) {
				shared = m.Share != nil
				panic("no")
			}}
			st := newState(c, 1, single(100), 2)
			defer st.close()
			st.start(nil)
			func() {
				defer func() { must.Equal(t, "no", recover()) }()
				run(st)
			}()
			if !shared || st.model.Share != nil {
				t.Errorf("a model shares in the step: %v, and after it: %v", shared, st.model.Share != nil)
			}
		})
	}
}
