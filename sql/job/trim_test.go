package job

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

func TestFlaggingTheFittedRowsGivesTheAssignmentsOfTheTrimmedFit(t *testing.T) {
	for name, params := range map[string]map[string]Given{"kmeans": nil, "skfr": {"sparsity": {Value: 2}}} {
		t.Run(name, func(t *testing.T) {
			s := Defaults()
			s.Algorithm, s.Params, s.K, s.Threads, s.Trim, s.Distances = name, params, 3, 1, 0.15, 2
			fitted := fitSmall(t, must.Get(New(s, builtIn))(t), few())
			m := must.Get(model.Decode(builtIn, fitted.Fit.Model))(t)
			m = must.Get(m.With(model.Extras{Flag: model.TrimLevel, Distances: 2}))(t)
			p := must.Get(m.Predict(t.Context(), few(), new(Defaults()).Spec(), 1, matrix.UnseenError))(t)
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

func TestTrimmingThatIsNotPossibleIsRefused(t *testing.T) {
	g := Grid{Parameter: framework.Param{Name: "sparsity", Type: framework.IntParam, Min: new(1.0)}}
	s := Defaults()
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
	s := Defaults()
	s.K, s.Threads = 3, 1
	m := must.Get(model.Decode(builtIn, fitSmall(t, must.Get(New(s, builtIn))(t), few()).Fit.Model))(t)
	for _, level := range []string{"trim", "0.5", "1.5", "0.985", "much"} {
		_, err := m.With(model.Extras{Flag: level})
		must.Fault(t, err, "bad-flag")
	}
	must.Get(m.With(model.Extras{Flag: "0.995"}))(t)
}

func TestTheShareThatATrimmedFitLeavesOutIsReadBackFromItsRecord(t *testing.T) {
	s := Defaults()
	s.K, s.Trim, s.Origins = 3, 0.1, map[string]string{"trim": "flag"}
	record := must.Get(must.Get(New(s, builtIn))(t).recorded())(t)
	got, also, err := Recorded(record, "", builtIn)
	if err != nil || got.Trim != 0.1 || len(also) > 0 {
		t.Errorf("trim %v, and %v: %v", got.Trim, also, err)
	}
}
