package seeding

import (
	"encoding/binary"
	"math"
	"slices"
	"sync/atomic"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

// A group is points that are measured in one call: all of them have their
// missing cells in the same features, which weigh 0.
type group struct {
	measure kernel.Measure
	centers kernel.Centers
	number  []int32 // of each center
}

// newGroups returns the groups of points whose numbers start at first.
func newGroups(points [][]float64, first int32, space []float64) []*group {
	var groups []*group
	known := make(map[string]*group) // by the features that are missing
	var pattern []byte
	for t, c := range points {
		pattern = pattern[:0]
		for l, v := range c {
			if v != v {
				pattern = binary.AppendUvarint(pattern, uint64(l))
			}
		}
		g := known[string(pattern)]
		if g == nil {
			g = &group{measure: kernel.Measure{Weights: observedWeights(c, space, len(pattern) > 0)}}
			known[string(pattern)] = g
			groups = append(groups, g)
		}
		g.number = append(g.number, first+int32(t))
		g.centers.Rows = append(g.centers.Rows, c...)
	}
	for _, g := range groups {
		g.centers.K, g.centers.S = len(g.number), len(points[0])
		g.clearWeightless()
		g.centers.Pack()
	}
	return groups
}

// observedWeights returns the weights of the features in distances to c: those
// of the space, but 0 where c is missing.
func observedWeights(c, space []float64, missing bool) []float64 {
	if !missing {
		return space
	}
	weights := make([]float64, len(c))
	for l, v := range c {
		switch {
		case v != v:
		case space == nil:
			weights[l] = 1
		default:
			weights[l] = space[l]
		}
	}
	return weights
}

// clearWeightless makes the cells 0 that do not count: the difference to a cell
// that is far away would overflow, and 0·Inf is NaN.
func (g *group) clearWeightless() {
	for l, w := range g.measure.Weights {
		if w != 0 {
			continue
		}
		for j := range g.centers.K {
			g.centers.Rows[j*g.centers.S+l] = 0
		}
	}
}

const (
	chunk      = 256      // rows that are measured at a time, and at most,
	chunkCells = 12 << 10 // cells: they stay in the cache while they are
)

// chunkRows returns the number of rows of p features in a chunk.
func chunkRows(p int) int { return max(16, min(chunk, chunkCells/max(1, p)&^15)) }

// A workspace is the memory of one worker.
type workspace struct {
	best  [chunk]float64
	found [chunk]int32
	ruler *kernel.Ruler // of sparse rows; nil before it is needed
	sift  sifting       // of sparse rows
}

// missing tells whether a cell has been found missing: only then the slower
// loops are needed, which leave such cells out.
type missing struct{ atomic.Bool }

// find writes the distance of each row of x to the group's nearest center to
// best, and the number of that center in the group to found.
func (m *missing) find(g *group, x, best []float64, found []int32) {
	measure, f := g.measure, kernel.Nearest{Label: found, Best: best}
	measure.Observed = m.Load()
	f.Find(measure, x, &g.centers)
	// Without Observed, a row with a missing cell is near to no center.
	if !measure.Observed && slices.Contains(best, math.Inf(1)) {
		m.Store(true)
		measure.Observed = true
		f.Find(measure, x, &g.centers)
	}
}

// distances writes the distance of each row of x to each center to dst.
func (m *missing) distances(dst []float64, g *group, x []float64) {
	measure := g.measure
	measure.Observed = m.Load()
	kernel.Distances(dst, measure, x, &g.centers)
	if !measure.Observed && slices.ContainsFunc(dst, func(d float64) bool { return d != d }) {
		m.Store(true)
		measure.Observed = true
		kernel.Distances(dst, measure, x, &g.centers)
	}
}

// nearer updates the squared distances and labels of x's rows for new points.
func (m *missing) nearer(square []float64, label []int32, x framework.Matrix, groups []*group, w *workspace) {
	step := chunkRows(x.Cols)
	for from := 0; from < x.Rows; from += step {
		to := min(from+step, x.Rows)
		cells, best, found := x.Data[from*x.Cols:to*x.Cols], w.best[:to-from], w.found[:to-from]
		for _, g := range groups { // the chunk stays in the cache
			m.find(g, cells, best, found)
			enter(square[from:to], label[from:to], best, found, g.number)
		}
	}
}

// enter takes over what is nearer, or equally near and of a lower number:
// groups are not in the order of numbers.
func enter(square []float64, label []int32, best []float64, found []int32, number []int32) {
	label, best, found = label[:len(square)], best[:len(square)], found[:len(square)]
	for i, v := range best {
		if v > square[i] {
			continue
		}
		if j := number[found[i]]; v < square[i] || j < label[i] {
			square[i], label[i] = v, j
		}
	}
}
