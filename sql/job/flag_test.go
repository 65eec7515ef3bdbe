package job

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

func TestFlaggingTheFittedRowsGivesTheAssignmentsOfTheTrimmedFit(t *testing.T) {
	for name, params := range map[string]map[string]settings.Given{"kmeans": nil, "skfr": {"sparsity": {Value: 2}}} {
		t.Run(name, func(t *testing.T) {
			s := settings.Defaults()
			s.Algorithm, s.Params, s.K, s.Threads, s.Trim, s.Distances = name, params, 3, 1, 0.15, 2
			fitted := fitSmall(t, must.Get(New(s, builtIn))(t), few())
			m := must.Get(model.Decode(builtIn, fitted.Fit.Model))(t)
			m = must.Get(m.With(model.Extras{Flag: model.TrimLevel, Distances: 2}))(t)
			p := must.Get(m.Predict(t.Context(), few(), s.Spec(), 1, matrix.UnseenError))(t)
			want, got, outliers := fitted.Assignments, p.Assignments, 0
			must.Equal(t, want.Labels, got.Labels)
			must.Equal(t, want.Distance, got.Distance)
			must.Equal(t, want.Margin, got.Margin, cmpopts.EquateNaNs())
			must.Equal(t, want.Distances, got.Distances)
			for i := range got.Labels {
				if got.StatusOf(i) == "outlier" {
					outliers++
				}
				if d := got.Distances; d.Distance[2*i] != got.Distance[i] || got.Labels[i] >= 0 && d.Cluster[2*i] != got.Labels[i] {
					t.Errorf("row %d: the nearest of %v, %v is not %d, %v", i, d.Cluster[2*i:2*i+2], d.Distance[2*i:2*i+2], got.Labels[i], got.Distance[i])
				}
			}
			if outliers != 3 { // 0.15 of 20 rows
				t.Errorf("%d outliers", outliers)
			}
		})
	}
}

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
		got := model.Quantiles(rows, distance, mass, 0.3)
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

func TestTrimmingThatIsNotPossibleIsRefused(t *testing.T) {
	g := settings.Grid{Parameter: framework.Param{Name: "sparsity", Type: framework.IntParam, Min: new(1.0)}}
	s := settings.Defaults()
	s.K, s.Trim, s.Algorithm = 3, 0.1, "skfr"
	_, err := NewPath(s, builtIn, g, PathOptions{})
	must.Fault(t, err, "no-trim")
	s.Algorithm = "pckm"
	_, err = New(s, builtIn)
	must.Fault(t, err, "no-trim")
	s.Algorithm, s.Pairs = "kmeans", "pairs"
	_, err = New(s, builtIn)
	must.Fault(t, err, "no-trim")
	s.Pairs, s.Trim = "", 0.6
	_, err = New(s, builtIn)
	must.Fault(t, err, "bad-setting")
}

func TestALevelThatAModelDoesNotHaveIsRefused(t *testing.T) {
	s := settings.Defaults()
	s.K, s.Threads = 3, 1
	text := fitSmall(t, must.Get(New(s, builtIn))(t), few()).Fit.Model
	var older map[string]any
	must.Do(t, json.Unmarshal([]byte(text), &older))
	delete(older, "quantiles")
	old := must.Get(model.Decode(builtIn, string(must.Get(json.Marshal(older))(t))))(t)
	_, err := old.With(model.Extras{Flag: "0.99"})
	must.Fault(t, err, "no-distances")
	m := must.Get(model.Decode(builtIn, text))(t)
	for _, level := range []string{"trim", "0.5", "1.5", "0.985", "much"} {
		_, err := m.With(model.Extras{Flag: level})
		must.Fault(t, err, "bad-flag")
	}
	must.Get(m.With(model.Extras{Flag: "0.995"}))(t)
}

func TestTheShareThatATrimmedFitLeavesOutIsReadBackFromItsRecord(t *testing.T) {
	s := settings.Defaults()
	s.K, s.Trim, s.Origins = 3, 0.1, map[string]string{"trim": "flag"}
	record := must.Get(must.Get(New(s, builtIn))(t).record())(t)
	got, also, err := settings.Recorded(record, "", builtIn)
	if err != nil || got.Trim != 0.1 || len(also) > 0 {
		t.Errorf("trim %v, and %v: %v", got.Trim, also, err)
	}
}
