package means

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
)

// Restricted are the centers of a method, kept in a set T. For fixed labels and
// feature weights w, the centers that cost least are
//
//	argmin over θ in T of Σ_j Σ_l w_l m_jl (θ_jl − μ_jl)²
//
// which is the projection onto T of the means μ, with the masses of clusters
// and the weights of features. Where T bounds single features it depends on no
// mass, so that m_jl may be those of observed cells. A feature of weight 0 costs
// nothing wherever its centers are: it is an entry of mass 0, which T moves
// before all others.
//
// Source: Zhang, Lange and Xu (2020), equation 6, with feature weights.
type Restricted struct {
	set framework.Set
}

// Restrict returns the restriction of the problem's centers, nil if there is
// none. It returns a Fault if its set has no rule: for missing cells; and, where
// the method weighs features, if it selects features too (a sparsity).
func Restrict(p framework.Problem, weighs bool) (*Restricted, error) {
	if p.Centers == nil {
		return nil, nil
	}
	if weighs && constraint.Selects(p.Centers) {
		return nil, framework.Faultf(framework.Data, "selected-twice",
			"the constraints have a sparsity, but this algorithm weighs features already: "+
				"the features would be selected twice, by two unrelated rules").
			At("constraints").WithHint("leave out the sparsity, or use an algorithm whose features have no weights")
	}
	if framework.HasMissing(p.Columns) && !p.Centers.Properties().Separable {
		return nil, framework.Faultf(framework.Data, "set-needs-means",
			"cells are missing, and the constraints tie features together: the nearest centers are known for complete rows only").
			At("constraints").
			WithHint("%s leaves out rows with missing cells; bounds on single features (box, nonnegative, fixed) work with them",
				framework.SettingTo("nulls", "drop"))
	}
	return &Restricted{p.Centers}, nil
}

// Nearest writes to dst (k×p) the centers of the set that are nearest to the
// means at.X, with the feature weights as at.ColMass (nil: all 1). m is the
// present model: a cluster without rows keeps its center if that is in the set
// (m.Round is not 0) and the origin is not. dst may be m.Centers.
func (r *Restricted) Nearest(dst framework.Matrix, m *framework.Model, at framework.Point) error {
	return r.set.Project(dst, constraint.KeepEmpty(r.set, m, at))
}

// hold takes from the gains (length p) what is lost where centers are held off
// the means of the last Update:
//
//	b_l − Σ_j m_jl (θ_jl − μ_jl)²
//
// with θ the nearest centers to these means. With gains from Between, that is the
// total sum of squares of a feature less the one within clusters about θ. It is
// below 0 where the set keeps centers farther from their rows than the mean of
// all rows is.
func (r *Restricted) hold(gains []float64, m *framework.Model) error {
	room := CacheOf(m)
	u, theta := &room.Update, &room.theta
	if theta.Data == nil {
		*theta = framework.NewMatrix(u.Mean.Rows, u.Mean.Cols)
	}
	if err := r.Nearest(*theta, m, room.At[framework.Centers]); err != nil {
		return err
	}
	for j := range theta.Rows {
		for l, v := range theta.Row(j) {
			d := v - u.Mean.Row(j)[l]
			gains[l] -= float64(u.massOf(j, l) * float64(d*d))
		}
	}
	return nil
}
