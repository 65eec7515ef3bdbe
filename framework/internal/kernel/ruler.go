package kernel

import "math"

// A Ruler measures rows by their entries from one point at a time, which has entries too.
// With x and c less the base of their columns, and the weights w,
//
//	D² = Σ_e w (x − c)² + (Σ_l w c² − Σ_e w c²)
//
// where e are the columns in which the row has an entry. Columns in which the row or the
// point is missing are left out. Time is of the order of the entries of the row.
//
// # Equal rows
//
// What is in brackets is exactly 0 for a row with an entry wherever the point has one, and
// D² is exactly 0 for a row that equals the point: both sums add the same products in the
// same order, that of the columns. A column outside the point's entries would add 0 to the
// second sum, which changes no bit of it: it is left out, as is an entry of 0.
//
// # Error
//
// The sums in brackets have twice the digits of a float64, and no other term is negative:
// D² is right to within a part of (m + 4)·2⁻⁵³ for a row of m entries, however little of
// the point is left.
type Ruler struct {
	weights []float64
	cell    []float64 // by column: that of the point
	columns []int32   // of the point
	length  Exact     // Σ w c²
}

// NewRuler returns a ruler of so many columns at the point of the base. weights, nil or
// one ≥ 0 for each column, are kept.
func NewRuler(columns int, weights []float64) *Ruler {
	return &Ruler{weights: weights, cell: make([]float64, columns)}
}

// Set moves the ruler to a point. It keeps nothing of the slices.
func (r *Ruler) Set(columns []int32, offsets []float64) {
	for _, l := range r.columns {
		r.cell[l] = 0
	}
	r.columns, r.length = append(r.columns[:0], columns...), Exact{}
	for e, l := range columns {
		r.cell[l] = offsets[e]
		r.add(&r.length, l)
	}
}

// add adds w c² of a column.
func (r *Ruler) add(to *Exact, l int32) {
	c := r.cell[l]
	switch {
	case c == 0 || c != c:
	case r.weights == nil:
		to.AddProduct(c, c)
	case r.weights[l] != 0:
		to.AddProduct(float64(r.weights[l]*c), c)
	}
}

// Square returns the squared distance of a row, +Inf if it overflows.
func (r *Ruler) Square(columns []int32, offsets []float64) float64 {
	var met Exact
	d := 0.0
	offsets = offsets[:len(columns)] // tells the compiler that indices are in range
	for e, l := range columns {
		c := r.cell[l]
		if c != 0 {
			r.add(&met, l)
		}
		v := offsets[e] - c
		weighted := v
		if r.weights != nil {
			if weighted = float64(r.weights[l] * v); r.weights[l] == 0 {
				continue
			}
		}
		if v == v {
			d += float64(weighted * v)
		}
	}
	rest := (r.length.High - met.High) + (r.length.Low - met.Low)
	if rest != rest {
		return math.Inf(1)
	}
	return d + max(0, rest)
}
