package fit

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// assignLinked assigns all rows without links in parallel, and then those with
// links one after the other. It returns how many labels changed. Statistics are
// collected anew: who moves one linked row moves others.
func (st *state) assignLinked(ctx context.Context) (int, error) {
	before := slices.Clone(st.labels)
	err := st.each(ctx, func(worker, i int) error {
		s := st.shards[i]
		for n := s.first; n < s.end; n++ {
			if err := ctx.Err(); err != nil {
				return err
			}
			b := st.rows.Block(n)
			if err := st.c.Assign(st.model, b, st.labels[b.Row0:b.Row0+b.X.Rows], st.scratch[b.Index]); err != nil {
				return err
			}
			st.done[worker]++
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	linker, ok := framework.As[framework.Linker](st.c)
	if !ok {
		return 0, framework.Faultf(framework.Plugin, "bad-plan", "the algorithm's plan says Linked, but it is not a Linker")
	}
	if err := linker.AssignLinked(ctx, st.model, st.rows, st.labels); err != nil {
		return 0, err
	}
	moved := 0
	for i, j := range st.labels {
		if j != before[i] {
			moved++
		}
	}
	return moved, st.recollect(ctx)
}

// forget takes all labels away.
func (st *state) forget() {
	for i := range st.labels {
		st.labels[i] = -1
	}
	st.stats.Zero()
	clear(st.sizes)
	st.fresh = true
}

// fixedRows returns the rows that hard links hold, or nil if there are none.
func fixedRows(links []framework.Link, n int) []bool {
	var fixed []bool
	for _, l := range links {
		if !l.Hard() {
			continue
		}
		if fixed == nil {
			fixed = make([]bool, n)
		}
		fixed[l.A], fixed[l.B] = true, true
	}
	return fixed
}
