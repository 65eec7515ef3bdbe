package tune

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// axes are the principal axes of rows.
type axes struct {
	mean      []float64
	axis      *mat.Dense // p × r, an axis a column
	low, high []float64  // of the rows along each axis
	spread    []float64  // standard deviation along each
}

// newAxes finds the principal axes: the right singular vectors of the centred rows.
// Row weights count as frequencies, and missing cells are at the mean.
func newAxes(rows *matrix.Data, p framework.Problem) (*axes, error) {
	n := rows.Len()
	a := &axes{mean: make([]float64, p.P)}
	for l, c := range p.Columns {
		a.mean[l] = c.Mean
	}
	centred, weights, at := framework.NewMatrix(n, p.P), rows.Weights(), cellsOf(rows)
	for i := range n {
		root := 1.0
		if weights != nil {
			root = math.Sqrt(weights[i])
		}
		to := centred.Row(i)
		for l, v := range at(i) {
			to[l] = root * off(v, a.mean[l])
		}
	}
	if err := a.decompose(centred, p.Mass); err != nil {
		return nil, err
	}
	a.low, a.high = make([]float64, len(a.spread)), make([]float64, len(a.spread))
	score := make([]float64, len(a.spread))
	for r := range a.low {
		a.low[r], a.high[r] = math.Inf(1), math.Inf(-1)
	}
	centre := make([]float64, p.P)
	for i := range n {
		if weights != nil && weights[i] == 0 {
			continue
		}
		for l, v := range at(i) {
			centre[l] = off(v, a.mean[l])
		}
		mat.NewVecDense(len(score), score).MulVec(a.axis.T(), mat.NewVecDense(p.P, centre))
		for r, v := range score {
			a.low[r], a.high[r] = math.Min(a.low[r], v), math.Max(a.high[r], v)
		}
	}
	return a, nil
}

// mostDense is of how many cells a data set may be that is drawn with all of them where
// the rows of the fit are sparse.
const mostDense = 1 << 24

// tooDense is the Fault of sparse rows with more cells than that.
func tooDense(p framework.Problem) error {
	return framework.Faultf(framework.Data, "too-large-dense",
		"data sets that are drawn along the principal axes of the rows have all cells, and %d rows of %d features have too many", p.N, p.P).
		At("method").WithHint("use %s, which permutes the cells of each feature, or fewer rows with %s",
		framework.SettingTo("method", string(MethodGap)), framework.SettingTo("sample", max(1, mostDense/p.P)))
}

// cellsOf returns a function that returns the cells of a row, until it is called again.
func cellsOf(rows *matrix.Data) func(i int) []float64 {
	all := rows.Sparse()
	if all == nil {
		return rows.Matrix().Row
	}
	room := make([]float64, len(all.Base))
	return func(i int) []float64 {
		all.Cells(room, i)
		return room
	}
}

// off returns how far a cell is from the mean.
func off(v, mean float64) float64 {
	if v != v {
		return 0
	}
	return v - mean
}

// decompose finds axes and standard deviations of centred rows: by the p × p sums of
// products, unless there are fewer rows than columns.
func (a *axes) decompose(centred framework.Matrix, mass float64) error {
	failed := framework.Faultf(framework.Data, "no-principal-axes", "the principal axes of the rows could not be computed").At("method")
	p := centred.Cols
	if centred.Rows < p {
		var svd mat.SVD
		if !svd.Factorize(centred.Dense(), mat.SVDThin) {
			return failed
		}
		a.axis = new(mat.Dense)
		svd.VTo(a.axis)
		for _, s := range svd.Values(nil) {
			a.spread = append(a.spread, s/math.Sqrt(mass))
		}
		return nil
	}
	var products mat.SymDense
	products.SymOuterK(1, centred.Dense().T())
	var eigen mat.EigenSym
	if !eigen.Factorize(&products, true) {
		return failed
	}
	a.axis = new(mat.Dense)
	eigen.VectorsTo(a.axis)
	for _, v := range eigen.Values(nil) {
		a.spread = append(a.spread, math.Sqrt(math.Max(0, v)/mass))
	}
	return nil
}

// draw fills x with independent rows: uniform between low and high along each axis,
// or normal.
func (a *axes) draw(kind Kind, random *rand.Rand, x framework.Matrix) framework.Matrix {
	scores := framework.NewMatrix(x.Rows, len(a.spread))
	for i := range x.Rows {
		row := scores.Row(i)
		for r := range row {
			if kind == Normal {
				row[r] = a.spread[r] * random.NormFloat64()
			} else {
				row[r] = a.low[r] + float64(random.Float64()*(a.high[r]-a.low[r]))
			}
		}
	}
	x.Dense().Mul(scores.Dense(), a.axis.T())
	for i := range x.Rows {
		for l, m := range a.mean {
			x.Row(i)[l] += m
		}
	}
	return x
}
