package conformance

import (
	"slices"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A pass is what the steps of all blocks give for one model.
type pass struct {
	*bed
	m      *framework.Model
	from   []int32
	labels []int32
	d      framework.Matrix
	stats  []framework.Stats // by block
}

func (b *bed) newPass(m *framework.Model, labels []int32) *pass {
	b.prepare(m)
	p := &pass{b, m, labels, slices.Clone(labels), junk(b.p.N, b.p.K), make([]framework.Stats, b.data.Blocks())}
	for i := range p.stats {
		p.stats[i] = framework.NewStats(b.plan.Stats)
	}
	return p
}

// do does the steps of one block.
func (p *pass) do(i int) {
	block := p.data.Block(i)
	p.assignBlock(p.m, block, p.labels, nil)
	p.ok(p.c.Distances(p.m, block, p.d.Slice(block.Row0, block.Row0+block.X.Rows)), "Distances")
	p.collectBlock(i, p.from, p.labels, p.stats[i])
}

// concurrent does the steps of two models at the same time, each block in a
// goroutine.
func concurrent(c *trial, s subject) {
	b := c.bed(s, want{shape: func(c *trial) (int, int, int) { return 64 + 4*c.size, c.between(1, 17), c.between(2, 9) }})
	b.cutInto(4 + c.size/4)
	starts := [][]int32{b.labels, b.start()}
	c.given("the labels of a second model %v", starts[1])
	var models []*framework.Model
	var alone []*pass
	for _, labels := range starts {
		m := b.model(labels)
		p := b.newPass(m.Clone(), labels)
		for i := range b.data.Blocks() {
			p.do(i)
		}
		models, alone = append(models, m), append(alone, p)
	}
	repeats := 4
	if s.served() { // calls take long enough to meet
		repeats = 1
	}
	for range repeats {
		for n, p := range b.together(models, starts) {
			b.samePass(p, alone[n], n)
		}
	}
}

// together does the passes of all models, all blocks at the same time.
func (b *bed) together(models []*framework.Model, starts [][]int32) []*pass {
	var all sync.WaitGroup
	passes := make([]*pass, len(models))
	ends := make(chan any, len(models)*b.data.Blocks())
	for n, m := range models {
		passes[n] = b.newPass(m.Clone(), starts[n])
		for i := range b.data.Blocks() {
			all.Go(func() {
				defer func() { ends <- thrown(recover()) }()
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

func (b *bed) samePass(got, want *pass, n int) {
	b.sameLabels(got.labels, want.labels, "with blocks and models at the same time model %d gives other labels", n)
	if i := differ(got.d.Data, want.d.Data); i >= 0 {
		b.failf("with blocks and models at the same time row %d is at distance %v of center %d of model %d, and at %v otherwise",
			i/b.p.K, got.d.Data[i], i%b.p.K, n, want.d.Data[i])
	}
	for i, stats := range got.stats {
		for t, v := range stats {
			if e := differ(v, want.stats[i][t]); e >= 0 {
				b.failf("with blocks and models at the same time, block %d has %v in entry %d of %q, and %v otherwise",
					i, v[e], e, b.plan.Stats[t].Name, want.stats[i][t][e])
			}
		}
	}
}
