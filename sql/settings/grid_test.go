package settings

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestAGridHasAnEnd(t *testing.T) {
	for _, text := range []string{strings.Repeat("1,", MostValues) + "1", "1:2:1001", "1:2:1e300", "1:2:-3",
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
		if len(grid) < 1 || len(grid) > MostValues {
			t.Errorf("%d values", len(grid))
		}
		for _, v := range grid {
			again, err := strconv.ParseFloat(Number(v), 64)
			if err != nil || math.IsInf(v, 0) || math.Float64bits(again) != math.Float64bits(v) {
				t.Errorf("%v: %v, %v", v, again, err)
			}
		}
		texts := make([]string, len(grid))
		for i, v := range grid {
			texts[i] = Number(v)
		}
		if again, err := parseGrid(strings.Join(texts, ",")); err != nil || !slices.Equal(again, grid) {
			t.Errorf("%v became %v, %v", grid, again, err)
		}
	})
}
