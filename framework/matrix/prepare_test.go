package matrix_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestReplayGivesTheFittedRowsTheCellsOfTheFit(t *testing.T) {
	sd := matrix.Scaling{Center: "mean", Scale: "sd"}
	for name, groups := range map[string]map[string]framework.Group{
		"groups": {"x": {Name: "g", Weight: 2}, "size": {Name: "g", Weight: 2}}, "none": nil,
	} {
		t.Run(name, func(t *testing.T) {
			weights := []float64{1, 2, 0.5, 1}
			data, r, p, err := matrix.Prepare(rowsOf(t, 3, mixedRows, weights[:len(mixedRows)]), mixed, sd, groups)
			must.Do(t, err)
			defer func() { _ = data.Close() }()
			again := must.Get(r.Replay(rowsOf(t, 3, mixedRows, nil), mixed, matrix.UnseenIgnore, nil))(t) // no row has the level never
			defer func() { _ = again.Close() }()
			must.Equal(t, data.Matrix(), again.Matrix(), cmpopts.EquateNaNs())
			if err := p.CheckGroups(); err != nil || p.N != data.Len() || p.P != len(p.Columns) || p.P != data.Matrix().Cols || !p.Weighted {
				t.Errorf("%v: %+v", err, p)
			}
			if want := len(mixed) - len(groups)/2; len(p.Groups) != want { // two columns share a group, or none do
				t.Errorf("%d groups, want %d", len(p.Groups), want)
			}
		})
	}
}

func TestMissingCellsAreFilledInTheFeaturesThatAreNamed(t *testing.T) {
	sources := []matrix.Source{{Name: "x"}, {Name: "y"}}
	data, r, _, err := matrix.Prepare(rowsOf(t, 2, [][]float64{{1, 2}, {3, 6}}, nil), sources,
		matrix.Scaling{Center: "mean", Scale: "none"}, nil)
	must.Do(t, err)
	defer func() { _ = data.Close() }()
	filled := must.Get(r.Replay(rowsOf(t, 2, [][]float64{{nan, nan}, {3, 5}}, nil), sources, matrix.UnseenError, []bool{true, false}))(t)
	defer func() { _ = filled.Close() }()
	// The means are 2 and 4.
	must.Equal(t, []float64{0, nan, 1, 1}, filled.Matrix().Data, cmpopts.EquateNaNs())
}

func TestATableThatIsRefusedEndsItsBuilder(t *testing.T) {
	sources := []matrix.Source{{Name: "x"}, {Name: "c", Categorical: true, Levels: []string{"a", "b"}}}
	for code, x := range map[string]struct {
		cell    float64
		weights []float64
	}{"bad-weights": {1, []float64{0, 0}}, "values-too-large": {math.MaxFloat64, nil}} {
		b := rowsOf(t, 2, [][]float64{{x.cell, 0}, {-x.cell, 1}}, x.weights)
		_, _, _, err := matrix.Prepare(b, sources, matrix.Scaling{Center: "mean", Scale: "sd"}, nil)
		must.Fault(t, err, code)
		if _, err := b.Seal(); err == nil {
			t.Errorf("%s: the builder still has its rows", code)
		}
	}
}
