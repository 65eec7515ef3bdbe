package engine

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
)

// exactly returns the distance of two points, to 200 bits.
func exactly(x, c []float64) *big.Float {
	sum := new(big.Float).SetPrec(200)
	for l := range x {
		d := new(big.Float).SetPrec(200).SetFloat64(x[l])
		d.Sub(d, big.NewFloat(c[l]))
		sum.Add(sum, d.Mul(d, d))
	}
	return sum.Sqrt(sum)
}

// byProduct returns (c − o)·(c + o) − 2 x·(c − o), as a statement computes it.
func byProduct(x, c, o []float64) float64 {
	sum := 0.0
	for l := range x {
		sum += float64((c[l] - o[l]) * (c[l] + o[l]))
	}
	for l := range x {
		sum += float64(x[l] * (-2 * (c[l] - o[l])))
	}
	return sum
}

func TestProductsAreUsedOnlyWhereTheyTellTheNearestCenterOfRowsWithAMargin(t *testing.T) {
	const draws = 3000
	var used, wrong int
	for seed := range uint64(draws) {
		r := rand.New(rand.NewPCG(seed, 5))
		b, m := (&asked{dialect: dialect.Of(dialect.ClickHouse)}).bound(t, false, "")
		offset, spread := math.Pow(10, 11*r.Float64()-1), math.Pow(10, -4*r.Float64())
		for i := range m.Centers.Data {
			m.Centers.Data[i] = offset + spread*r.NormFloat64()
		}
		// A row between two centers, but for a little.
		one, two := m.Centers.Row(0), m.Centers.Row(1)
		apart, _ := exactly(one, two).Float64()
		x, off := make([]float64, 2), math.Copysign(1e-9+5e-9*r.Float64(), r.NormFloat64())
		for l := range x {
			x[l] = (one[l]+two[l])/2 + off*(two[l]-one[l])/apart
		}
		for l, v := range x {
			b.ranges[l] = [2]float64{v - spread, v + spread}
		}
		near, far := exactly(x, one), exactly(x, two)
		margin, _ := new(big.Float).Sub(far, near).Float64()
		errs := math.Abs(margin) >= 1e-9 && (byProduct(x, two, one) <= 0) == (margin > 0)
		uses := b.byProducts(labelling{measure: measure{parts: []int{0, 1}}, centers: pair(m.Centers)})
		if uses && errs {
			t.Fatalf("seed %d: offset %g, spread %g: margin %g, and by products it is the other center", seed, offset, spread, margin)
		}
		if uses {
			used++
		}
		if errs {
			wrong++
		}
	}
	must.Equal(t, true, used > draws/20 && wrong > draws/20) // both are drawn often
}

// pair are the first two centers.
func pair(m framework.Matrix) framework.Matrix {
	return framework.Matrix{Rows: 2, Cols: m.Cols, Data: m.Data[:2*m.Cols]}
}

func TestRowsThatNeverComeEndAStart(t *testing.T) {
	never := math.Inf(1)
	rows := [][]any{{1.0, 7.0}, {2.0, 8.0}, {never, 9.0}}
	cells, whole := firstOf(rows, 0, 1, 3, true) // all rows that were asked for have come, and some never come to the start
	must.Equal(t, true, whole)
	must.Equal(t, [][]float64{{7}, {8}}, cells)

	rows = [][]any{{1.0, 4.0, 7.0}, {3.0, 2.0, 8.0}, {5.0, 3.0, 9.0}}
	cells, whole = firstOf(rows, 0, 2, 3, true) // rows that come to the first start between 3 and 5 may be cut off
	must.Equal(t, false, whole)
	must.Equal(t, [][]float64{{7}, {8}}, cells)
}

func TestProductsAreNotUsedWhereCentersAreAPointOrDifferByTooLittleToSquare(t *testing.T) {
	for _, apart := range []float64{0, 1e-170} { // the square of 1e-170 is 0
		b, m := (&asked{dialect: dialect.Of(dialect.ClickHouse)}).bound(t, false, "")
		clear(m.Centers.Data)
		for l := range m.Centers.Cols {
			b.ranges[l] = [2]float64{-1, 1}
		}
		m.Centers.Row(1)[0] = apart
		must.Equal(t, false, b.byProducts(labelling{measure: measure{parts: []int{0, 1}}, centers: pair(m.Centers)}))
		m.Centers.Row(1)[0] = 1
		must.Equal(t, true, b.byProducts(labelling{measure: measure{parts: []int{0, 1}}, centers: pair(m.Centers)}))
	}
}
