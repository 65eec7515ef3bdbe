package conformance

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A subject is an algorithm to be checked, in this process or in another.
type subject interface {
	describe() (framework.Description, error)
	// open binds the algorithm to a problem and its rows.
	open(p framework.Problem, rows sample) (framework.Clusterer, *matrix.Data, func(), error)
	// served reports whether steps are calls to another process, which take longer
	// but cannot write where they should not.
	served() bool
}

// description returns the subject's description.
func (c *trial) description(s subject) framework.Description {
	d, err := s.describe()
	c.must(err)
	return d
}

// A sample is rows, cut into blocks of one size.
type sample struct {
	x         framework.Matrix
	weights   []float64 // nil: none
	blockRows int
}

// weight returns the weight of a row.
func (s sample) weight(i int) float64 {
	if s.weights == nil {
		return 1
	}
	return s.weights[i]
}

// inProcess is an algorithm in this process.
type inProcess struct{ framework.Algorithm }

func (a inProcess) describe() (framework.Description, error) { return a.Describe(), nil }

func (a inProcess) served() bool { return false }

func (a inProcess) open(p framework.Problem, rows sample) (framework.Clusterer, *matrix.Data, func(), error) {
	c, err := a.New(p)
	if err != nil {
		return nil, nil, nil, err
	}
	return c, matrix.FromMatrix(rows.x.Clone(), slices.Clone(rows.weights), rows.blockRows), func() {}, nil
}

// A want says what kind of problem a law needs.
type want struct {
	smooth   bool // real numbers without ties instead of small whole ones
	complete bool // no missing cells
	plain    bool // no row weights
	missing  bool // some cells are missing; the case is skipped if the algorithm takes none
	shape    func(c *trial) (n, p, k int)
}

// A bed is a problem with the algorithm bound to it: all that a law needs.
type bed struct {
	*trial
	s      subject
	d      framework.Description
	texts  map[string]string // parameters
	p      framework.Problem
	rows   sample
	c      framework.Clusterer
	plan   framework.Plan
	data   *matrix.Data
	labels []int32         // a start in which every cluster has rows, if there are enough
	groups int             // of features; 0: none
	part   *framework.Part // of a row, in what is collected; nil: all rows are whole
}

// refusals is how many problems are tried until the algorithm accepts one.
const refusals = 8

// bed draws a problem and binds the algorithm to it.
func (c *trial) bed(s subject, w want) *bed {
	d := c.description(s)
	var refused error
	for try := range refusals {
		n, k := c.between(2, 2+2*c.size), c.between(1, min(4, 1+c.size/4))
		p := c.between(1, min(6, 1+c.size/4))
		block := c.between(1, n)
		if w.shape != nil {
			n, p, k = w.shape(c)
			block = c.between(1, n)
		} else if c.grown() {
			n, p, k, block = c.lifeSize()
		}
		texts := c.params(d, p, try)
		rows := sample{c.cells(n, p, k, w.smooth), nil, block}
		if w.shape == nil {
			c.rescale(rows.x, w)
		}
		if w.missing && !d.Missing {
			c.skipf("the algorithm takes no missing cells")
		}
		if w.missing || d.Missing && !w.complete && try < refusals/2 && c.rand.IntN(3) == 0 {
			c.lose(rows.x)
		}
		if !w.plain && c.rand.IntN(5) < 2 {
			rows.weights = c.weights(n)
		}
		params, err := d.Resolve(texts)
		if err != nil {
			c.failf("the parameters %v, made from its own description, are refused: %v", texts, err)
		}
		b := &bed{trial: c, s: s, d: d, texts: texts}
		b.p = framework.Problem{N: n, P: p, K: min(k, n), Params: params, Seed: c.number}
		if d.Groups && c.rand.IntN(2) == 0 {
			b.groups = c.between(1, p)
		}
		if refused = b.bind(rows); refused == nil {
			b.labels = b.start()
			b.tell()
			return b
		}
	}
	c.skipf("the algorithm refuses what is drawn: %v", refused)
	return nil
}

// with binds the algorithm to other rows, with the same parameters.
func (b *bed) with(rows sample) *bed {
	other := *b
	if err := other.bind(rows); err != nil {
		b.failf("New takes the rows, but not %d × %d of them in another form: %v", rows.x.Rows, rows.x.Cols, err)
	}
	return &other
}

// bind binds the algorithm to rows. The error is a refusal.
func (b *bed) bind(rows sample) error {
	b.rows = rows
	b.p.N, b.p.P = rows.x.Rows, rows.x.Cols
	b.p.Columns, b.p.Weighted = columnsOf(rows), rows.weights != nil
	b.p.Mass = 0
	for i := range b.p.N {
		b.p.Mass += rows.weight(i)
	}
	b.group()
	return b.rebind()
}

// group deals the features out to groups in turn, so that features of a group are
// not adjacent.
func (b *bed) group() {
	if b.groups == 0 {
		return
	}
	b.p.Groups = make([]framework.Group, min(b.groups, b.p.P))
	for g := range b.p.Groups {
		b.p.Groups[g] = framework.Group{Name: fmt.Sprintf("g%d", g), Weight: math.NaN()}
	}
	for l := range b.p.Columns {
		b.p.Columns[l].Group = l % len(b.p.Groups)
	}
}

// rebind makes a new clusterer for the problem.
func (b *bed) rebind() error {
	c, data, end, err := b.s.open(b.p, b.rows)
	if f := framework.AsFault(err); f != nil && f.Class != framework.Plugin {
		return f
	} else if err != nil {
		b.failf("New fails with %v; what data or a user can cause must be a Fault", err)
	}
	b.atEnd(end)
	b.c, b.data, b.plan = c, data, c.Plan()
	return nil
}

// without returns the same problem without a part of it.
func (b *bed) without(what string, remove func(p *framework.Problem)) *bed {
	other := *b
	remove(&other.p)
	if err := other.rebind(); err != nil {
		b.failf("New refuses the problem without its %s: %v", what, err)
	}
	return &other
}

// again returns the same problem with a clusterer of its own.
func (b *bed) again() *bed {
	other := *b
	if err := other.rebind(); err != nil {
		b.failf("New takes a problem once, but not twice: %v", err)
	}
	return &other
}

// tell describes the problem for the report.
func (b *bed) tell() {
	var params string
	for _, name := range b.p.Params.Names() {
		params += fmt.Sprintf(" %s=%v", name, b.p.Params[name])
	}
	b.given("algorithm %s%s, k = %d, seed %d", b.d.Name, params, b.p.K, b.p.Seed)
	if b.p.Groups != nil {
		b.given("feature l is in group l mod %d", len(b.p.Groups))
	}
	const few = 12
	x := b.rows.x
	if x.Rows > few {
		b.given("%d rows of %d features in blocks of %d, the first of them %v", x.Rows, x.Cols, b.rows.blockRows, x.Slice(0, few))
	} else {
		b.given("%d rows of %d features in blocks of %d: %v", x.Rows, x.Cols, b.rows.blockRows, x)
	}
	if w := b.rows.weights; w != nil {
		b.given("row weights %v", w[:min(len(w), 4*few)])
	}
	b.given("start labels %v", b.labels[:min(len(b.labels), 4*few)])
}

// params draws values for parameters. Choices are tried evenly; optional parameters
// keep their defaults when the algorithm has refused other values.
func (c *trial) params(d framework.Description, p, try int) map[string]string {
	texts := map[string]string{}
	turn := c.index + try
	for _, param := range d.Params {
		switch param.Type {
		case framework.ChoiceParam, framework.BoolParam:
			values := param.Choices
			if param.Type == framework.BoolParam {
				values = []string{"false", "true"}
			}
			texts[param.Name] = values[turn%len(values)]
			turn /= len(values)
		case framework.TextParam:
			if param.Required {
				texts[param.Name] = "a"
			}
		default:
			if param.Required || try < refusals/2 && c.rand.IntN(4) == 0 && (param.Min != nil && param.Max != nil) {
				texts[param.Name] = c.value(param, p)
			}
		}
	}
	return texts
}

// value draws a number in the range of the parameter, at most about the number of
// features.
func (c *trial) value(param framework.Param, p int) string {
	low, high := 0.0, float64(p)
	if param.Min != nil {
		low = *param.Min
		high = math.Max(high, low)
	} else if param.Max != nil && *param.Max < low {
		low = *param.Max - float64(p)
	}
	if param.Max != nil {
		high = math.Min(high, *param.Max)
	}
	if param.Type == framework.IntParam {
		return strconv.Itoa(c.between(int(math.Ceil(low)), int(math.Floor(high))))
	}
	return strconv.FormatFloat(low+(math.Sqrt(high-low+1)-1)*c.rand.Float64(), 'g', -1, 64)
}

// start draws labels. Every cluster gets a row of positive weight if there are
// enough such rows.
func (b *bed) start() []int32 {
	labels := make([]int32, b.p.N)
	for i := range labels {
		labels[i] = int32(b.rand.IntN(b.p.K))
	}
	j := 0
	for _, i := range b.rand.Perm(b.p.N) {
		if j < b.p.K && b.rows.weight(i) > 0 {
			labels[i] = int32(j)
			j++
		}
	}
	return labels
}

// total is the scale of rounding errors: the sum of all rows' losses to the origin.
func (b *bed) total() float64 {
	var squares, sizes float64
	for i, v := range b.rows.x.Data {
		if v == v {
			w := b.rows.weight(i / b.rows.x.Cols)
			squares, sizes = squares+w*v*v, sizes+w*math.Abs(v)
		}
	}
	if b.plan.Squared && b.d.Trims { // there is nothing but squares in the objective
		return squares
	}
	return b.p.Mass + squares + sizes // distances without a unit are about 1
}
