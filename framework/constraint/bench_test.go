package constraint_test

import (
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
	"github.com/sqlcluster/sqlcluster/framework/constraint/intersect"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// BenchmarkProject projects 50 × 10 000 centers and reports how many times
// longer the fastest projection takes than the fastest copy of them.
func BenchmarkProject(b *testing.B) {
	const k, p = 50, 10_000
	r := framework.Rand(1, "bench", 0)
	x := framework.NewMatrix(k, p)
	for i := range x.Data {
		x.Data[i] = r.NormFloat64()
	}
	at := framework.Point{X: x, RowMass: make([]float64, k)}
	coef, ones, values := make([]float64, p), make([]float64, p), make([]float64, p)
	for l := range coef {
		coef[l], ones[l] = r.NormFloat64(), 1
	}
	for j := range at.RowMass {
		at.RowMass[j] = float64(1 + j)
	}
	minusOnes := settest.ScaleAll(ones, -1)
	sets := map[string]framework.Set{
		"box":               constraint.Box{Lo: minusOnes, Hi: ones},
		"nonnegative":       constraint.NonNegative{},
		"fixed":             constraint.Fixed{Values: values},
		"halfspace":         constraint.HalfSpace{Coef: coef, Bound: -1},
		"joint_halfspace":   constraint.JointHalfSpace{Coef: x, Bound: -1},
		"simplex":           constraint.Simplex{Radius: 1},
		"simplex_wide":      constraint.Simplex{Radius: p},
		"l1_ball":           constraint.L1Ball{Radius: 1},
		"l1_ball_wide":      constraint.L1Ball{Radius: p / 4},
		"l2_ball":           constraint.L2Ball{Radius: 1},
		"monotone":          constraint.Monotone{},
		"sparsity=100":      constraint.Sparsity{S: 100},
		"sparsity_each=100": constraint.Sparsity{S: 100, PerCenter: true},
	}
	for name, parts := range map[string][]framework.Set{
		"box+halfspace":        {sets["box"], sets["halfspace"]},
		"box+simplex":          {sets["box"], constraint.Simplex{Radius: 100}},
		"box+l2_ball":          {sets["box"], constraint.L2Ball{Radius: 50}},
		"box+sparsity=100":     {sets["box"], constraint.Sparsity{S: 100}},
		"l1_ball+sparsity=100": {sets["l1_ball"], constraint.Sparsity{S: 100, PerCenter: true}},
	} {
		set := must.Get(intersect.Sets(k, p, parts, intersect.Names{}))(b)
		sets[name] = set
	}
	dst := framework.NewMatrix(k, p)
	for name, set := range sets {
		b.Run(name, func(b *testing.B) {
			best := time.Hour
			for b.Loop() {
				start := time.Now()
				must.Do(b, set.Project(dst, at))
				best = min(best, time.Since(start))
			}
			b.ReportMetric(float64(best)/float64(copyTime(dst, x)), "x-copy")
		})
	}
}

// copyTime is the time of the fastest of some copies.
func copyTime(dst, x framework.Matrix) time.Duration {
	best := time.Hour
	for range 20 {
		start := time.Now()
		dst.CopyFrom(x)
		best = min(best, time.Since(start))
	}
	return best
}
