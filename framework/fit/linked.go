package fit

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// assignLinked labels the rows with links, one after the other.
func (st *state) assignLinked(ctx context.Context) error {
	linker, ok := framework.As[framework.Linker](st.c)
	if !ok {
		return framework.Faultf(framework.Plugin, "bad-plan", "the algorithm's plan says Linked, but it is not a Linker")
	}
	return linker.AssignLinked(ctx, st.model, st.rows, st.labels)
}

// assignThen assigns all rows in parallel, and then lets somebody change labels who
// looks at all of them. It returns how many labels changed. Statistics are collected
// anew: whoever moves one row there moves others.
func (st *state) assignThen(ctx context.Context, then func(context.Context) error) (int, error) {
	before, part := slices.Clone(st.labels), st.part
	err := st.eachBlock(ctx, func(worker int, b framework.Block) error {
		st.workers[worker].assigned++
		return st.c.Assign(st.model, b, st.labels[b.Row0:b.Row0+b.X.Rows], st.scratch[b.Index])
	})
	if err != nil {
		return 0, err
	}
	if err := then(ctx); err != nil {
		return 0, err
	}
	if st.trim == nil {
		if err := st.checkNoise(0, st.labels); err != nil {
			return 0, err
		}
	}
	moved := 0
	if (part == nil) != (st.part == nil) || part != nil && *part != *st.part {
		moved++
	}
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
