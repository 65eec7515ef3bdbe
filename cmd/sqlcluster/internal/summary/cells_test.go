package summary

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

func TestADescriptionSaysWhatBecomesOfCategoriesAndGroups(t *testing.T) {
	for want, d := range map[string]framework.Description{
		"":                              {},
		"; text columns: categories":    {Categorical: true},
		"; features: selected by group": {Groups: true},
		"; outliers: can be left out":   {Trims: true},
		"; text columns: categories; features: selected by group": {Categorical: true, Groups: true},
	} {
		if got := groupText(d); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestARowWithoutAClusterIsShownWithItsStatus(t *testing.T) {
	far := []float64{math.Inf(1), math.NaN(), math.Inf(1)}
	shown := assignmentTable(result.Assignments{KeyName: "id", Keys: input.Numbered(3), Labels: []int32{0, -1, 0},
		Distance: []float64{3, math.NaN(), 4}, Second: []int32{-1, -1, -1}, Margin: far}, 0)
	var out strings.Builder
	must.Do(t, render.Write(&out, "csv", shown))
	if want := "id,cluster,distance,second_cluster,margin,status\n1,0,3,,,\n2,,,,,no_cluster\n3,0,4,,,\n"; out.String() != want {
		t.Errorf("%s", out.String())
	}
}

func FuzzRecordedParams(f *testing.F) {
	f.Add(`{"k":{"value":3,"origin":"flag"},"seed":{"value":18446744073709551615,"origin":"default"},
		"weight":{"value":"w"},"features":{"value":["a","b"]}}`)
	f.Add(`{}0`)
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := recorded(text)
		if err != nil {
			return
		}
		for _, row := range rows {
			if len(row) != 3 {
				t.Errorf("%v", row)
			}
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%q is no JSON", text)
		}
	})
}
