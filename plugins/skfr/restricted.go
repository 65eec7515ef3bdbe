package skfr

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/intersect"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// restrict makes the clusterer keep its centers in the user's set: projected
// k-means, θ = P(μ), eq. 6 of the SKFR paper. Together with a sparsity the two
// must have a rule.
func (c *clusterer) restrict(centers framework.Set) error {
	p := c.Problem
	names := intersect.Names{
		Sets:     []string{framework.Setting("sparsity"), "the constraints"},
		Original: func(l int, v float64) float64 { return p.Columns[l].Location + v*p.Columns[l].Scale },
	}
	for _, column := range p.Columns {
		names.Features = append(names.Features, column.Name)
	}
	var sparse framework.Set
	if c.sparse.S < c.groups {
		sparse = c.sparse
	}
	set, err := intersect.Sets(p.K, p.P, []framework.Set{sparse, centers}, names)
	if err != nil {
		if f := framework.AsFault(err); f != nil && f.Where == "" {
			f.Where = framework.Setting("constraints")
		}
		return err
	}
	squares, observed := c.Loss.Squares(), framework.HasMissing(p.Columns) && !c.kpod
	if (!squares || observed) && !constraint.TakesGains(set, !squares) {
		return c.needsMeans()
	}
	c.set = set
	return nil
}

// needsMeans refuses a set that has no rule for other centers than means of
// complete rows.
func (c *clusterer) needsMeans() error {
	f := framework.Faultf(framework.Data, "set-needs-means",
		"cells are missing, and the constraints tie features together: the nearest centers are known for complete rows only").
		At("constraints").
		WithHint("use %s, which fills cells, or %s; bounds on single features (box, nonnegative, fixed) work with missing cells",
			framework.SettingTo("missing", kpod), framework.SettingTo("nulls", "drop"))
	if !c.Loss.Squares() {
		f.Summary = "the nearest centers to " + c.Loss.Center() + "s are known for bounds on single features or a sparsity alone, " +
			"and the constraints are more than that"
		f.Hint = "use " + framework.SettingTo("loss", means.Squared) + ", or only bounds on single features (box, nonnegative, fixed)"
	}
	return f
}

// projectRestricted is Project with a set of the user's.
func (c *clusterer) projectRestricted(m *framework.Model, at framework.Point) (framework.Outcome, error) {
	at = constraint.KeepEmpty(c.set, m, at)
	gains := constraint.EntryGains(c.set, at)
	if c.kpod {
		copy(m.Aux[filler], m.Centers.Data)
	}
	if err := c.set.Project(m.Centers, at); err != nil {
		return framework.Outcome{}, err
	}
	m.Round++
	if !constraint.Selects(c.set) && c.Loss.Squares() {
		constraint.HeldBack(gains, at.X.Data, m.Centers.Data)
	}
	c.rateFeatures(m, at, gains)
	if c.kpod {
		return c.moved(m), nil
	}
	return framework.Outcome{}, nil
}

// rateFeatures writes gains, and which features are selected: those that are not
// at the origin, with all of their group, and all where nothing selects.
func (c *clusterer) rateFeatures(m *framework.Model, at framework.Point, gains []float64) {
	p := c.Problem.P
	all := !constraint.Selects(c.set)
	if c.sparse.PerCenter {
		copy(m.Gain, gains)
		for i, v := range m.Centers.Data {
			if at.RowMass[i/p] > 0 {
				m.Selected[i] = all || v != 0
			}
		}
		for j, n := range at.RowMass {
			if n > 0 {
				c.wholeGroups(m.Selected[j*p : (j+1)*p])
			}
		}
		return
	}
	clear(m.Gain)
	clear(m.Selected)
	for i, v := range m.Centers.Data {
		m.Gain[i%p] += gains[i]
		if !c.plain {
			m.Selected[i%p] = m.Selected[i%p] || all || v != 0
		}
	}
	if !c.plain {
		c.wholeGroups(m.Selected)
	}
}

// wholeGroups selects all features of a group of which one is selected.
func (c *clusterer) wholeGroups(selected []bool) {
	if c.sparse.Groups == nil {
		return
	}
	chosen := make([]bool, c.groups)
	for l, g := range c.sparse.Groups {
		chosen[g] = chosen[g] || selected[l]
	}
	for l, g := range c.sparse.Groups {
		selected[l] = chosen[g]
	}
}
