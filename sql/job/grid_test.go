package job

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

func TestValuesOfAGridThatAreImpossibleAreAllNamedBeforeAnythingIsFitted(t *testing.T) {
	skfr := must.Get(builtIn.Find("skfr"))(t)
	params := must.Get(skfr.Resolve(map[string]string{"sparsity": "1"}))(t)
	b := &Job{Algorithm: skfr, Problem: framework.Problem{N: 9, P: 6, K: 3, Params: params, Columns: make([]framework.Column, 6)}}
	for name, c := range map[string]struct {
		grid string
		want string
	}{
		"whatever the data": {"4,99,0,-1", `sparsity is "0"; it must be at least 1|sparsity is "-1"; it must be at least 1||grid`},
		"for these data": {"4,99,7", "sparsity is 99, but there are 6 features|sparsity is 7, but there are 6 features|choose a sparsity " +
			"from 1 to 6|grid"},
		"none": {"1,6", ""},
	} {
		g, err := settings.NewGrid(builtIn, "skfr", c.grid, 20)
		if err == nil {
			_, err = b.gridFor(t.Context(), nil, g)
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
