package render_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
)

func TestDigitsBeforeThePointAreNeverRounded(t *testing.T) {
	for want, v := range map[string]float64{
		"0": 0, "0.1235": 0.1235, "1270.8": 1270.751, "99999": 99999.4, "100000": 99999.6, "-100000": -99999.6,
		"100000000": 100000000.25, "123456789012345": 123456789012345, "1e+15": 1e15, "1.5e-09": 1.5e-9,
	} {
		if got := render.Rounded(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
	if got := render.Number(1234567.8, 6); got != "1234568" { // an objective
		t.Error(got)
	}
}
