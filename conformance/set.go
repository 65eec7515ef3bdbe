package conformance

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// A SetTarget is a constraint set to be checked, or a family of them.
type SetTarget struct {
	Name string

	// New makes a set for points of rows × cols. It is called for every case, and
	// must draw from r alone, so that a case can be replayed.
	New func(r *rand.Rand, rows, cols int) framework.Set

	// Rows and Cols fix the shape of points for sets that take only one; 0: any.
	Rows, Cols int

	// Nested, if not nil, returns sets of a family for the shape, each a superset
	// of the one before.
	Nested func(rows, cols int) []framework.Set

	similar func(c *trial) (set framework.Set, rows, cols int) // in place of New, with a shape of its own; nil: New
}

// CheckSet checks the laws of constraint sets.
func CheckSet(ctx context.Context, target SetTarget, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	return newReport("set "+target.Name, "", o, checkLaws(ctx, setLaws, target, o)), nil
}

// lengthError is the allowed error of a length, relative to the norms of the point
// and its projection. Right operators stay below 3e-15; the least wrong one that
// the suite was tried on is off by 3e-3.
const lengthError = 1e-9

// A projected point.
type projected struct {
	*trial
	set   framework.Set
	at    framework.Point
	y     framework.Matrix // P(at.X)
	scale float64          // the larger norm of at.X and y
}

// draw makes a set and a point for it, and projects the point.
func (target SetTarget) draw(c *trial) *projected {
	set, rows, cols := target.drawn(c)
	p := &projected{trial: c, set: set}
	p.at = c.point(rows, cols)
	if p.set.Properties().Maximize {
		p.at.RowMass, p.at.ColMass = nil, nil // gains have none
	}
	c.given("set %s %+v", target.Name, p.set)
	c.given("X = %v", p.at.X)
	if p.at.RowMass != nil {
		c.given("RowMass = %v", p.at.RowMass)
	}
	if p.at.ColMass != nil {
		c.given("ColMass = %v", p.at.ColMass)
	}
	p.y = p.project(framework.Point{X: p.at.X.Clone(), RowMass: slices.Clone(p.at.RowMass), ColMass: slices.Clone(p.at.ColMass)})
	p.scale = math.Max(math.Max(norm(p.at.X), norm(p.y)), smallest)
	return p
}

// smallest is a scale below which relative errors mean nothing.
const smallest = 1e-290

// drawn makes a set for points of rows × cols.
func (target SetTarget) drawn(c *trial) (set framework.Set, rows, cols int) {
	if target.similar != nil {
		return target.similar(c)
	}
	rows, cols = target.shape(c)
	return target.New(c.rand, rows, cols), rows, cols
}

// wide are numbers of columns around those at which loops are unrolled and words end.
var wide = []int{7, 8, 9, 17, 33, 64, 65, 70, 130}

// large reports whether a case is one of the largest, some of which have sizes and
// magnitudes of real life.
func (c *trial) large() bool { return c.size >= sizes*3/4 }

func (target SetTarget) shape(c *trial) (rows, cols int) {
	rows, cols = c.between(1, 1+c.size/8), c.between(1, 1+c.size/3)
	if c.large() && c.rand.IntN(2) == 0 {
		cols = wide[c.rand.IntN(len(wide))]
	}
	switch {
	case target.Rows > 0:
		rows = target.Rows
	case target.maximizes():
		rows = 1 // feature weights
	}
	if target.Cols > 0 {
		cols = target.Cols
	}
	return rows, cols
}

// point draws a point: of small whole numbers, so that ties are frequent, or of
// real numbers of several scales; with or without masses, some of which are 0.
func (c *trial) point(rows, cols int) framework.Point {
	at := framework.Point{X: framework.NewMatrix(rows, cols)}
	c.fill(at.X)
	masses := func(n int, draw func() float64) (masses []float64) {
		for range n {
			masses = append(masses, draw())
		}
		return masses
	}
	positive := func() float64 { return 0.1 + 3*c.rand.Float64() }
	switch c.rand.IntN(3) {
	case 0:
	case 1:
		at.RowMass = masses(rows, func() float64 { return float64(c.rand.IntN(4)) })
	default:
		at.RowMass = masses(rows, positive)
	}
	switch c.rand.IntN(8) {
	case 0, 1:
		at.ColMass = masses(cols, positive)
	case 2, 3:
		at.ColMass = masses(cols, func() float64 { return float64(c.rand.IntN(3)) })
	}
	return at
}

// fill draws the entries of a point.
func (c *trial) fill(x framework.Matrix) {
	if c.rand.IntN(3) == 0 {
		for i := range x.Data {
			x.Data[i] = float64(c.between(-3, 3))
		}
		return
	}
	scale, offset := []float64{1, 1, 1, 1e-6, 1e4}[c.rand.IntN(5)], 0.0
	if c.large() && c.rand.IntN(3) == 0 {
		scale = []float64{1e-9, 1, 1e9}[c.rand.IntN(3)]
		offset = []float64{0, 1e8}[c.rand.IntN(2)]
	}
	for i := range x.Data {
		x.Data[i] = offset + scale*c.rand.NormFloat64()
	}
}

// project projects into a matrix full of junk.
func (p *projected) project(at framework.Point) framework.Matrix {
	dst := junk(at.X.Rows, at.X.Cols)
	if err := p.set.Project(dst, at); err != nil {
		p.failf("Project of %v is refused: %v", rowsOf(at.X), err)
	}
	if slices.ContainsFunc(dst.Data, notFinite) {
		p.failf("Project of %v writes %v, which is not finite", rowsOf(at.X), rowsOf(dst))
	}
	return dst
}

// junk is a matrix of NaN, which a step must overwrite.
func junk(rows, cols int) framework.Matrix {
	return framework.Matrix{Rows: rows, Cols: cols, Data: slices.Repeat([]float64{math.NaN()}, rows*cols)}
}

// with returns the point with other entries and the same masses.
func (p *projected) with(x framework.Matrix) framework.Point {
	at := p.at
	at.X = x
	return at
}

// contains reports whether Violation accepts y.
func (p *projected) contains(y framework.Matrix) bool { return p.violation(y) <= lengthError*p.scale }

func (p *projected) violation(y framework.Matrix) float64 {
	v := p.set.Violation(y.Clone())
	if math.IsNaN(v) || v < 0 {
		p.failf("Violation of %v is %g; it must be 0 or more", rowsOf(y), v)
	}
	return v
}

// inner is the inner product with the masses of the point.
func (p *projected) inner(a, b framework.Matrix) float64 {
	var sum float64
	for j := range a.Rows {
		for l := range a.Cols {
			w := a.Row(j)[l] * b.Row(j)[l]
			if p.at.RowMass != nil {
				w *= p.at.RowMass[j]
			}
			if p.at.ColMass != nil {
				w *= p.at.ColMass[l]
			}
			sum += w
		}
	}
	return sum
}

// heaviest is the largest product of a row mass and a column mass.
func (p *projected) heaviest() float64 {
	heaviest := 1.0
	for _, masses := range [][]float64{p.at.RowMass, p.at.ColMass} {
		if masses != nil {
			heaviest *= slices.Max(masses)
		}
	}
	return heaviest
}

// slack is the allowed error of an inner product.
func (p *projected) slack() float64 { return lengthError * p.scale * p.scale * p.heaviest() }

// cost is what a projection minimises.
func (p *projected) cost(y framework.Matrix) float64 {
	d := minus(p.at.X, y)
	return p.inner(d, d) / 2
}

// made returns points that the operator itself produces.
func (p *projected) made() []framework.Matrix {
	x := p.at.X
	var from []framework.Matrix
	for _, c := range []float64{0, -1, 0.5, 2} {
		from = append(from, scaled(x, c))
	}
	for _, noise := range []float64{0.01, 0.1, 1} {
		z := x.Clone()
		for i := range z.Data {
			z.Data[i] += noise * p.scale * p.rand.NormFloat64()
		}
		from = append(from, z)
	}
	shuffled := x.Clone()
	p.rand.Shuffle(len(shuffled.Data), func(i, k int) {
		shuffled.Data[i], shuffled.Data[k] = shuffled.Data[k], shuffled.Data[i]
	})
	from = append(from, shuffled)
	for i := range min(len(x.Data), 8) {
		for _, v := range []float64{0, 2 * x.Data[i], -x.Data[i]} {
			z := x.Clone()
			z.Data[i] = v
			from = append(from, z)
		}
	}
	for l, m := range p.at.ColMass {
		if m > 0 || len(from) > 60 {
			continue
		}
		for _, v := range []float64{-4, 4} { // which costs nothing
			z := x.Clone()
			for j := range z.Rows {
				z.Row(j)[l] = v * p.scale
			}
			from = append(from, z)
		}
	}
	made := make([]framework.Matrix, len(from))
	for i, z := range from {
		made[i] = p.project(p.with(z))
	}
	return made
}

// accepted returns points near the projection that Violation accepts.
func (p *projected) accepted() []framework.Matrix {
	var all []framework.Matrix
	add := func(change func(y framework.Matrix)) {
		y := p.y.Clone()
		change(y)
		if p.violation(y) <= 1e-14*p.scale {
			all = append(all, y)
		}
	}
	for _, step := range []float64{1e-6, 1e-3, 0.01, 0.1, 0.5, 1} {
		add(func(y framework.Matrix) {
			for i, v := range p.at.X.Data {
				y.Data[i] += step * (v - y.Data[i])
			}
		})
	}
	entries := p.rand.Perm(len(p.y.Data))
	for _, i := range entries[:min(len(entries), 12)] {
		add(func(y framework.Matrix) { y.Data[i] = p.at.X.Data[i] })
	}
	for _, pair := range p.somePairs() {
		i, k := pair[0], pair[1]
		add(func(y framework.Matrix) { y.Data[i], y.Data[k] = y.Data[k], y.Data[i] })
		add(func(y framework.Matrix) { y.Data[i], y.Data[k] = p.at.X.Data[i], 0 })
		add(func(y framework.Matrix) {
			d := 1e-3 * (p.at.X.Data[i] - y.Data[i])
			y.Data[i] += d
			y.Data[k] -= d
		})
	}
	return all
}

// somePairs returns pairs of different entries, at random if there are many. A set
// in another process gets fewer, since each pair costs a call.
func (p *projected) somePairs() [][2]int {
	most := 132
	if _, served := p.set.(*host.Set); served {
		most = 20
	}
	var all [][2]int
	n := len(p.y.Data)
	if n > 4*most {
		for range most {
			i := p.rand.IntN(n)
			all = append(all, [2]int{i, (i + 1 + p.rand.IntN(n-1)) % n})
		}
		return all
	}
	for i := range n {
		for k := range n {
			if k != i {
				all = append(all, [2]int{i, k})
			}
		}
	}
	p.rand.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all[:min(len(all), most)]
}

func norm(x framework.Matrix) float64 {
	var sum float64
	for _, v := range x.Data {
		sum = math.Hypot(sum, v)
	}
	return sum
}

func minus(a, b framework.Matrix) framework.Matrix {
	d := a.Clone()
	for i, v := range b.Data {
		d.Data[i] -= v
	}
	return d
}

func scaled(x framework.Matrix, c float64) framework.Matrix {
	y := x.Clone()
	for i := range y.Data {
		y.Data[i] *= c
	}
	return y
}

// shown is a matrix that prints as a list of rows.
type shown struct{ framework.Matrix }

func (m shown) String() string { return rowsOf(m.Matrix) }

// rowsOf writes a matrix as a list of rows.
func rowsOf(x framework.Matrix) string {
	if x.Rows == 1 {
		return fmt.Sprint(x.Row(0))
	}
	rows := make([][]float64, x.Rows)
	for j := range rows {
		rows[j] = x.Row(j)
	}
	return fmt.Sprint(rows)
}

// largest returns the largest absolute value, 0 if there is none.
func largest(list []float64) (most float64) {
	for _, v := range list {
		most = math.Max(most, math.Abs(v))
	}
	return most
}

func notFinite(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// differ returns the first index at which the bits of two lists differ, or −1.
func differ(a, b []float64) int {
	for i, v := range a {
		if !sameBits(v, b[i]) {
			return i
		}
	}
	return -1
}
