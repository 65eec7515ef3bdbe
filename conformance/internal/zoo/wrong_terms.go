package zoo

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Terms is k-means whose objective has a term of feature weights, which change no
// distance. Fields that are nil stay right: the term is Σ (w − 2)², which is least
// when all weights are 2.
type Terms struct {
	Algorithm
	objective func(c *kmeans, m *framework.Model, step *framework.Step, s framework.Stats) float64 // without the term
	next      func(w float64) float64
	centering func(m *framework.Model) // when centers are projected
}

// Describe implements framework.Algorithm.
func (a Terms) Describe() framework.Description {
	d := a.Algorithm.Describe()
	d.ObjectiveTerms = []string{"Σ (w − 2)² over the feature weights w"}
	return d
}

// New implements framework.Algorithm.
func (a Terms) New(p framework.Problem) (framework.Clusterer, error) {
	c, err := a.Algorithm.New(p)
	if err != nil {
		return nil, err
	}
	return &withTerms{c.(*kmeans), a}, nil
}

type withTerms struct {
	*kmeans
	terms Terms
}

func (c *withTerms) Plan() framework.Plan {
	p := c.kmeans.Plan()
	p.Cadence[framework.FeatureWeights] = framework.EveryUpdate
	return p
}

func (c *withTerms) Begin() *framework.Model {
	m := c.kmeans.Begin()
	m.FeatureWeights = slices.Repeat([]float64{1}, c.p)
	return m
}

func (c *withTerms) Update(ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows,
	labels []int32) (framework.Step, error) {
	step, err := c.kmeans.Update(ctx, m, s, rows, labels)
	if c.terms.objective != nil {
		step.Objective = c.terms.objective(c.kmeans, m, &step, s)
	}
	next := &framework.Point{X: framework.NewMatrix(1, c.p)}
	for l, w := range m.FeatureWeights {
		step.Objective += (w - 2) * (w - 2)
		next.X.Data[l] = 2
		if c.terms.next != nil {
			next.X.Data[l] = c.terms.next(w)
		}
	}
	step.At[framework.FeatureWeights] = next
	return step, err
}

func (c *withTerms) Project(m *framework.Model, t framework.Target, at framework.Point) (framework.Outcome, error) {
	if t == framework.FeatureWeights {
		copy(m.FeatureWeights, at.X.Data)
		return framework.Outcome{}, nil
	}
	if c.terms.centering != nil {
		c.terms.centering(m)
	}
	return c.kmeans.Project(m, t, at)
}

// hiding returns algorithms that declare a term of their objective, and hide
// something else behind it.
func hiding() []Animal {
	objective := func(what, says string, f func(c *kmeans, m *framework.Model, step *framework.Step, s framework.Stats) float64) Animal {
		return Animal{what, "clusterer/objective", says, Terms{objective: f}}
	}
	return []Animal{
		objective("halves the distances behind a term", "more than the sum of distances for",
			func(_ *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) float64 {
				return step.Objective / 2
			}),
		objective("has a term of the labels", "more than the sum of distances for",
			func(_ *kmeans, _ *framework.Model, step *framework.Step, s framework.Stats) float64 {
				return step.Objective + s[mass][0]
			}),
		objective("has a term of the way to the next centers", "without its terms",
			func(c *kmeans, m *framework.Model, step *framework.Step, s framework.Stats) float64 {
				for i, v := range step.At[framework.Centers].X.Data {
					off := v - m.Centers.Data[i]
					step.Objective += float64(s[cellMass][i] * float64(off*off))
				}
				return step.Objective
			}),
		{"chooses feature weights without the term", "clusterer/objective", "makes the objective worse",
			Terms{next: func(w float64) float64 { return 2*w + 1 }}},
		{"weighs features when centers are projected", "clusterer/objective", "changes the feature weights",
			Terms{centering: func(m *framework.Model) { m.FeatureWeights[0]++ }}},
	}
}
