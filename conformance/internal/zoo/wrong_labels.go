package zoo

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/labelset"
)

// mistaken is k-means that takes the costs of one label for those of another.
type mistaken struct{ Algorithm }

// Describe implements framework.Algorithm.
func (a mistaken) Describe() framework.Description {
	d := a.Algorithm.Describe()
	d.Labels = true
	return d
}

// New implements framework.Algorithm.
func (a mistaken) New(p framework.Problem) (framework.Clusterer, error) {
	c, err := a.Algorithm.New(p)
	if err != nil {
		return nil, err
	}
	return mistakenClusterer{c}, nil
}

type mistakenClusterer struct{ framework.Clusterer }

// Unwrap returns the clusterer without costs.
func (c mistakenClusterer) Unwrap() framework.Clusterer { return c.Clusterer }

// Costs implements framework.Coster.
func (c mistakenClusterer) Costs(m *framework.Model, b framework.Block, _ []int32, _ framework.Scratch, dst framework.Matrix) error {
	if err := c.Distances(m, b, dst); err != nil {
		return err
	}
	for i := range dst.Rows {
		row := dst.Row(i)
		copy(row, append(slices.Clone(row[1:]), row[0]))
	}
	return nil
}

// mistaking are animals whose labels cannot be restricted by what they say that these cost.
func mistaking() []Animal {
	a := mistaken{Algorithm{mutation{describe: func(d *framework.Description) { d.Links = false }}}}
	return []Animal{
		{"takes one label's cost for another's", "clusterer/restricted-labels", "it got worse", a},
		{"does not assign by its costs", "clusterer/label-costs", "but its costs are", a},
	}
}

// rowsKind is the kind of sizes, with something wrong.
type rowsKind struct {
	framework.LabelKind
	describe func(d *framework.SetDescription)
	rows     func(rows []framework.ConstraintRow) ([]framework.ConstraintRow, error)
	project  func(before, labels []int32, at framework.LabelCosts, p *framework.LabelPoint)
}

func sizes(change func(k *rowsKind)) framework.LabelKind {
	k := rowsKind{}
	for _, one := range labelset.Kinds() {
		if one.Describe().Kind == "size" {
			k.LabelKind = one
		}
	}
	change(&k)
	return k
}

// Describe implements framework.LabelKind.
func (k rowsKind) Describe() framework.SetDescription {
	d := k.LabelKind.Describe()
	if k.describe != nil {
		k.describe(&d)
	}
	return d
}

// Make implements framework.LabelKind.
func (k rowsKind) Make(rows []framework.ConstraintRow, t framework.LabelTable) (framework.LabelSet, error) {
	if k.rows != nil {
		var err error
		if rows, err = k.rows(rows); err != nil {
			return nil, err
		}
	}
	s, err := k.LabelKind.Make(rows, t)
	if err != nil {
		return nil, err
	}
	return rowsSet{s, k}, nil
}

type rowsSet struct {
	framework.LabelSet
	kind rowsKind
}

// Project implements framework.LabelSet.
func (s rowsSet) Project(ctx context.Context, labels []int32, at framework.LabelCosts) (framework.LabelPoint, error) {
	before := slices.Clone(labels)
	p, err := s.LabelSet.Project(ctx, labels, at)
	if err == nil && s.kind.project != nil {
		s.kind.project(before, labels, at, &p)
	}
	return p, err
}

// exchange makes the first two rows of different labels change places.
func exchange(labels []int32, at framework.LabelCosts, p *framework.LabelPoint) {
	for i, j := range labels {
		if j != labels[0] {
			labels[0], labels[i] = j, labels[0]
			break
		}
	}
	p.Cost = at.Total(labels)
	p.Bound = p.Cost
}

// wrongSizes are kinds of sizes of which each breaks a law.
func wrongSizes() []WrongLabels {
	project := func(f func(before, labels []int32, at framework.LabelCosts, p *framework.LabelPoint)) framework.LabelKind {
		return sizes(func(k *rowsKind) { k.project = f })
	}
	always := project(func(_, labels []int32, at framework.LabelCosts, p *framework.LabelPoint) { exchange(labels, at, p) })
	return []WrongLabels{
		{"two rows in each other's places", "labels/neighbours", "makes labels", always},
		{"above its linear program", "labels/relaxation", "the linear program", always},
		{"the labels before matter", "labels/present", "with other present labels",
			project(func(before, labels []int32, at framework.LabelCosts, p *framework.LabelPoint) {
				if before[0] >= 0 {
					exchange(labels, at, p)
				}
			})},
		{"threads matter", "labels/repeat", "asked once more", project(func(_, labels []int32, at framework.LabelCosts, p *framework.LabelPoint) {
			if at.Threads > 1 {
				exchange(labels, at, p)
			}
		})},
		{"an example that limits nothing", "labels/examples", "it must restrict some", sizes(func(k *rowsKind) {
			k.describe = func(d *framework.SetDescription) { d.Example = []framework.ConstraintRow{{Kind: "size", Lo: new(0.0)}} }
		})},
		{"the first row alone counts", "labels/equal-rows", "in another order", sizes(func(k *rowsKind) {
			k.rows = func(rows []framework.ConstraintRow) ([]framework.ConstraintRow, error) { return rows[:1], nil }
		})},
		{"an error without a Fault", "labels/any-rows", "no Fault of class Data", sizes(func(k *rowsKind) {
			k.rows = func(rows []framework.ConstraintRow) ([]framework.ConstraintRow, error) {
				if rows[0].Lo == nil && rows[0].Hi == nil || len(rows) > 2 {
					return nil, errors.New("no")
				}
				return rows, nil
			}
		})},
		{"never a cost", "labels/cost", "returns the cost", project(func(_, _ []int32, _ framework.LabelCosts, p *framework.LabelPoint) {
			p.Cost = math.NaN()
		})},
	}
}
