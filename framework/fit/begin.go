package fit

import (
	"context"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
)

// begin returns the labels (nil: no row has one) or the centers that a run begins with. A plan that
// is Fresh begins with centers where the start has any, and so does a start of
// rows where centers are restricted.
func (f *fitting) begin(ctx context.Context, plan framework.Plan, restart, threads int) ([]int32, *framework.Matrix, error) {
	var c framework.Matrix
	switch {
	case f.start.Centers != nil:
		c = *f.start.Centers
	case f.start.Rows != nil && (plan.Fresh || f.p.Centers != nil):
		c = f.rowsAsCenters()
	case plan.Fresh && !f.start.Given():
		seeded, ok, err := f.seeders.of(restart).Centers(ctx, restart, threads)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			c = seeded
		}
	}
	if c.Data == nil {
		labels, err := f.startLabels(ctx, restart, threads)
		return labels, nil, err
	}
	first, err := f.nearestAllowed(c)
	if f.start.Settled {
		return f.start.Labels, first, err
	}
	return nil, first, err
}

// rowsAsCenters returns the rows of the start. A missing cell is 0, the origin of
// the fitted space.
func (f *fitting) rowsAsCenters() framework.Matrix {
	c := framework.NewMatrix(f.p.K, f.p.P)
	for j, i := range f.start.Rows {
		for l, v := range framework.Cells(f.rows, i) {
			if v == v {
				c.Row(j)[l] = v
			}
		}
	}
	return c
}

// nearestAllowed returns first centers: those that are given, or the nearest
// ones in the problem's set, with all masses equal.
func (f *fitting) nearestAllowed(c framework.Matrix) (*framework.Matrix, error) {
	if f.p.Centers == nil {
		return &c, nil
	}
	allowed := framework.NewMatrix(c.Rows, c.Cols)
	return &allowed, f.p.Centers.Project(allowed, framework.Point{X: c})
}

// startLabels returns the labels of the given start or of seeding.
func (f *fitting) startLabels(ctx context.Context, restart, threads int) ([]int32, error) {
	switch {
	case f.start.Labels != nil:
		return f.start.Labels, nil
	case f.start.Rows != nil:
		return seeding.Nearest(ctx, f.rows, f.start.Rows, UnitsOf(f.p, f.settings.Space(restart)))
	}
	if f.start.Shared != nil {
		return f.start.Shared.Labels(ctx, f.p.K, restart, threads)
	}
	return f.seeders.of(restart).Labels(ctx, restart, threads)
}
