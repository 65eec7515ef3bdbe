package matrix_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// numbered are the sources of p columns of numbers.
func numbered(p int) []matrix.Source {
	all := make([]matrix.Source, p)
	for l := range all {
		all[l].Name = string(rune('a' + l))
	}
	return all
}

// prepared returns the fitted cells of rows.
func prepared(t *testing.T, rows [][]float64, s matrix.Scaling) (framework.Matrix, matrix.Recipe) {
	t.Helper()
	data, r, _, err := matrix.Prepare(rowsOf(t, len(rows[0]), rows, nil), numbered(len(rows[0])), s, nil)
	must.Do(t, err)
	t.Cleanup(func() { _ = data.Close() })
	return data.Matrix(), r
}

var unitRows = matrix.Scaling{Center: "none", Scale: "none", Norm: matrix.L2}

func TestEachRowIsDividedByItsLengthOverTheObservedCells(t *testing.T) {
	x, _ := prepared(t, [][]float64{{3, 4, 0}, {nan, -5, 12}, {0, 0, 0}, {nan, nan, nan}, {nan, 0, nan}, {0, -7, 0}}, unitRows)
	// Lengths by hand: 5, 13, none, none, none, 7.
	want := []float64{0.6, 0.8, 0, nan, -5.0 / 13, 12.0 / 13, 0, 0, 0, nan, nan, nan, nan, 0, nan, 0, -1, 0}
	must.Equal(t, want, x.Data, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-16))
}

func TestColumnsAreCenteredAndScaledAfterRowsAreDivided(t *testing.T) {
	s := matrix.Scaling{Center: "mean", Scale: "none", Norm: matrix.L2}
	x, r := prepared(t, [][]float64{{3, 4}, {8, 6}}, s)
	must.Equal(t, []float64{-0.1, 0.1, 0.1, -0.1}, x.Data, cmpopts.EquateApprox(0, 1e-15)) // of 0.6, 0.8 and 0.8, 0.6
	if got := r.Original(0, x.Data[0]); math.Abs(got-0.6) > 1e-15 {
		t.Errorf("%v in original units, which are shares of the length: 0.6", got)
	}
}

func TestSquaresOfLargeAndSmallRowsNeitherOverflowNorVanish(t *testing.T) {
	const least = math.SmallestNonzeroFloat64
	for _, unit := range []float64{1e200, 1e-200, math.MaxFloat64 / 4, 0x1p-1022, least, 0x1p-1073} {
		x, _ := prepared(t, [][]float64{{3 * unit, 4 * unit}, {unit, 0}}, unitRows)
		must.Equal(t, []float64{0.6, 0.8, 1, 0}, x.Data, cmpopts.EquateApprox(1e-15, 0))
	}
	x, _ := prepared(t, [][]float64{{1e300, 1e-300}, {1e-300, -1}}, unitRows)
	must.Equal(t, []float64{1, 0, 1e-300, -1}, x.Data)
}

// randomRows are rows with zeros, missing cells and numbers of many sizes.
func randomRows(n, p int) [][]float64 {
	random := rand.New(rand.NewPCG(1, 2))
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, p)
		for l := range rows[i] {
			switch random.IntN(5) {
			case 0:
			case 1:
				rows[i][l] = nan
			default:
				rows[i][l] = math.Ldexp(random.NormFloat64(), random.IntN(40)-20)
			}
		}
	}
	return rows
}

func TestARowTimesAPowerOfTwoHasTheSameBits(t *testing.T) {
	rows := randomRows(300, 6)
	s := matrix.Scaling{Center: "mean", Scale: "sd", Norm: matrix.L2}
	want, _ := prepared(t, rows, s)
	random := rand.New(rand.NewPCG(3, 4))
	for _, row := range rows {
		power := random.IntN(1800) - 900
		for l := range row {
			row[l] = math.Ldexp(row[l], power)
		}
	}
	got, _ := prepared(t, rows, s)
	must.Equal(t, want, got, clustertest.Bitwise)
}

func TestSparseRowsAreDividedByTheLengthOfTheirEntries(t *testing.T) {
	const n, p = 200, 7
	rows := randomRows(n, p)
	want, _ := prepared(t, rows, unitRows)
	b := matrix.NewSparseBuilder(p, matrix.Options{})
	for _, row := range rows {
		var columns []int32
		var values []float64
		for l, v := range row {
			if v != 0 {
				columns, values = append(columns, int32(l)), append(values, v)
			}
		}
		must.Do(t, b.AppendRow(columns, values))
	}
	data, r, _, err := matrix.Prepare(b, numbered(p), unitRows, nil)
	must.Do(t, err)
	defer func() { _ = data.Close() }()
	for i := range n {
		must.Equal(t, want.Row(i), framework.Cells(data, i), cmpopts.EquateApprox(0, 1e-15), cmpopts.EquateNaNs())
	}
	again := matrix.NewSparseBuilder(p, matrix.Options{})
	must.Do(t, again.AppendRow([]int32{1, 4}, []float64{3e200, 4e200}))
	replayed := must.Get(r.Replay(again, numbered(p), matrix.UnseenError, nil))(t)
	defer func() { _ = replayed.Close() }()
	must.Equal(t, []float64{0, 0.6, 0, 0, 0.8, 0, 0}, framework.Cells(replayed, 0), cmpopts.EquateApprox(1e-15, 0))
}

func TestAStoredRecipeDividesNewRowsAsTheFittedOnes(t *testing.T) {
	rows := randomRows(50, 3)
	s := matrix.Scaling{Center: "mean", Scale: "sd", Norm: matrix.L2}
	want, learned := prepared(t, rows, s)
	var r matrix.Recipe
	must.Do(t, json.Unmarshal(must.Get(json.Marshal(learned))(t), &r))
	must.Do(t, r.Check())
	again := must.Get(r.Replay(rowsOf(t, 3, rows, nil), numbered(3), matrix.UnseenError, nil))(t)
	defer func() { _ = again.Close() }()
	must.Equal(t, want, again.Matrix(), clustertest.Bitwise)
	for i, row := range rows {
		r.Normalise(row)
		for l, v := range row {
			row[l] = r.Fitted(l, v)
		}
		must.Equal(t, want.Row(i), row, clustertest.Bitwise)
	}
}

func TestARecipeWithoutANormSaysNothingOfIt(t *testing.T) {
	_, r := prepared(t, [][]float64{{1, 2}, {3, 5}}, matrix.Scaling{Center: "mean", Scale: "sd"})
	must.Equal(t, `{"center":"mean","scale":"sd"}`, string(must.Get(json.Marshal(r.Scaling))(t)))
}

func TestRowsWithCategoriesHaveNoLength(t *testing.T) {
	b := rowsOf(t, 2, [][]float64{{1, 0}, {2, 1}}, nil)
	sources := []matrix.Source{{Name: "x"}, {Name: "c", Categorical: true, Levels: []string{"a", "b"}}}
	_, _, _, err := matrix.Prepare(b, sources, unitRows, nil)
	must.Fault(t, err, "norm-of-categories")
}

func TestThereAreTwoNorms(t *testing.T) {
	for norm, want := range map[string]string{"": "", "none": "", "l2": "l2"} {
		must.Equal(t, want, must.Get(matrix.Scaling{}.WithNorm(norm))(t).Norm)
	}
	_, err := matrix.Scaling{}.WithNorm("l1")
	must.Fault(t, err, "bad-setting")
	if (matrix.Recipe{Scaling: matrix.Scaling{Norm: "l1"}, Features: []matrix.Feature{{Name: "a", Scale: 1}}}).Check() == nil {
		t.Error("a recipe with an unknown norm is applied")
	}
}
