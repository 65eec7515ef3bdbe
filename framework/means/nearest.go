package means

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/framework/internal/memory"
)

// Kernel names the implementation of the hot loops that this processor uses.
// All give the same results.
func Kernel() string { return kernel.Name() }

// Kernels names the implementations that this processor can run, best first.
func Kernels() []string { return kernel.Names() }

// UseBestKernel has the first of Kernels used, whatever the environment says: for code
// within another program, whose environment is not ours. It is called before all else here.
func UseBestKernel() { kernel.Best() }

// CheckKernel returns a Fault if the environment asks for an implementation
// that this processor or this program does not have. A program checks this
// before it runs anything.
func CheckKernel() error {
	name := kernel.Unknown()
	if name == "" {
		return nil
	}
	all := kernel.Names()
	f := framework.Faultf(framework.Usage, "unknown-kernel", "there is no kernel %q on this machine", name).
		WithWhere("%s", kernel.Variable).WithHint("it can be %s; without the variable it is %s", strings.Join(all, ", "), all[0])
	f.Similar = framework.Closest(name, all)
	return f
}

// A Distance says how far a row is from a center.
type Distance struct {
	Loss     Loss
	Observed bool      // missing cells are left out; otherwise there are none
	Weights  []float64 // of the features, length p, ≥ 0; nil: all 1
	// Selected, if not nil, has every column (length p) in which some center is
	// not 0, and saves the search for them.
	Selected []bool
	// Cells, if not nil, says in which columns some cell is not 0: CellsOf. Where nothing is selected,
	// they are measured, too, although all centers may be 0 there by now, as those of a start often are:
	// the centers of the next state will not be. It is for starts alone: how a result is labelled
	// must not depend on which rows there are.
	Cells []bool
	// Steady says that columns and weights are those of all later states, so that what
	// saves time later is worth while at once.
	Steady bool
	// Base, if not nil, is that of the columns of sparse rows (length p).
	Base []float64
	// Rows is how many rows will be measured at a time, if it is known: for a few,
	// less is made ready.
	Rows int
	// Share is Model.Share.
	Share func(n int, work func(i int))
	// Filled says that AssignFilled fills missing cells. Rows then move like
	// centers, so that no distance can be bounded.
	Filled bool
}

// CellsOf returns in which columns of a problem some cell is not 0 (length p).
func CellsOf(p framework.Problem) []bool {
	cells := make([]bool, p.P)
	for l, column := range p.Columns {
		cells[l] = column.Min != 0 || column.Max != 0
	}
	return cells
}

// Centers are the centers of one model made ready for assigning blocks: packed,
// in the columns that tell them apart, and with the distances that they have
// moved. They are kept in framework.Model.Cache. Prepare writes them; the other
// methods may be called at the same time. The zero value is ready for Prepare.
type Centers struct {
	d Distance

	columns []int          // that tell centers apart: outside of them, a row has the same distance to all
	choice  int            // counts the changes of columns
	spare   []int          // room for the next columns
	tells   []bool         // by column
	near    kernel.Centers // k × len(columns)
	measure kernel.Measure // of near

	// era counts the changes of columns or weights, which end all bounds; drift
	// (k) is for kernel.Bound, since the era began.
	era   int
	drift []float64
	moved []float64

	sparse sparse

	source framework.Matrix // theta
	before []float64        // near.Rows before the last Prepare
	whole  struct {         // all p features, packed when first needed
		once    sync.Once
		centers kernel.Centers
	}
}

// Prepare makes the centers theta (k×p) ready. Each call gets the next state of
// the same centers; of the distance, only the weights may change. theta is used
// until the next call. Labels depend on this call alone, and so must the columns:
// over others, distances are rounded differently, and equal ones may differ.
func (c *Centers) Prepare(theta framework.Matrix, d Distance) {
	if c.drift == nil {
		c.drift, c.moved = make([]float64, theta.Rows), make([]float64, theta.Rows)
	}
	c.source, c.whole.once, c.sparse.once = theta, sync.Once{}, sync.Once{}
	columns := c.informative(c.spare[:0], d)
	if !slices.Contains(d.Selected, false) && len(columns) > theta.Cols*3/4 {
		columns = everyColumn(columns[:0], theta.Cols) // copying so many would cost more than reading the others
	}
	c.columns, c.spare = columns, c.columns
	equal := c.era > 0 && slices.Equal(columns, c.spare)
	if !equal {
		c.choice++
	}
	same := equal && (d.Weights == nil) == (c.d.Weights == nil) && slices.Equal(d.Weights, c.d.Weights)
	if !same {
		c.renew()
		c.measure = kernel.Measure{Loss: kernel.Loss(d.Loss), Observed: d.Observed && !d.Filled}
		if d.Weights != nil {
			c.measure.Weights = make([]float64, len(columns))
			for t, l := range columns {
				c.measure.Weights[t] = d.Weights[l]
			}
			d.Weights = slices.Clone(d.Weights)
		}
		c.d = d
	}
	c.near.K, c.near.S = c.source.Rows, len(columns)
	c.before, c.near.Rows = c.near.Rows, memory.Room(c.before, c.near.K*c.near.S)
	c.near.Share, c.d.Share = d.Share, nil
	moves := same && !d.Filled && d.Base == nil
	if c.near.Shares() {
		c.near.Each(theta.Rows, func(j int) { c.place(j, moves) })
	} else {
		for j := range theta.Rows {
			c.place(j, moves)
		}
	}
	if d.Base != nil {
		if same = c.prepareSparse(d, same); same && !d.Filled {
			for j := range theta.Rows {
				c.move(j)
			}
		}
	} else {
		c.near.Pack()
		if !d.Filled {
			c.near.Filter(c.measure, d.Rows)
		}
	}
	c.near.Share = nil
	if same && !d.Filled {
		c.addDrift()
	}
}

// renew ends all bounds.
func (c *Centers) renew() {
	c.era++
	clear(c.drift)
	c.near.Renew()
}

// informative appends to dst the columns that have weight, and in which some
// center is not 0, or will be.
func (c *Centers) informative(dst []int, d Distance) []int {
	if d.Selected != nil {
		for l, selected := range d.Selected {
			if selected && (d.Weights == nil || d.Weights[l] != 0) && c.nonzero(l) {
				dst = append(dst, l)
			}
		}
		return dst
	}
	c.tells = slices.Grow(c.tells[:0], c.source.Cols)[:c.source.Cols]
	dst = slices.Grow(dst, c.source.Cols)
	clear(c.tells)
	if d.Base == nil { // a sparse row takes time for its entries alone
		copy(c.tells, d.Cells)
	}
	for j := range c.source.Rows {
		row := c.source.Row(j)
		tells, every := c.tells[:len(row)], true
		for l, v := range row {
			if v != 0 {
				tells[l] = true
			}
			every = every && tells[l]
		}
		if every {
			break // as a rule after the first center
		}
	}
	for l, tells := range c.tells {
		if tells && (d.Weights == nil || d.Weights[l] != 0) {
			dst = append(dst, l)
		}
	}
	return dst
}

func everyColumn(dst []int, p int) []int {
	for l := range p {
		dst = append(dst, l)
	}
	return dst
}

// nonzero reports whether some center is not 0 in column l.
func (c *Centers) nonzero(l int) bool {
	for i := l; i < len(c.source.Data); i += c.source.Cols {
		if c.source.Data[i] != 0 {
			return true
		}
	}
	return false
}

// place writes center j to near, and measures how far it has moved, if it is to.
func (c *Centers) place(j int, moves bool) {
	row := c.near.Rows[j*c.near.S : (j+1)*c.near.S]
	if len(row) == c.source.Cols {
		copy(row, c.source.Row(j))
	} else {
		pick(row, c.source.Row(j), c.columns)
	}
	if moves {
		c.move(j)
	}
}

// move measures how far center j has moved.
func (c *Centers) move(j int) {
	s := c.near.S
	c.moved[j] = c.d.Loss.between(c.before[j*s:(j+1)*s], c.near.Rows[j*s:(j+1)*s], c.measure.Weights)
}

// addDrift adds to the drift of each label how far its center has moved, and
// the largest distance of another one, both rounded up, and to the drifts of groups: see docs/performance.md
// of the repository.
func (c *Centers) addDrift() {
	first, second := 0.0, 0.0 // the largest two moves
	for _, d := range c.moved {
		if d >= first {
			first, second = d, first
		} else if d > second {
			second = d
		}
	}
	c.near.Moved(c.moved)
	for j, d := range c.moved {
		other := first
		if d == first {
			other = second
		}
		c.drift[j] = math.Nextafter(c.drift[j]+math.Nextafter(d+other, math.Inf(1)), math.Inf(1))
	}
}

// Columns returns the columns that distances are summed over: at least those in
// which some center is not 0.
func (c *Centers) Columns() []int { return c.columns }

// Distances writes the distance of each row of the block to each center, over
// all features and the observed cells, to dst (block rows × k).
func (c *Centers) Distances(dst framework.Matrix, b framework.Block) {
	if b.Sparse != nil {
		c.distancesSparse(dst, b)
		return
	}
	all, measure := c.all()
	kernel.Distances(dst.Data, measure, b.X.Data, all)
}

// Measure is Lloyd.Measure.
func (c *Centers) Measure(b framework.Block, labels []int32, to []framework.Measured) bool {
	if b.Sparse != nil {
		c.measureSparse(b, labels, to)
		return true
	}
	all, measure := c.all()
	t := twos.Get().(*kernel.Two)
	defer twos.Put(t)
	n := len(labels)
	t.Own = append(t.Own[:0], labels...)
	t.Second, t.Distance, t.Other = sized(t.Second, n), sized(t.Distance, n), sized(t.Other, n)
	if !t.Find(measure, b.X.Data, all) {
		return false
	}
	for i := range to {
		to[i] = framework.Measured{Own: t.Own[i], Second: t.Second[i], Distance: t.Distance[i], Other: t.Other[i]}
	}
	return true
}

// twos have room for the rows of a block each, which is touched once and not for every block.
var twos = sync.Pool{New: func() any { return new(kernel.Two) }}

// sized returns a list of n numbers, in the memory of v if that is large enough.
func sized[T int32 | float64](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// all returns the centers over all features, and how they are measured.
func (c *Centers) all() (*kernel.Centers, kernel.Measure) {
	all, measure := &c.whole.centers, kernel.Measure{Loss: kernel.Loss(c.d.Loss), Observed: c.d.Observed, Weights: c.d.Weights}
	c.whole.once.Do(func() {
		all.K, all.S, all.Rows = c.source.Rows, c.source.Cols, c.source.Data
		all.Pack()
		all.Filter(measure, c.d.Rows)
	})
	return all, measure
}
