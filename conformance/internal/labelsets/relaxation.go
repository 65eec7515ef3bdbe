package labelsets

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
)

// mostRelaxed is how many rows the linear program has at most: the simplex method of gonum
// is dense.
const mostRelaxed = 12

// A linear limit is lo ≤ Σ_i coef[i·k + label_i] ≤ hi.
type linear struct {
	coef   []float64
	lo, hi float64
}

// linearLimits finds out what each row adds to each limit, by asking for labels that
// differ in one row. It skips the case if limits are no sums over rows.
func (d *drawn) linearLimits() []linear {
	labels := make([]int32, d.t.N)
	base := d.set.Limits(labels, nil)
	all := make([]linear, len(base))
	for r, l := range base {
		all[r] = linear{make([]float64, d.t.N*d.t.K), l.Lo, l.Hi}
		all[r].coef[0] = l.Amount // all that labels of 0 have, at the first row
	}
	for i := range labels {
		for j := range d.t.K {
			labels[i] = int32(j)
			for r, l := range d.set.Limits(labels, nil) {
				if r >= len(base) || l.Row != base[r].Row || l.Cluster != base[r].Cluster || l.Value != base[r].Value {
					d.Skipf("limits depend on labels")
				}
				if by := l.Amount - base[r].Amount; i == 0 {
					all[r].coef[j] = base[r].Amount + by
				} else {
					all[r].coef[i*d.t.K+j] = by
				}
			}
		}
		labels[i] = 0
	}
	for range 8 {
		for i := range labels {
			labels[i] = int32(d.Rand.IntN(d.t.K))
		}
		for r, l := range d.set.Limits(labels, nil) {
			sum := 0.0
			for i, j := range labels {
				sum += all[r].coef[i*d.t.K+int(j)]
			}
			if math.Abs(sum-l.Amount) > 1e-9*(1+math.Abs(sum)) {
				d.Skipf("limits are no sums over rows")
			}
		}
	}
	return all
}

func relaxation(c *judge.Trial, k Kind) {
	d := draw(c, k, mostRelaxed, c.Rand.IntN(2) == 0)
	if !d.set.Properties().Exact {
		c.Skipf("the projection is not exact")
	}
	_, point := d.projected()
	cost, err := d.program(d.linearLimits())
	if err != nil {
		c.Skipf("the simplex method fails: %v", err)
	}
	if !(math.Abs(cost-point.Cost) <= 1e-6*(1+cost)) {
		c.Failf("the projected labels cost %g, and the linear program of their limits %g", point.Cost, cost)
	}
}

// program returns the least cost of rows that may be in several clusters, in parts.
func (d *drawn) program(all []linear) (float64, error) {
	n, k := d.t.N, d.t.K
	slacks := 0
	for _, l := range all {
		for _, bound := range []float64{l.lo, l.hi} {
			if !math.IsInf(bound, 0) {
				slacks++
			}
		}
	}
	a, b := mat.NewDense(n+slacks, n*k+slacks, nil), make([]float64, n+slacks)
	costs := append(append([]float64{}, d.at.Costs.Data...), make([]float64, slacks)...)
	for i := range n {
		b[i] = 1
		for j := range k {
			a.Set(i, i*k+j, 1)
		}
	}
	at := 0
	for _, l := range all {
		for sign, bound := range map[float64]float64{-1: l.lo, 1: l.hi} {
			if math.IsInf(bound, 0) {
				continue
			}
			for t, v := range l.coef {
				a.Set(n+at, t, sign*v)
			}
			a.Set(n+at, n*k+at, 1)
			b[n+at] = sign * bound
			at++
		}
	}
	cost, _, err := lp.Simplex(costs, a, b, 1e-9, nil)
	return cost, err
}
