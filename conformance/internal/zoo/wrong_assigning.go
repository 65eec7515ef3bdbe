package zoo

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
)

func assigning() []Animal {
	var shared = rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	return []Animal{
		assigner("writes behind its rows", "clusterer/own-rows", "has changed the label",
			func(c *kmeans, _ *framework.Model, _ framework.Block, labels []int32) {
				if more := labels[:min(cap(labels), len(labels)+1)]; len(more) > len(labels) {
					more[len(labels)] = (more[len(labels)] + 1) % int32(c.k)
				}
			}),
		assigner("centers the rows in place", "clusterer/own-rows", "read-only",
			func(_ *kmeans, _ *framework.Model, b framework.Block, _ []int32) { b.X.Data[0] /= 2 }),
		assigner("uses a shared random stream", "clusterer/repeatable", "done again",
			func(c *kmeans, _ *framework.Model, _ framework.Block, labels []int32) {
				mu.Lock()
				defer mu.Unlock()
				if shared.IntN(2) == 0 {
					labels[0] = int32(shared.IntN(c.k))
				}
			}),
		animal("leaves the tail of a block", "clusterer/labels", "the plan does not say Noise", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				for i := range b.X.Rows / 4 * 4 {
					labels[i] = c.nearestOf(m.Centers, b.X.Row(i))
				}
			}}),
		assigner("has a cluster more for outliers", "clusterer/labels", "labels are 0 to",
			func(c *kmeans, _ *framework.Model, b framework.Block, labels []int32) {
				for i := range labels {
					if square(b.X.Row(i), make([]float64, c.p)) > 9 {
						labels[i] = int32(c.k)
					}
				}
			}),
	}
}

// placing returns clusterers that depend on where a row is, or on which goroutine
// is at work.
func placing() []Animal {
	return []Animal{
		animal("gives ties to the highest index", "clusterer/ties", "has the lower index", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				for i := range labels {
					labels[i] = c.highest(m, b.X.Row(i))
				}
			}}),
		animal("gives ties to whoever comes first", "clusterer/ties", "has the lower index", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				for i := range labels {
					if c.state.calls.Add(1)%2 == 0 {
						labels[i] = c.highest(m, b.X.Row(i))
					} else {
						labels[i] = c.nearestOf(m.Centers, b.X.Row(i))
					}
				}
			}}),
		assigner("lets the worker decide", "clusterer/threads", "more than one thread",
			func(c *kmeans, _ *framework.Model, _ framework.Block, labels []int32) {
				c.state.mu.Lock()
				defer c.state.mu.Unlock()
				if c.state.worker == "" {
					c.state.worker = goroutine()
				}
				if goroutine() != c.state.worker {
					labels[0] = (labels[0] + 1) % int32(c.k)
				}
			}),
		assigner("looks at the row before", "clusterer/rows-alone", "its neighbours",
			func(_ *kmeans, m *framework.Model, b framework.Block, labels []int32) {
				for i := 1; i < len(labels); i++ {
					x := b.X.Row(i)
					if square(x, m.Centers.Row(int(labels[i-1]))) < 2*square(x, m.Centers.Row(int(labels[i]))) {
						labels[i] = labels[i-1]
					}
				}
			}),
		animal("never comes to rest", "clusterer/settles", "still move", mutation{
			assign: func(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
				before := labels[0]
				c.nearest(m.Centers, b, labels)
				labels[0] = (before + 1) % int32(c.k)
			},
			plan: func(_ *kmeans, p *framework.Plan) { p.Monotone = false }}),
		assigner("writes to the model when it assigns", "clusterer/project-alone", "Assign writes to the model",
			func(c *kmeans, m *framework.Model, _ framework.Block, _ []int32) {
				c.state.mu.Lock()
				defer c.state.mu.Unlock()
				m.Centers.Data[0] += 1e-9
			}),
	}
}

// highest is like nearest, but ties go to the highest index.
func (c *kmeans) highest(m *framework.Model, x []float64) (label int32) {
	best := math.Inf(1)
	for j := range c.k {
		if d := c.between(x, m.Centers.Row(j)); d <= best {
			best, label = d, int32(j)
		}
	}
	return label
}

// goroutine returns a name of the current goroutine.
func goroutine() string {
	text := make([]byte, 64)
	text = text[:runtime.Stack(text, false)]
	return string(bytes.Fields(text)[1])
}
