package job

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
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
		g, err := NewGrid(builtIn, "skfr", c.grid, 20)
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

func TestAGridHasAnEnd(t *testing.T) {
	for _, text := range []string{strings.Repeat("1,", mostGrid) + "1", "1:2:1001", "1:2:1e300", "1:2:-3",
		"-1e308:1e308:3", "1e400,1", "nan,1", "1:2:3:4", ":::", "", ",",
	} {
		if grid, err := parseGrid(text); framework.AsFault(err) == nil {
			t.Errorf("%.20s: %d values, %v", text, len(grid), err)
		}
	}
}

func FuzzGrid(f *testing.F) {
	for _, text := range []string{"1,2,4", "0:0.5:20", "1e308,-1e308", "-1e308:1e308:3", "0x1p-2", "1_0",
		" 1 , 2 ", "1:2:1e3", "inf", "1:1:2",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		grid, err := parseGrid(text)
		if err != nil {
			if framework.AsFault(err) == nil {
				t.Errorf("no fault: %v", err)
			}
			return
		}
		if len(grid) < 1 || len(grid) > mostGrid {
			t.Errorf("%d values", len(grid))
		}
		for _, v := range grid {
			again, err := strconv.ParseFloat(number(v), 64)
			if err != nil || math.IsInf(v, 0) || math.Float64bits(again) != math.Float64bits(v) {
				t.Errorf("%v: %v, %v", v, again, err)
			}
		}
		texts := make([]string, len(grid))
		for i, v := range grid {
			texts[i] = number(v)
		}
		if again, err := parseGrid(strings.Join(texts, ",")); err != nil || !slices.Equal(again, grid) {
			t.Errorf("%v became %v, %v", grid, again, err)
		}
	})
}
