package fit_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// near is k-means of the rows within a radius of a center. The others are noise.
type near struct {
	*means.Lloyd
	radius   float64
	declared bool
}

func (c near) Plan() framework.Plan {
	p := c.Lloyd.Plan()
	p.Noise, p.Monotone = c.declared, false
	return p
}

func (c near) Assign(m *framework.Model, b framework.Block, labels []int32, s framework.Scratch) error {
	if err := c.Lloyd.Assign(m, b, labels, s); err != nil {
		return err
	}
	d := framework.NewMatrix(b.X.Rows, m.Centers.Rows)
	if err := c.Distances(m, b, d); err != nil {
		return err
	}
	for i, j := range labels {
		if d.Row(i)[j] > c.radius*c.radius {
			labels[i] = -1
		}
	}
	return nil
}

func TestNoiseHasNoClusterAndTheDistanceToTheNearestCenter(t *testing.T) {
	rows := line{0, 2, 10, 12, 30}
	p := rows.problem(2)
	c := near{means.NewLloyd(p, means.Squared), 3, true}
	start := fit.Start{Labels: []int32{0, 0, 1, 1, -1}}
	res := must.Get(fit.Run(t.Context(), c, p, rows, start, settings(), nil))(t)
	must.Equal(t, []int32{0, 0, 1, 1, -1}, res.Labels)
	must.Equal(t, []float64{1, 1, 1, 1, 19}, res.Distance)
	must.Equal(t, 4.0, res.Inertia)

	got := must.Get(fit.Predict(context.Background(), c, res.Model, line{4, 5, math.NaN(), 20}, 1))(t)
	must.Equal(t, []int32{0, -1, -1, -1}, got.Labels)
	if diff := cmp.Diff([]float64{3, 4, math.NaN(), 9}, got.Distance, cmpopts.EquateNaNs()); diff != "" {
		t.Fatal(diff)
	}
}

func TestNoiseThatThePlanDoesNotDeclareIsRefused(t *testing.T) {
	rows := line{0, 2, 10, 12, 30}
	p := rows.problem(2)
	for _, declared := range []bool{false, true} {
		c := near{means.NewLloyd(p, means.Squared), 3, declared}
		_, err := fit.Run(t.Context(), c, p, rows, fit.Start{Labels: []int32{0, 0, 1, 1, 1}}, settings(), nil)
		if f := framework.AsFault(err); declared != (f == nil) || f != nil && f.Code != "undeclared-noise" {
			t.Errorf("noise that is declared: %v; error %v", declared, err)
		}
	}
}
