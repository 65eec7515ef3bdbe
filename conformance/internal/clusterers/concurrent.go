package clusterers

import (
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// A pass is what the steps of all blocks give for one model.
type pass struct {
	*testbed.Bed
	m      *framework.Model
	from   []int32
	labels []int32
	d      framework.Matrix
	stats  []framework.Stats // by block
}

func newPass(b *testbed.Bed, m *framework.Model, labels []int32) *pass {
	b.Prepare(m)
	p := &pass{b, m, labels, slices.Clone(labels), cases.Junk(b.N, b.K), make([]framework.Stats, b.Data.Blocks())}
	for i := range p.stats {
		p.stats[i] = framework.NewStats(b.Plan.Stats)
	}
	return p
}

// do does the steps of one block.
func (p *pass) do(i int) {
	block := p.Data.Block(i)
	p.AssignBlock(p.m, block, p.labels, nil)
	p.OK(p.Clusterer.Distances(p.m, block, p.d.Slice(block.Row0, block.Row0+block.X.Rows)), "Distances")
	p.CollectBlock(i, p.from, p.labels, p.stats[i])
}

// concurrent does the steps of two models at the same time, each block in a
// goroutine.
func concurrent(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{Shape: func(c *judge.Trial) (int, int, int) {
		return 64 + 4*c.Size, c.Between(1, 17), c.Between(2, 9)
	}})
	cutInto(b, 4+c.Size/4)
	starts := [][]int32{b.Labels, b.Start()}
	c.Given("the labels of a second model %v", starts[1])
	var models []*framework.Model
	var alone []*pass
	for _, labels := range starts {
		m := b.Model(labels)
		p := newPass(b, m.Clone(), labels)
		for i := range b.Data.Blocks() {
			p.do(i)
		}
		models, alone = append(models, m), append(alone, p)
	}
	repeats := 4
	if s.Served() { // calls take long enough to meet
		repeats = 1
	}
	for range repeats {
		for n, p := range together(b, models, starts) {
			samePass(b, p, alone[n], n)
		}
	}
}

// together does the passes of all models, all blocks at the same time.
func together(b *testbed.Bed, models []*framework.Model, starts [][]int32) []*pass {
	var all sync.WaitGroup
	passes := make([]*pass, len(models))
	ends := make(chan any, len(models)*b.Data.Blocks())
	for n, m := range models {
		passes[n] = newPass(b, m.Clone(), starts[n])
		for i := range b.Data.Blocks() {
			all.Go(func() {
				defer func() { ends <- judge.Thrown(recover()) }()
				passes[n].do(i)
			})
		}
	}
	all.Wait()
	close(ends)
	for end := range ends {
		if end != nil {
			panic(end)
		}
	}
	return passes
}

func samePass(b *testbed.Bed, got, want *pass, n int) {
	b.SameLabels(got.labels, want.labels, "with blocks and models at the same time model %d gives other labels", n)
	if i := judge.Differ(got.d.Data, want.d.Data); i >= 0 {
		b.Failf("with blocks and models at the same time row %d is at distance %v of center %d of model %d, and at %v otherwise",
			i/b.K, got.d.Data[i], i%b.K, n, want.d.Data[i])
	}
	for i, stats := range got.stats {
		for t, v := range stats {
			if e := judge.Differ(v, want.stats[i][t]); e >= 0 {
				b.Failf("with blocks and models at the same time, block %d has %v in entry %d of %q, and %v otherwise",
					i, v[e], e, b.Plan.Stats[t].Name, want.stats[i][t][e])
			}
		}
	}
}
