package framework_test

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Squared distances between centers, with gonum: the Gram matrix has the inner
// products.
func ExampleMatrix_Dense() {
	centers := framework.Matrix{Rows: 2, Cols: 2, Data: []float64{3, 0, 0, 4}}
	var gram mat.Dense
	x := centers.Dense()
	gram.Mul(x, x.T())
	fmt.Println(gram.At(0, 0) + gram.At(1, 1) - 2*gram.At(0, 1))
	x.Set(0, 1, 4) // x shares the memory of centers
	fmt.Println(centers.Row(0))
	// Output:
	// 25
	// [3 4]
}

func TestAMatrixOfGonumSharesItsMemoryUnlessItIsAPart(t *testing.T) {
	whole := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	shared := framework.FromDense(whole)
	if shared.Data[5] = 7; whole.At(1, 2) != 7 {
		t.Error("the memory of a whole matrix is not shared")
	}
	part := framework.FromDense(whole.Slice(0, 2, 1, 3).(*mat.Dense))
	if want := []float64{2, 3, 5, 7}; part.Rows != 2 || part.Cols != 2 || fmt.Sprint(part.Data) != fmt.Sprint(want) {
		t.Errorf("a part is %v", part)
	}
	for _, m := range []framework.Matrix{{}, {Rows: 3}, {Cols: 3}} {
		if back := framework.FromDense(m.Dense()); back.Rows != 0 || back.Cols != 0 || len(back.Data) != 0 {
			t.Errorf("%v comes back as %v", m, back)
		}
	}
}
