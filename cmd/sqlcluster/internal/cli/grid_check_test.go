package cli

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestValuesOfAGridThatAreImpossibleAreAllNamedBeforeAnythingIsFitted(t *testing.T) {
	alg, err := algorithmOf("skfr")
	if err != nil {
		t.Fatal(err)
	}
	sparsity, _ := alg.Param("sparsity")
	params, err := alg.Resolve(map[string]string{"sparsity": "1"})
	if err != nil {
		t.Fatal(err)
	}
	p := &prepared{description: alg.Description, algorithm: alg}
	p.problem = framework.Problem{N: 9, P: 6, K: 3, Params: params, Columns: make([]framework.Column, 6)}
	for name, c := range map[string]struct {
		grid []float64
		want string
	}{
		"whatever the data": {[]float64{4, 99, 0, -1}, `sparsity is "0"; it must be at least 1|sparsity is "-1"; it must be at least 1||grid`},
		"for these data":    {[]float64{4, 99, 7}, "sparsity is 99, but there are 6 features|sparsity is 7, but there are 6 features|choose a sparsity from 1 to 6|grid"},
		"none":              {[]float64{1, 6}, ""},
	} {
		err := checkValues(sparsity, c.grid)
		if err == nil {
			err = p.checkGrid(t.Context(), nil, sparsity, c.grid)
		}
		got := ""
		if f := framework.AsFault(err); f != nil {
			f = f.Render(nil)
			got = strings.Join([]string{f.Summary, strings.Join(f.Details, "|"), f.Hint, f.Where}, "|")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
