package fit_test

import (
	"fmt"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// oneShard are rows of fewer than two shards, in many blocks.
var oneShard = func() line {
	var all line
	for len(all) < 600 { // a shard has 1024 rows at least
		all = append(all, twoGroups...)
	}
	return all
}()

func TestWorkersHelpWithTheBlocksOfAShard(t *testing.T) {
	// The worker that has the shard would never get on alone.
	c := toy{onAssign: meeting()}
	res := must.Get(runToy(c, oneShard, halves(oneShard), settings()))(t)
	if len(res.BlocksByWorker) != 2 || res.BlocksByWorker[0] == 0 || res.BlocksByWorker[1] == 0 {
		t.Errorf("workers assigned %v blocks", res.BlocksByWorker)
	}
}

func TestHelpChangesNoBit(t *testing.T) {
	var want string
	for _, threads := range []int{1, 2, 3, 8} {
		s := settings()
		s.Threads = threads
		res := must.Get(runToy(toy{}, oneShard, halves(oneShard), s))(t)
		got := fmt.Sprintf("%x %v %x %v", res.Model.Centers.Data, res.Labels, res.Objective, res.Trace)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d threads: %s, and one has %s", threads, got, want)
		}
	}
}

func TestTheErrorOfABlockIsTheSameWhoeverAssignsIt(t *testing.T) {
	for _, threads := range []int{1, 2, 8} {
		s := settings()
		s.Threads = threads
		p := oneShard.problem(2)
		c := failing{toy{Lloyd: means.NewLloyd(p, means.Squared)}}
		_, err := fit.Run(t.Context(), c, p, oneShard, halves(oneShard), s, nil)
		if err == nil || err.Error() != "block 200" {
			t.Errorf("%d threads: %v", threads, err)
		}
	}
}

// failing has an error for all blocks from the 200th on.
type failing struct{ toy }

func (c failing) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	if b.Index >= 200 {
		return fmt.Errorf("block %d", b.Index)
	}
	return c.toy.Assign(m, b, labels, s)
}
