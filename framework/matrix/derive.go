package matrix

import "github.com/sqlcluster/sqlcluster/framework"

// Derive returns rows that are made of those of a fit (permuted, drawn, simulated),
// in plain memory that they share with m and weights (nil: none), and describes
// their columns. Names, groups and units are those of the fit: the recipe is not
// learned anew. All else follows from the cells.
func Derive(columns []framework.Column, m framework.Matrix, weights []float64) (*Data, []framework.Column) {
	b := &Builder{cols: m.Cols, rows: m.Rows, words: words{plain: m.Data}, weights: weights}
	return FromMatrix(m, weights, 0), b.derived(columns)
}

// DeriveSparse is Derive of sparse rows, with the base of those of the fit.
func DeriveSparse(columns []framework.Column, s *framework.Sparse, weights []float64) (*Data, []framework.Column) {
	b := &Builder{cols: len(s.Base), rows: s.Rows(), sparse: &entries{start: s.Start, column: s.Column, value: s.Offset}, weights: weights}
	derived := b.derived(columns)
	for l, base := range s.Base {
		shift(&derived[l], base)
	}
	return FromSparse(s, weights, 0), derived
}

// derived describes the columns of rows that are made of those of a fit.
func (b *Builder) derived(columns []framework.Column) []framework.Column {
	derived := make([]framework.Column, b.cols)
	for l, c := range summarise(b, nil) {
		from := columns[l]
		derived[l] = c.column(framework.Column{Name: from.Name, Group: from.Group, Location: from.Location, Scale: from.Scale})
	}
	return derived
}

// shift makes a description of offsets from the base one of cells.
func shift(c *framework.Column, base float64) {
	c.Base = base
	if c.Mass > 0 {
		c.Mean, c.Min, c.Max = c.Mean+base, c.Min+base, c.Max+base
	}
}

// column completes the description of a column with what its cells say.
func (c summary) column(of framework.Column) framework.Column {
	of.Missing, of.Mass, of.Mean, of.SumSq = c.missing, c.mass, c.mean, c.sumSq()
	if c.min <= c.max {
		of.Min, of.Max = c.min, c.max
	}
	return of
}
