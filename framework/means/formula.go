package means

import (
	"github.com/sqlcluster/sqlcluster/framework"
)

// A Formula is how rows are labelled and summed by a clusterer, for those who do both
// where the rows are: a row belongs to the center with the smallest Distance, the first
// of equal ones, and statistics are Sums.
type Formula struct {
	Distance func(m *framework.Model) Distance
	Sums     Sums
}

// Formula implements what FormulaOf looks for.
func (c *Lloyd) Formula() Formula { return Formula{Distance: c.Distance, Sums: c.sums} }

// FormulaOf returns the formula of a clusterer. Where there is none, or a driver needs
// more than it, it returns a Fault that says why; name is that of the algorithm.
func FormulaOf(c framework.Clusterer, name string) (Formula, error) {
	refuse := func(why string) *framework.Fault {
		return framework.Faultf(framework.Usage, "needs-rows", "%s cannot be fitted where the rows are: %s", name, why)
	}
	known, ok := framework.As[interface{ Formula() Formula }](c)
	if !ok {
		return Formula{}, refuse("it labels rows in a way of its own")
	}
	f, plan := known.Formula(), c.Plan()
	d := f.Distance(c.Begin())
	switch {
	case plan.Linked:
		return f, refuse("rows with pairs are labelled one after the other")
	case d.Loss != Squared:
		return f, refuse("a "+d.Loss.Center()+" needs all values of its cluster").
			At("loss").WithHint("use %s", framework.SettingTo("loss", Squared))
	case d.Filled:
		return f, refuse("missing cells are filled from the center that the row had before").
			At("missing").WithHint("use %s", framework.SettingTo("missing", "observed"))
	case plan.NeedsRows, plan.Fresh, plan.Noise:
		return f, refuse("its steps read all rows")
	}
	return f, nil
}

// Summed are sums of rows by cluster, about Sums.Origin. Slices have length k, or k·p
// by cluster and feature.
type Summed struct {
	Rows             []float64 // rows of a cluster
	Mass             []float64 // their weight; nil where rows have none
	Sum, WeightedSum []float64 // of the observed cells, without and with weights (nil where rows have none)
	Cells, CellMass  []float64 // rows with an observed cell, and their weight; nil where no cell is missing, or rows have no weights
}

// NewSummed returns sums of zero.
func (s Sums) NewSummed() Summed {
	k, kp := s.K, s.K*s.P
	z := Summed{Rows: make([]float64, k), Sum: make([]float64, kp)}
	if s.Missing {
		z.Cells = make([]float64, kp)
	}
	if s.Weighted {
		z.Mass, z.WeightedSum = make([]float64, k), make([]float64, kp)
		if s.Missing {
			z.CellMass = make([]float64, kp)
		}
	}
	return z
}

// Stats returns the statistics that are these sums. They share memory with z.
func (s Sums) Stats(z Summed) framework.Stats {
	var st framework.Stats
	if s.Weighted {
		st = append(st, z.Mass, z.WeightedSum)
		if s.Missing {
			st = append(st, z.CellMass)
		}
	}
	st = append(st, z.Rows, z.Sum, make([]float64, len(z.Sum)))
	if s.Missing {
		st = append(st, z.Cells)
	}
	return st
}

// Origin returns the point that column l is summed about, in fitted units.
func (s Sums) Origin(l int) float64 {
	if s.origin == nil {
		return 0
	}
	return s.origin[l]
}
