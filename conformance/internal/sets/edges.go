package sets

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
)

func massScale(c *judge.Trial, target Target) {
	p := target.draw(c)
	at := p.at
	if at.RowMass == nil {
		at.RowMass = slices.Repeat([]float64{1}, at.X.Rows)
	}
	if at.ColMass == nil {
		at.ColMass = slices.Repeat([]float64{1}, at.X.Cols)
	}
	p.near(p.project(at), p.y, "with masses of 1 in place of none, Px is")
	at.RowMass = slices.Clone(at.RowMass)
	for j := range at.RowMass {
		at.RowMass[j] *= 4
	}
	p.near(p.project(at), p.y, "with all row masses times 4, Px is")
}

func zeroMass(c *judge.Trial, target Target) {
	p := target.draw(c)
	for _, all := range []bool{false, true} {
		at := p.at
		at.RowMass = make([]float64, at.X.Rows)
		for j := range at.RowMass {
			if !all && j%2 == 1 {
				at.RowMass[j] = 1
			}
		}
		at.ColMass = make([]float64, at.X.Cols)
		for l := range at.ColMass {
			if !all && l%3 > 0 {
				at.ColMass[l] = 1
			}
		}
		y := p.project(at)
		if v := p.violation(y); v > lengthError*math.Max(p.scale, norm(y)) {
			c.Failf("with row masses %v and column masses %v, Px = %v violates the set by %g", at.RowMass, at.ColMass, judge.RowsOf(y), v)
		}
	}
}

// setTies compares a point that has ties with one in which the lower indices are a
// little ahead.
func setTies(c *judge.Trial, target Target) {
	set, rows, cols := target.drawn(c)
	p := &projected{Trial: c, set: set, at: framework.Point{X: framework.NewMatrix(rows, cols)}}
	for i := range p.at.X.Data {
		p.at.X.Data[i] = float64(c.Between(1, 2)) * float64(1-2*c.Rand.IntN(2))
	}
	c.Given("set %s %+v", target.Name, p.set)
	c.Given("X = %v", p.at.X)
	p.y = p.project(p.at)
	const ahead = 1e-5 // of a column; of a row much less, since the columns of all rows may be one choice
	x := p.at.X.Clone()
	for j := range rows {
		for l := range cols {
			x.Row(j)[l] *= 1 + ahead*(float64(cols-l)/float64(cols)+1e-4*float64(rows-j)/float64(rows))
		}
	}
	y := p.project(p.with(x))
	for i, v := range y.Data {
		if math.Abs(v-p.y.Data[i]) > 10*ahead*norm(x) {
			c.Failf("Px = %v, but %v when of equal entries the lower ones are ahead by a hundred-thousandth: a tie went to a higher index",
				judge.RowsOf(p.y), judge.RowsOf(y))
		}
	}
}

func refuses(c *judge.Trial, target Target) {
	p := target.draw(c)
	refused := func(what string, at framework.Point) {
		err := p.set.Project(framework.NewMatrix(at.X.Rows, at.X.Cols), at)
		if f := framework.AsFault(err); f == nil {
			c.Failf("a point with %s is not refused with a Fault: error %v", what, err)
		}
	}
	i := c.Rand.IntN(len(p.at.X.Data))
	for what, v := range map[string]float64{"a NaN": math.NaN(), "an infinite entry": math.Inf(1 - 2*c.Rand.IntN(2))} {
		x := p.at.X.Clone()
		x.Data[i] = v
		refused(what, p.with(x))
	}
	for what, v := range map[string]float64{
		"a negative row mass": -1, "a row mass that is NaN": math.NaN(), "an infinite row mass": math.Inf(1),
	} {
		at := p.at
		at.RowMass = slices.Repeat([]float64{1}, at.X.Rows)
		at.RowMass[c.Rand.IntN(at.X.Rows)] = v
		refused(what, at)
	}
}

func emptyPoint(c *judge.Trial, target Target) {
	cols := target.Cols
	if target.Rows > 0 || target.maximizes() {
		c.Skipf("the set has a fixed number of rows")
	}
	x := framework.NewMatrix(0, cols)
	set := target.New(c.Rand, 0, cols)
	c.Given("X of 0 × %d", cols)
	if err := set.Project(x, framework.Point{X: x}); err != nil {
		c.Failf("it is refused: %v", err)
	}
	if v := set.Violation(x); v != 0 {
		c.Failf("its violation is %g", v)
	}
}

func boundary(c *judge.Trial, target Target) {
	p := target.draw(c)
	for i, v := range p.y.Data {
		for _, to := range []float64{math.Inf(-1), math.Inf(1)} {
			y := p.y.Clone()
			y.Data[i] = math.Nextafter(v, to)
			if got := p.violation(y); got > lengthError*p.scale {
				c.Failf("Px = %v, and entry %d moved by one unit in the last place violates the set by %g", judge.RowsOf(p.y), i, got)
			}
			p.near(p.project(p.with(y)), p.y, "Px with entry %d moved by one unit in the last place is projected to", i)
		}
	}
}
