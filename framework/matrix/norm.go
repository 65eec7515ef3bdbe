package matrix

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
)

// L2 is the norm of rows that are divided by their Euclidean length.
const L2 = "l2"

// Norms are the values of the flag --norm.
var Norms = []string{"none", L2}

// WithNorm returns the scaling of rows that are first divided by their length, as the
// flag --norm asks for: l2; with none, or "", rows stay as they are.
func (s Scaling) WithNorm(norm string) (Scaling, error) {
	switch norm {
	case "", "none":
		s.Norm = ""
	case L2:
		s.Norm = norm
	default:
		return s, framework.Faultf(framework.Usage, "bad-setting", "norm is %q; it must be none or l2", norm).At("norm")
	}
	return s, nil
}

// normalise divides each row of the builder by its length if the scaling has a norm. It
// returns a Fault (norm-of-categories) if a source has categories.
func (s Scaling) normalise(b *Builder, sources []Source) error {
	if s.Norm == "" {
		return nil
	}
	if t := slices.IndexFunc(sources, func(s Source) bool { return s.Categorical }); t >= 0 {
		return framework.Faultf(framework.Usage, "norm-of-categories", "column %q has categories, which have no length", sources[t].Name).
			At("norm").
			WithHint("leave the column out with %s", framework.Setting("exclude"))
	}
	if b.sparse != nil {
		for i := range b.rows {
			_, values := b.sparse.row(i)
			divideByLength(values)
		}
		return nil
	}
	b.early = nil
	eachBlock(b, func(_ int, x framework.Matrix, _ []float64) {
		for i := range x.Rows {
			divideByLength(x.Row(i))
		}
	})
	return nil
}

// Normalise does with the cells of a row in original units, in place, what Replay does
// first: it divides them by the length of the row if the recipe has a norm.
func (r Recipe) Normalise(row []float64) {
	if r.Scaling.Norm != "" {
		divideByLength(row)
	}
}

// divideByLength divides the cells of a row by its Euclidean length over the observed
// ones. A row of zeros, one without cells, and one with an infinite cell stay as they are.
//
// Cells are first divided by a power of two, with which the largest is from 1/2 to 1: no
// square overflows, and none that counts vanishes. So a row that is multiplied by a power
// of two (without overflow or underflow) comes to the same bits, and cells that are 0, or
// left out because they are, change none.
func divideByLength(row []float64) {
	largest := 0.0
	for _, v := range row {
		if a := math.Abs(v); a > largest { // not NaN
			largest = a
		}
	}
	if largest == 0 || math.IsInf(largest, 1) {
		return
	}
	_, exponent := math.Frexp(largest)
	scale, more := math.Ldexp(1, -exponent), 1.0
	if exponent < 0 { // 2^−exponent may be more than a number can be; its halves are not, and multiply exactly
		scale, more = math.Ldexp(1, -exponent/2), math.Ldexp(1, -exponent-(-exponent/2))
	}
	var squares float64
	for l, v := range row {
		v = float64(float64(v*scale) * more)
		row[l] = v
		if v == v {
			squares += float64(v * v)
		}
	}
	length := math.Sqrt(squares)
	for l := range row {
		row[l] /= length
	}
}
