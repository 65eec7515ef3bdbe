package fit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// TestTotalsHaveTheSameBitsWhateverShardEndsFirst: they are those of adding the
// statistics of one shard after the other, from nothing, in the order of the shards.
func TestTotalsHaveTheSameBitsWhateverShardEndsFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	declared := []framework.Stat{{Name: "a", Len: 3}, {Name: "b", Len: 2*foldedAtOnce + 5}, {Name: "none"}}
	const workers = 2
	for _, count := range []int{1, 2, 3, 17, 64} { // of 64, a worker has runs
		totals, want := framework.NewStats(declared), framework.NewStats(declared)
		f := newFold(declared, totals, someShards(count), workers)
		for pass := range 6 {
			terms := make([]framework.Stats, count)
			for i := range terms {
				if count > 1 && r.IntN(4) == 0 {
					continue // it collects nothing
				}
				terms[i] = framework.NewStats(declared)
				for _, v := range terms[i] {
					for l := range v {
						if r.IntN(3) == 0 {
							v[l] = r.NormFloat64() * math.Exp2(float64(r.IntN(80)))
						}
					}
				}
				want.Add(terms[i])
			}
			f.begin()
			end := func(worker, i int) {
				if terms[i] != nil {
					f.of(worker, f.shards[i]).Add(terms[i])
				}
				f.ends(worker, i)
			}
			var wait sync.WaitGroup
			for _, i := range r.Perm(count) {
				worker := i / f.run % workers
				switch {
				case pass%3 == 0:
					end(worker, i)
				case pass%3 == 1: // as many at once as there are shards
					wait.Go(func() { end(worker, i) })
				case i < workers:
					wait.Go(func() {
						for j := i; j < count; j += workers {
							end(i, j)
						}
					})
				}
			}
			wait.Wait()
			f.addRest()
			for i, v := range totals {
				if !slices.Equal(v, want[i]) {
					t.Fatalf("%d shards, pass %d: the totals of %s differ", count, pass, declared[i].Name)
				}
			}
			made := 0
			for w := range f.zeros {
				made += len(f.zeros[w].free)
				for _, s := range f.zeros[w].free {
					for _, v := range s {
						if slices.ContainsFunc(v, func(x float64) bool { return x != 0 }) {
							t.Fatalf("%d shards: the next one would begin with what another one left", count)
						}
					}
				}
			}
			if made > count {
				t.Fatalf("%d shards made %d statistics", count, made)
			}
		}
	}
}

func someShards(n int) []*shard {
	shards := make([]*shard, n)
	for i := range shards {
		shards[i] = new(shard)
	}
	return shards
}

// TestShardsOneAfterTheOtherShareTheirStatistics: a pass of one worker has no more than one.
func TestShardsOneAfterTheOtherShareTheirStatistics(t *testing.T) {
	for _, numbers := range []int{5, 3*foldedAtOnce + 1} {
		for _, count := range []int{9, 64} {
			declared := []framework.Stat{{Name: "a", Len: numbers}}
			f := newFold(declared, framework.NewStats(declared), someShards(count), 1)
			f.begin()
			for i, s := range f.shards {
				if i%3 < 2 { // others collect nothing
					f.of(0, s)[0][i%5] = 1
				}
				f.ends(0, i)
			}
			if len(f.zeros[0].free) != 1 {
				t.Errorf("%d shards: %d statistics for one worker", count, len(f.zeros[0].free))
			}
		}
	}
}

// TestAWorkerAddsWhatItHasCollectedItself, where statistics are small: worker 1 is ahead of worker 0.
func TestAWorkerAddsWhatItHasCollectedItself(t *testing.T) {
	declared := []framework.Stat{{Name: "shards", Len: 1}}
	totals := framework.NewStats(declared)
	f := newFold(declared, totals, someShards(64), 2)
	must.Equal(t, longestRun, f.run)
	f.begin()
	ends := func(worker, run int) {
		for i := run * f.run; i < (run+1)*f.run; i++ {
			f.of(worker, f.shards[i])[0][0] = 1
			f.ends(worker, i)
		}
	}
	for _, step := range []struct{ worker, run, added int }{{1, 1, 0}, {0, 0, 1}, {1, 3, 2}, {0, 2, 3}, {0, 4, 3}, {1, 5, 4}} {
		ends(step.worker, step.run)
		must.Equal(t, float64(step.added*f.run), totals[0][0])
	}
	for i := 6 * f.run; i < len(f.shards); i++ {
		f.ends(0, i) // which collects nothing
	}
	f.addRest()
	must.Equal(t, float64(6*f.run), totals[0][0])
}

// TestLargeStatisticsAreAddedByWhoeverEnds: they do not wait for the worker that has collected them.
func TestLargeStatisticsAreAddedByWhoeverEnds(t *testing.T) {
	declared := []framework.Stat{{Name: "shards", Len: runNumbers}}
	totals := framework.NewStats(declared)
	f := newFold(declared, totals, someShards(64), 2)
	must.Equal(t, 1, f.run)
	f.begin()
	for _, i := range []int{1, 3, 2, 0} {
		f.of(i%2, f.shards[i])[0][7] = 1
		f.ends(i%2, i)
	}
	must.Equal(t, 4.0, totals[0][7])
}

// TestNoWorkerWaitsForAPieceThatAnotherHas: whoever has it, or comes next, adds what has ended meanwhile.
func TestNoWorkerWaitsForAPieceThatAnotherHas(t *testing.T) {
	declared := []framework.Stat{{Name: "shards", Len: 1}}
	totals := framework.NewStats(declared)
	f := newFold(declared, totals, someShards(3), 2)
	f.begin()
	ends := func(i int) {
		f.of(i%2, f.shards[i])[0][0] = 1
		f.ends(i%2, i)
	}
	f.pieces[0].mu.Lock() // worker 0 has it
	ends(1)
	f.pieces[0].mu.Unlock()
	must.Equal(t, 0.0, totals[0][0])
	ends(0)
	must.Equal(t, 2.0, totals[0][0])
}

// TestNothingIsLeftOfAPassThatFails: the next one, and the one after it, count what there is.
func TestNothingIsLeftOfAPassThatFails(t *testing.T) {
	const n = 5000 // rows of several shards
	st := newState(counting{hooked{}}, 1, single(n), 2)
	defer st.close()
	must.Equal(t, true, len(st.shards) > 1)
	st.start(make([]int32, n))
	for pass := range 4 {
		if pass == 1 {
			err := st.gather(t.Context(), func(worker, i int) error {
				if err := st.collectShard(worker, i); err != nil || i > 0 {
					return err
				}
				return errors.New("no")
			}, 0)
			must.Equal(t, "no", fmt.Sprint(err))
			continue
		}
		must.Do(t, st.recollect(t.Context()))
		must.Equal(t, n, st.sizes[0])
		must.Equal(t, float64(n), st.stats[0][0])
	}
}

// counting counts rows.
type counting struct{ hooked }

func (counting) Plan() framework.Plan {
	return framework.Plan{Stats: []framework.Stat{{Name: "rows", Len: 1}}}
}

func (counting) Collect(b framework.Block, _, _ []int32, s framework.Stats) error {
	s[0][0] += float64(b.X.Rows)
	return nil
}
