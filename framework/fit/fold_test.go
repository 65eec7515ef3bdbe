package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

// TestTotalsHaveTheSameBitsWhateverShardEndsFirst: they are those of adding the
// statistics of one shard after the other, from nothing, in the order of the shards.
func TestTotalsHaveTheSameBitsWhateverShardEndsFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	declared := []framework.Stat{{Name: "a", Len: 3}, {Name: "b", Len: 2*foldedAtOnce + 5}, {Name: "none"}}
	for _, count := range []int{1, 2, 3, 17} {
		totals, want := framework.NewStats(declared), framework.NewStats(declared)
		shards := make([]*shard, count)
		for i := range shards {
			shards[i] = new(shard)
		}
		f := newFold(declared, totals, shards)
		for pass := range 4 {
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
			end := func(i int) {
				if terms[i] != nil {
					f.of(shards[i]).Add(terms[i])
				}
				f.ends(i)
			}
			var wait sync.WaitGroup
			for _, i := range r.Perm(count) {
				if pass%2 == 0 {
					end(i)
				} else {
					wait.Go(func() { end(i) })
				}
			}
			wait.Wait()
			for i, v := range totals {
				if !slices.Equal(v, want[i]) {
					t.Fatalf("%d shards, pass %d: the totals of %s differ", count, pass, declared[i].Name)
				}
			}
			if len(f.zeros.free) > count {
				t.Fatalf("%d shards made %d statistics", count, len(f.zeros.free))
			}
			for _, s := range f.zeros.free {
				for _, v := range s {
					if slices.ContainsFunc(v, func(x float64) bool { return x != 0 }) {
						t.Fatalf("%d shards: the next one would begin with what another one left", count)
					}
				}
			}
		}
	}
}

// TestShardsOneAfterTheOtherShareTheirStatistics: a pass of one worker has no more than one.
func TestShardsOneAfterTheOtherShareTheirStatistics(t *testing.T) {
	declared := []framework.Stat{{Name: "a", Len: 3*foldedAtOnce + 1}}
	shards := make([]*shard, 9)
	for i := range shards {
		shards[i] = new(shard)
	}
	f := newFold(declared, framework.NewStats(declared), shards)
	f.begin()
	for i, s := range shards {
		f.of(s)[0][i] = 1
		f.ends(i)
	}
	if len(f.zeros.free) != 1 {
		t.Errorf("%d statistics for one worker", len(f.zeros.free))
	}
}
