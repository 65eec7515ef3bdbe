package job

import (
	"math"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

func TestInertiaIsOfSquaresIffThePlanSaysSo(t *testing.T) {
	b := must.Get(matrix.NewBuilder(1, matrix.Options{}))(t)
	must.Get(b.Extend(2))(t)
	data := must.Get(b.Seal())(t)
	defer func() { _ = data.Close() }()
	for _, squared := range []bool{true, false} {
		b := &Job{Data: data, Problem: framework.Problem{K: 1, Params: framework.Params{"loss": "l1"}}}
		f := &Fitted{squared: squared, Result: &fit.Result{Labels: []int32{0, 0}, Distance: []float64{3, 4}}}
		if got, want := b.clusters(f)[0].Inertia, map[bool]float64{true: 25, false: 7}[squared]; got != want {
			t.Errorf("squared %v: inertia %v, want %v", squared, got, want)
		}
	}
}

func TestARowWithoutAClusterIsCountedInNone(t *testing.T) {
	data := matrix.FromMatrix(framework.Matrix{Rows: 3, Cols: 1, Data: []float64{3, 5, 4}}, []float64{1, 2, 4}, 0)
	defer func() { _ = data.Close() }()
	b := &Job{Data: data, Problem: framework.Problem{K: 1, Columns: []framework.Column{{SumSq: 50}}}}
	r := &fit.Result{Labels: []int32{0, -1, 0}, Distance: []float64{3, math.NaN(), 4}}
	want := []result.Cluster{{Cluster: 0, Size: 2, Weight: 5, Inertia: 1*9 + 4*16}}
	must.Equal(t, want, b.clusters(&Fitted{squared: true, Result: r}))
}

func TestWhatDecidesAResultIsRecorded(t *testing.T) {
	b := &Job{Settings: settings.Settings{IgnoreText: true, Origins: map[string]string{"ignore_text": "flag"}}}
	if text, err := b.recorded(); err != nil || !strings.Contains(text, `"ignore-text":{"value":true,"origin":"flag"}`) {
		t.Errorf("%s, %v", text, err)
	}
}

func TestARecordedParameterNamedLikeASettingHidesNeither(t *testing.T) {
	b := &Job{Settings: settings.Settings{Weight: "w", Origins: map[string]string{"weight": "flag"}},
		params: map[string]settings.Given{
			"weight": {Value: 2.0, Origin: "flag"}, "depth": {Value: 3, Origin: settings.ByDefault}}}
	text, err := b.recorded()
	for _, want := range []string{`"depth":{"value":3,"origin":"default"}`, `"param.weight":{"value":2,"origin":"flag"}`,
		`"weight":{"value":"w","origin":"flag"}`} {
		if err != nil || !strings.Contains(text, want) {
			t.Errorf("%v %s", err, text)
		}
	}
}
