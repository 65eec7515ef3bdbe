package fit

import (
	"slices"
	"testing"

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
			if _, alone := b.take(n); alone != (n == shard.first) {
				t.Errorf("blocks %d to %d: block %d is the worker's own: %v", shard.first, shard.end-1, n, alone)
			}
		}
	}
}
