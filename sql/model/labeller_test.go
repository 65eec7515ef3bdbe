package model

import (
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// bits compares numbers by their bits, so that NaN equals NaN and 0 is not −0.
var bits = cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })

// someRows are 300 rows of p cells, with ties, and with missing cells if asked for.
func someRows(p int, missing bool) framework.Matrix {
	x := framework.NewMatrix(300, p)
	for i := range x.Data {
		x.Data[i] = math.Sin(float64(i*i)) * float64(1+i%7)
		switch row := i / p; {
		case row%10 == 3:
			x.Data[i] = 1
		case missing && (row%9 == 5 || i%11 == 4):
			x.Data[i] = math.NaN()
		}
	}
	return x
}

func copied(x framework.Matrix) framework.Matrix {
	y := framework.NewMatrix(x.Rows, x.Cols)
	copy(y.Data, x.Data)
	return y
}

// sealedLabels labels rows as Predict does.
func sealedLabels(t *testing.T, m *Model, x framework.Matrix) *fit.Prediction {
	t.Helper()
	b := must.Get(matrix.NewBuilder(x.Cols, matrix.Options{RowsHint: x.Rows}))(t)
	copy(must.Get(b.Extend(x.Rows))(t), x.Data)
	must.Get(m.stored.Recipe.Apply(b))(t)
	data := must.Get(b.Seal())(t)
	defer func() { _ = data.Close() }()
	return must.Get(m.label(t.Context(), data, nil, 2))(t)
}

func TestALabellerHasTheBitsOfPredict(t *testing.T) {
	for name, text := range models {
		t.Run(name, func(t *testing.T) {
			m := must.Get(Decode(builtIn, text))(t)
			l := must.Get(m.Labeller())(t)
			x := someRows(l.Cells, m.MissingOK())
			want := sealedLabels(t, m, x)
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					if got, err := l.Label(t.Context(), copied(x), nil); err != nil || !cmp.Equal(want, got, bits) {
						t.Error(err, cmp.Diff(want, got, bits))
					}
				})
			}
			all.Wait()
			none := must.Get(l.Label(t.Context(), framework.NewMatrix(0, l.Cells), nil))(t)
			must.Equal(t, &fit.Prediction{}, none, cmpopts.EquateEmpty())
		})
	}
}

func TestARowThatLacksACellHasALabelOnlyWhereTheAlgorithmTakesThat(t *testing.T) {
	for name, text := range models {
		m := must.Get(Decode(builtIn, text))(t)
		l := must.Get(m.Labeller())(t)
		alone := name == "groupskm" // the first column is all that tells clusters apart
		x := someRows(l.Cells, false).Slice(0, 2)
		first := copied(x)
		x.Row(1)[0] = math.NaN()
		p := must.Get(l.Label(t.Context(), x, nil))(t)
		must.Equal(t, must.Get(l.Label(t.Context(), first, nil))(t).Labels[0], p.Labels[0])
		if lacks := p.Labels[1] < 0; lacks != (alone || !m.MissingOK()) {
			t.Errorf("%s: %v", name, p.Labels)
		}
		if p.Labels[1] < 0 && (p.Second[1] >= 0 || p.Distance[1] == p.Distance[1] || p.Margin[1] == p.Margin[1]) {
			t.Errorf("%s: %v", name, p)
		}
	}
}

// The last column of this model has no weight: it may be there or not.
func TestACellOfAColumnThatIsNotThereIsNotLacking(t *testing.T) {
	m := must.Get(Decode(builtIn, strings.NewReplacer("[0.6,0.8]", "[1,0]", "[true,true]", "[true,false]").Replace(models["pcskm"])))(t)
	l := must.Get(m.Labeller())(t)
	x := someRows(l.Cells, false)
	want := must.Get(l.Label(t.Context(), copied(x), nil))(t)
	for i := range x.Rows {
		x.Row(i)[1] = math.NaN()
	}
	must.Equal(t, want, must.Get(l.Label(t.Context(), copied(x), []bool{false, true}))(t), bits)
	for _, label := range must.Get(l.Label(t.Context(), x, nil))(t).Labels { // it is there, and NULL
		must.Equal(t, int32(-1), label)
	}
}

func TestALabellerLeavesNumbersBeyondSquaresToPredict(t *testing.T) {
	for name, text := range models {
		l := must.Get(must.Get(Decode(builtIn, text))(t).Labeller())(t)
		for _, v := range []float64{1e200, -1e200, math.Inf(1), math.Inf(-1)} {
			x := someRows(l.Cells, false)
			x.Row(7)[1] = v
			if _, err := l.Label(t.Context(), x, nil); !errors.Is(err, ErrUnusual) {
				t.Errorf("%s: %g: %v", name, v, err)
			}
		}
	}
}

func TestALabellerSaysWhichCellsAColumnHas(t *testing.T) {
	l := must.Get(must.Get(Decode(builtIn, models["groupskm"]))(t).Labeller())(t)
	must.Equal(t, []LabelColumn{{Name: "c", Place: 0, Width: 2, Categories: map[string]int{"x": 0}, Null: 1},
		{Name: "b", Place: 2, Width: 1, Optional: true, Null: -1}}, l.Columns)
}

func TestWhereOnlyAProcessLabelsThereIsNoLabeller(t *testing.T) {
	l := library.Here(builtIn.Algorithms[0].Local)
	l.Algorithms[0].Local = nil
	if labeller, err := must.Get(Decode(l, models["kmeans"]))(t).Labeller(); labeller != nil || err != nil {
		t.Error(labeller, err)
	}
}

func TestAModelWithoutWeightsHasNoClusters(t *testing.T) {
	_, err := Decode(builtIn, stored("skm", `{"l1_bound":"1.2"}`, numbers,
		`"selected":[false,false],"weights":[0,0],"gain":[1,2],"aux":{"weight_updates":[2]},"round":3`))
	must.Fault(t, err, "no-clusters")
	_, err = Decode(builtIn, "{")
	must.Fault(t, err, "model-damaged")
}
