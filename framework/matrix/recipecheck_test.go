package matrix

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func FuzzRecipe(f *testing.F) {
	f.Add([]byte(`{"scaling":{"center":"mean","scale":"sd"},"features":[{"name":"a","location":1,"scale":2},
		{"name":"c=x","source":"c","category":"x","share":0.5,"scale":0.7},
		{"name":"c=NULL","source":"c","category":"NULL","null":true,"share":0.5,"scale":0.7}]}`))
	f.Add([]byte(`{"features":[{"name":"a","scale":1},{"name":"b","scale":1,"group":1}],"groups":[{"name":"g","weight":2},{"name":"h"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r Recipe
		if json.Unmarshal(text, &r) != nil || r.Check() != nil || len(r.Features) > 100 {
			return
		}
		sources := r.Sources() // a table of them has two rows: categories that are known, and none
		for s := range sources {
			if sources[s].Categorical {
				for _, f := range r.Features {
					if f.Column() == sources[s].Name && !f.Null {
						sources[s].Levels = append(sources[s].Levels, f.Category)
					}
				}
			}
		}
		b := must.Get(NewBuilder(len(sources), Options{RowsHint: 2}))(t)
		cells := must.Get(b.Extend(2))(t)
		for s := range sources {
			cells[len(sources)+s] = math.NaN()
			if sources[s].Categorical && len(sources[s].Levels) == 0 {
				cells[s] = math.NaN()
			}
		}
		encoded, err := r.Encode(b, sources, UnseenError)
		if err != nil {
			_ = b.Discard()
			t.Fatal(err)
		}
		defer func() { _ = encoded.Discard() }()
		if encoded.Cols() != len(r.Features) {
			t.Fatalf("%d columns for %d features", encoded.Cols(), len(r.Features))
		}
		columns, err := r.Apply(encoded)
		for l, c := range columns {
			if err == nil && (c.Group < 0 || c.Group >= max(len(r.Groups), len(columns)) || c.Name != r.Features[l].Name) {
				t.Errorf("%+v", c)
			}
		}
		r.ProblemGroups()
		for _, f := range r.Features {
			r.GroupOf(f)
		}
	})
}
