package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAModelKeepsTheQuantilesOfAllDistances(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 7, 9000} { // of the last, a sample says which to sort
		distance, weights := make([]float64, n), make([]float64, n)
		mass := 0.0
		for i := range distance {
			distance[i], weights[i] = random.ExpFloat64(), float64(1+random.IntN(3))
			mass += weights[i]
		}
		within := func(most float64) (w float64) {
			for i, d := range distance {
				if d <= most {
					w += weights[i]
				}
			}
			return w
		}
		rows := matrix.FromMatrix(framework.NewMatrix(n, 1), weights, 0)
		got := Quantiles(rows, distance, mass, 0.3)
		_ = rows.Close()
		if len(got) != 21 || got[0][0] != 0.7 { // 0.7, 10 hundredths, 10 thousandths
			t.Fatalf("%d quantiles, the first of %v", len(got), got[0])
		}
		for _, q := range got {
			if within(q[1]) < q[0]*mass*(1-1e-9) || within(math.Nextafter(q[1], 0)) >= q[0]*mass*(1+1e-9) {
				t.Errorf("n %d: %v of the weight is within %v; it should be %v", n, within(q[1])/mass, q[1], q[0])
			}
		}
	}
}

func TestAModelOfAnOlderFitFlagsNoRows(t *testing.T) {
	old := must.Get(decodeModel(models["kmeans"], builtIn))(t)
	_, err := old.With(Extras{Flag: "0.99"})
	must.Fault(t, err, "no-distances")
}
