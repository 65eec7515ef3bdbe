package matrix_test

import (
	"encoding/json"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// test is what testing.T and rapid.T have in common.
type test interface {
	must.T
	Cleanup(func())
}

// rowsOf returns a builder of rows, which is discarded when the test ends.
func rowsOf(t test, cols int, rows [][]float64, weights []float64) *matrix.Builder {
	b := must.Get(matrix.NewBuilder(cols, matrix.Options{}))(t)
	t.Cleanup(func() { _ = b.Discard() })
	cells := must.Get(b.Extend(len(rows)))(t)
	for i, row := range rows {
		copy(cells[i*cols:], row)
	}
	must.Do(t, b.SetWeights(weights))
	return b
}

// fitted encodes, learns and applies. The result is discarded when the test ends.
func fitted(t test, b *matrix.Builder, sources []matrix.Source, scale, center string) (
	*matrix.Builder, matrix.Recipe, []framework.Column) {
	b, features, err := matrix.Encode(b, sources)
	must.Do(t, err)
	t.Cleanup(func() { _ = b.Discard() })
	s := must.Get(matrix.ParseScale(scale, center))(t)
	r := must.Get(matrix.LearnEncoded(b, features, s))(t)
	columns := must.Get(r.Apply(b))(t)
	return b, r, columns
}

// anyCategories draws a column of categories: its levels and cells, with the
// weights of rows.
func anyCategories(t *rapid.T) (levels []string, cells, weights []float64) {
	levels = []string{"a", "b", "c", "d"}[:rapid.IntRange(2, 4).Draw(t, "levels")]
	n := rapid.IntRange(2, 200).Draw(t, "rows")
	for range n {
		cells = append(cells, float64(rapid.IntRange(0, len(levels)-1).Draw(t, "level")))
		weights = append(weights, float64(rapid.IntRange(0, 3).Draw(t, "weight")))
	}
	cells, weights = append(cells, 0, 1), append(weights, 1, 2) // two levels at least have a row that counts
	return levels, cells, weights
}

func asRows(cells []float64) [][]float64 {
	rows := make([][]float64, len(cells))
	for i, v := range cells {
		rows[i] = []float64{v}
	}
	return rows
}

// The χ² distance of two rows with categories s ≠ t is 1/f_s + 1/f_t, f being the shares of the categories: by hand
// from z_s = (1 − f_s)/√f_s and z_t = −√f_t.
func TestDistancesOfCategoriesAreThoseOfChiSquared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels, cells, weights := anyCategories(t)
		b, r, columns := fitted(t, rowsOf(t, 1, asRows(cells), weights),
			[]matrix.Source{{Name: "x", Categorical: true, Levels: levels}}, "sd", "auto")
		shares, total, inertia := make([]float64, len(levels)), 0.0, 0.0
		for i, v := range cells {
			shares[int(v)] += weights[i]
			total += weights[i]
		}
		present := 0
		for s := range shares {
			if shares[s] /= total; shares[s] > 0 {
				present++
			}
		}
		if present != b.Cols() {
			t.Fatalf("%d columns for %d categories", b.Cols(), present)
		}
		for _, c := range columns {
			inertia += c.SumSq
		}
		if want := float64(present-1) * total; math.Abs(inertia-want) > 1e-9*total {
			t.Fatalf("inertia %v, want (categories − 1) · weight = %v", inertia, want)
		}
		for i := range cells {
			for j := range i {
				s, u := int(cells[i]), int(cells[j])
				if weights[i] == 0 || weights[j] == 0 {
					continue
				}
				want, got := 0.0, 0.0
				if s != u {
					want = 1/shares[s] + 1/shares[u]
				}
				for l := range b.Cols() {
					d := b.Values().Row(i)[l] - b.Values().Row(j)[l]
					got += d * d
				}
				if math.Abs(got-want) > 1e-9*max(1, want) {
					t.Fatalf("distance of %s and %s: %v, want %v; %+v", levels[s], levels[u], got, want, r)
				}
			}
		}
	})
}

func TestAWeightIsThatManyRowsOfACategory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels, cells, weights := anyCategories(t)
		var repeated []float64
		for i, v := range cells {
			for range int(weights[i]) {
				repeated = append(repeated, v)
			}
		}
		sources := []matrix.Source{{Name: "x", Categorical: true, Levels: levels}}
		_, x, _ := fitted(t, rowsOf(t, 1, asRows(cells), weights), sources, "sd", "auto")
		_, y, _ := fitted(t, rowsOf(t, 1, asRows(repeated), nil), sources, "sd", "auto")
		if len(x.Features) != len(y.Features) {
			t.Fatalf("weighted %+v, repeated %+v", x, y)
		}
		for l, f := range x.Features {
			if g := y.Features[l]; f.Name != g.Name || math.Abs(f.Location-g.Location) > 1e-12 || math.Abs(f.Scale-g.Scale) > 1e-12 {
				t.Fatalf("weighted %+v, repeated %+v", f, g)
			}
		}
	})
}

// mixed is a table of a number, a category and one that may be NULL.
var mixed = []matrix.Source{
	{Name: "x"},
	{Name: "colour", Categorical: true, Levels: []string{"red", "never", "blue"}},
	{Name: "size", Categorical: true, Levels: []string{"", "NULL"}, NullLevel: true},
}

var mixedRows = [][]float64{{1, 0, 0}, {2, 2, nan}, {3, 0, 1}, {6, 2, nan}}

func TestFeaturesAreTheLevelsThatRowsHave(t *testing.T) {
	_, r, _ := fitted(t, rowsOf(t, 3, mixedRows, nil), mixed, "none", "auto")
	// Shares by hand: red and blue 2 of 4 rows; "" and "NULL" 1, NULL 2.
	half, root := 0.5, math.Sqrt(0.5)
	want := []matrix.Feature{
		{Name: "x", Location: 3, Scale: 1},
		{Name: "colour=red", Source: "colour", Category: "red", Location: half, Scale: root, Share: half},
		{Name: "colour=blue", Source: "colour", Category: "blue", Location: half, Scale: root, Share: half},
		{Name: "size=", Source: "size", Location: 0.25, Scale: half, Share: 0.25},
		{Name: "size=NULL", Source: "size", Category: "NULL", Location: 0.25, Scale: half, Share: 0.25},
		{Name: "size=(NULL)", Source: "size", Category: "(NULL)", Null: true, Location: half, Scale: root, Share: half},
	}
	must.Equal(t, want, r.Features)
	sources := []matrix.Source{{Name: "x"}, {Name: "colour", Categorical: true}, {Name: "size", Categorical: true, NullLevel: true}}
	must.Equal(t, sources, r.Sources())
	text := must.Get(json.Marshal(r))(t)
	var back matrix.Recipe
	must.Do(t, json.Unmarshal(text, &back))
	if diff := cmp.Diff(r, back); diff != "" {
		t.Errorf("the text of the recipe is not the recipe: %s", diff)
	}
}

func TestAColumnOfOneCategoryIsConstant(t *testing.T) {
	_, r, columns := fitted(t, rowsOf(t, 1, asRows([]float64{0, 0, 0}), nil),
		[]matrix.Source{{Name: "x", Categorical: true, Levels: []string{"a"}}}, "sd", "auto")
	if f := r.Features[0]; !f.Constant || f.Scale != 1 || f.Share != 1 || columns[0].SumSq != 0 {
		t.Errorf("%+v, %+v", f, columns[0])
	}
}

func TestCategoriesAreCenteredAsNumbersAre(t *testing.T) {
	cells := []float64{0, 0, 0, 1}
	for center, want := range map[string]float64{"mean": 0.75, "median": 1, "none": 0} {
		_, r, _ := fitted(t, rowsOf(t, 1, asRows(cells), nil),
			[]matrix.Source{{Name: "x", Categorical: true, Levels: []string{"a", "b"}}}, "raw", center)
		if f := r.Features[0]; f.Location != want || f.Scale != math.Sqrt(0.75) {
			t.Errorf("%s: %+v", center, f)
		}
	}
}

func TestFeaturesOfOneNameAreRefused(t *testing.T) {
	b := rowsOf(t, 2, [][]float64{{0, 1}, {1, 2}}, nil)
	_, _, err := matrix.Encode(b, []matrix.Source{{Name: "a", Categorical: true, Levels: []string{"1", "2"}}, {Name: "a=2"}})
	must.Fault(t, err, "feature-names-collide")
}

func TestNewRowsAreEncodedAsTheRecipeSays(t *testing.T) {
	b, r, _ := fitted(t, rowsOf(t, 3, [][]float64{{1, 0, 0}, {2, 2, nan}, {3, 0, 1}, {6, 0, nan}}, nil), mixed, "raw", "none")
	want := slices.Clone(b.Values().Row(1))
	fresh := []matrix.Source{
		{Name: "x"}, {Name: "colour", Categorical: true, Levels: []string{"blue", "mauve", "red"}},
		{Name: "size", Categorical: true, Levels: []string{"L"}},
	}
	rows := [][]float64{{2, 0, nan}, {5, 1, nan}, {5, nan, nan}, {5, 1, 0}}
	encode := func(rows [][]float64, unseen matrix.Unseen) (*matrix.Builder, error) {
		b := rowsOf(t, 3, rows, nil)
		to, err := r.Encode(b, fresh, unseen)
		if err != nil {
			return nil, err
		}
		must.Get(r.Apply(to))(t)
		t.Cleanup(func() { _ = to.Discard() })
		return to, nil
	}
	_, err := encode(rows, matrix.UnseenError)
	f := must.Fault(t, err, "unseen-category")
	must.Equal(t, []string{`colour = "mauve": 2 rows`, `size = "L": 1 row`}, f.Details)
	// Red is the most frequent colour (3 of 4 rows) and NULL the most frequent size (2 of 4).
	red, null := 1/math.Sqrt(0.75), 1/math.Sqrt(0.5)
	for unseen, cells := range map[matrix.Unseen][][]float64{
		matrix.UnseenIgnore:  {want, {5, nan, nan, 0, 0, null}, {5, nan, nan, 0, 0, null}, {5, nan, nan, nan, nan, nan}},
		matrix.UnseenNearest: {want, {5, red, 0, 0, 0, null}, {5, nan, nan, 0, 0, null}, {5, red, 0, 0, 0, null}},
	} {
		got := must.Get(encode(rows, unseen))(t)
		for i, row := range cells {
			for l, v := range row {
				if g := got.Values().Row(i)[l]; math.Float64bits(g) != math.Float64bits(v) && (g == g || v == v) {
					t.Errorf("%s, row %d: %v, want %v", unseen, i, got.Values().Row(i), row)
					break
				}
			}
		}
	}
}

func TestEncodingChangesNothingWithTheNumberOfProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rows := make([][]float64, 20_001) // five blocks, the last partial
	for i := range rows {
		rows[i] = []float64{math.Sin(float64(i)), float64(i * i % 3)}
	}
	sources := []matrix.Source{{Name: "x"}, {Name: "c", Categorical: true, Levels: []string{"0", "1", "2"}}}
	var want matrix.Recipe
	var cells []float64
	for _, n := range []int{1, 2, 3} {
		runtime.GOMAXPROCS(n)
		b, r, _ := fitted(t, rowsOf(t, 2, rows, nil), sources, "sd", "auto")
		if n == 1 {
			want, cells = r, slices.Clone(b.Values().Data)
		}
		if diff := cmp.Diff(want, r); diff != "" || !slices.Equal(cells, b.Values().Data) {
			t.Errorf("%d processors: %s", n, diff)
		}
	}
}

func TestGroupsAreNumberedByTheirFirstFeatures(t *testing.T) {
	b, r, _ := fitted(t, rowsOf(t, 3, mixedRows, nil), mixed, "none", "auto")
	if r.ProblemGroups() != nil || r.GroupOf(r.Features[1]) != "" {
		t.Error("a recipe has groups before they are set")
	}
	r.SetGroups(map[string]framework.Group{"x": {Name: "g", Weight: 0}, "size": {Name: "g", Weight: 0}})
	columns := must.Get(r.Apply(b))(t)
	p := framework.Problem{P: len(columns), Columns: columns, Groups: r.ProblemGroups()}
	must.Do(t, p.CheckGroups())
	must.Equal(t, [][]int{{0, 3, 4, 5}, {1, 2}}, p.GroupColumns())
	if w := p.GroupWeights(); len(w) != 2 || w[0] != 0 || w[1] == w[1] {
		t.Errorf("weights %v; want 0 and none", w)
	}
	if got := r.GroupOf(r.Features[1]); got != "colour" {
		t.Errorf("a column without a group is in %q", got)
	}
}
