package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/groupskm"
	"github.com/sqlcluster/sqlcluster/plugins/pcskm"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/plugins/skm"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// builtIn are the algorithms that come with sqlcluster.
var builtIn = library.Here(slices.Concat(skfr.Algorithms(), skm.Algorithms(), groupskm.Algorithms(), pcskm.Algorithms())...)

// numbers is the recipe of two columns of numbers.
const numbers = `"recipe":{"scaling":{"center":"mean","scale":"sd"},
	"features":[{"name":"a","location":1,"scale":2},{"name":"b","location":0,"scale":1}]}`

// models are stored models of two clusters and two features, one an algorithm.
var models = map[string]string{
	"kmeans": stored("kmeans", `{"loss":"l2","missing":"observed"}`, numbers, `"selected":[true,true],"gain":[1,2],"round":3`),
	"global": stored("skfr", `{"loss":"l2","missing":"observed","scope":"global","sparsity":"1"}`, numbers,
		`"selected":[true,false],"gain":[1,2],"round":3`),
	"local": stored("skfr", `{"loss":"l1","missing":"observed","scope":"local","sparsity":"1"}`, numbers,
		`"selected":[true,false,false,true],"gain":[1,2,3,4],"round":3`),
	"filled": stored("skfr", `{"loss":"l2","missing":"kpod","scope":"global","sparsity":"1"}`, numbers,
		`"selected":[true,false],"gain":[1,2],"aux":{"filler":[0,1,2,3]},"round":3`),
	"skm": stored("skm", `{"l1_bound":"1.2"}`, numbers,
		`"selected":[true,true],"weights":[0.6,0.8],"gain":[1,2],"aux":{"weight_updates":[2]},"round":3`),
	"pckm": stored("pckm", `{}`, numbers, `"round":3`),
	"pcskm": stored("pcskm", `{"l1_bound":"1.2"}`, numbers,
		`"selected":[true,true],"weights":[0.6,0.8],"gain":[1,2],"aux":{"weight_updates":[2]},"round":3`),
	"mpckm": stored("mpckm", `{}`, numbers, `"selected":[true,true],"weights":[0.6,0.8],"gain":[1,2],"aux":{"weight_updates":[2]},"round":3`),
	"groupskm": stored("groupskm", `{"lambda":"0.1"}`, `"recipe":{"scaling":{"center":"mean","scale":"sd_n"},
		"groups":[{"name":"c","weight":2},{"name":"b"}],
		"features":[{"name":"c=x","source":"c","category":"x","share":0.25,"location":0.25,"scale":0.5},
		{"name":"c=NULL","source":"c","category":"NULL","null":true,"share":0.75,"location":0.75,"scale":0.8},
		{"name":"b","location":0,"scale":1,"group":1}]}`,
		`"centers":[[0,1,2],[2,1,0]],"selected":[true,true,false],"weights":[0.6,0.8,0],"gain":[1,2,3],"aux":{"weight_updates":[2]},"round":3`),
}

// stored writes a model. The last of what is given twice counts.
func stored(algorithm, params, recipe, rest string) string {
	return fmt.Sprintf(`{"format_version":1,"algorithm":%q,"params":%s,"k":2,%s,"centers":[[0,1],[2,3]],%s}`, algorithm, params, recipe, rest)
}

// predicted labels three rows with a model: one in its midst, one far away, one
// with a missing cell. It fails the test for what no model may do.
func predicted(t *testing.T, l *Model) {
	t.Helper()
	p := len(l.stored.Recipe.Features)
	b := must.Get(matrix.NewBuilder(p, matrix.Options{RowsHint: 3}))(t)
	cells := must.Get(b.Extend(3))(t)
	for i := range cells {
		cells[i] = []float64{0.5, 1e9, float64(i)}[i/p]
	}
	if l.MissingOK() {
		cells[2*p] = math.NaN()
	}
	if _, err := l.stored.Recipe.Apply(b); err != nil { // too large for squares
		_ = b.Discard()
		return
	}
	data := must.Get(b.Seal())(t)
	defer func() { _ = data.Close() }()
	got, err := l.label(t.Context(), data, nil, 1)
	if err != nil {
		t.Fatalf("what was accepted cannot be used: %v", err)
	}
	for _, j := range got.Labels {
		if int(j) >= l.problem.K {
			t.Errorf("label %d of %d", j, l.problem.K)
		}
	}
}

func TestAStoredModelIsReadOrRefused(t *testing.T) {
	for name, text := range models {
		t.Run(name, func(t *testing.T) {
			l := must.Get(decodeModel(text, builtIn))(t)
			predicted(t, l)
			again := must.Get(l.stored.Encode())(t)
			twice := must.Get(decodeModel(again, builtIn))(t)
			must.Equal(t, l.stored, twice.stored)
		})
	}
	change := func(model, from, to string) string {
		if !strings.Contains(models[model], from) {
			t.Fatalf("%s has no %s", model, from)
		}
		return strings.Replace(models[model], from, to, 1)
	}
	group := `{"name":"c","weight":2},{"name":"b"}`
	for name, text := range map[string]string{
		"selected is doubled":              change("global", `[true,false]`, `[true,false,true,false]`),
		"selected is that of all clusters": change("local", `[true,false,false,true]`, `[true,false]`),
		"nothing is selected":              change("global", `"selected":[true,false],`, ``),
		"too few weights":                  change("skm", `[0.6,0.8]`, `[0.6]`),
		"no weights":                       change("mpckm", `"weights":[0.6,0.8],`, ``),
		"weights that it has not":          change("kmeans", `"gain"`, `"weights":[1,1],"gain"`),
		"a negative weight":                change("skm", `[0.6,0.8]`, `[0.6,-0.8]`),
		"too many gains":                   change("pcskm", `"gain":[1,2]`, `"gain":[1,2,3]`),
		"no number of updates":             change("mpckm", `[2]}`, `[]}`),
		"no list of updates":               change("pcskm", `"aux":{"weight_updates":[2]},`, ``),
		"no clusters":                      change("kmeans", `"k":2`, `"k":0`),
		"fewer than no clusters":           change("kmeans", `"k":2`, `"k":-2`),
		"clusters beyond memory":           change("kmeans", `"k":2`, `"k":1099511627776`),
		"a center too many":                change("kmeans", `[2,3]]`, `[2,3],[4,5]]`),
		"a short center":                   change("kmeans", `[2,3]]`, `[2]]`),
		"a negative round":                 change("kmeans", `"round":3`, `"round":-3`),
		"no features":                      stored("kmeans", `{}`, `"recipe":{"features":[]}`, `"centers":[[],[]]`),
		"a feature twice":                  change("kmeans", `"name":"b"`, `"name":"a"`),
		"a feature without a name":         change("kmeans", `"name":"b"`, `"name":""`),
		"a scale of 0":                     change("kmeans", `"scale":2`, `"scale":0`),
		"a negative scale":                 change("kmeans", `"scale":2`, `"scale":-2`),
		"a tiny scale":                     change("kmeans", `"scale":2`, `"scale":1e-320`),
		"a number beyond all":              change("kmeans", `"scale":2`, `"scale":1e400`),
		"no number at all":                 change("kmeans", `"scale":2`, `"scale":NaN`),
		"another scaling":                  change("kmeans", `"sd"`, `"minmax"`),
		"a group without groups":           change("kmeans", `"scale":1`, `"scale":1,"group":1`),
		"a group that is not there":        change("groupskm", `"group":1`, `"group":2`),
		"a negative group":                 change("groupskm", `"group":1`, `"group":-1`),
		"a group without features":         change("groupskm", group, group+`,{"name":"d"}`),
		"a negative group weight":          change("groupskm", `"weight":2`, `"weight":-2`),
		"categories apart":                 change("groupskm", `"category":"NULL","null":true`, `"category":"NULL","source":"d","null":true`),
		"a category and a number":          change("groupskm", `"name":"b","loc`, `"name":"c","loc`),
		"NULL before another category":     change("groupskm", `"category":"x"`, `"category":"x","null":true`),
		"a category of another name":       change("groupskm", `"category":"x"`, `"category":"y"`),
		"an unknown parameter":             change("kmeans", `"loss":"l2"`, `"depth":"2"`),
		"a value that it does not take":    change("kmeans", `"l2"`, `"l3"`),
		"a sparsity above all":             change("global", `"sparsity":"1"`, `"sparsity":"3"`),
		"a constraint of no cluster":       change("kmeans", `"round":3`, `"round":3,"constraints":[{"kind":"box","cluster":2}]`),
		"another format":                   change("kmeans", `"format_version":1`, `"format_version":3`),
		"a column beyond all":              change("kmeans", `[[0,1],[2,3]]`, `{"mostly":[0,1],"rows":[{"columns":[2],"values":[2]},{}]}`),
		"a column before all":              change("kmeans", `[[0,1],[2,3]]`, `{"mostly":[0,1],"rows":[{"columns":[-1],"values":[2]},{}]}`),
		"a column without a value":         change("kmeans", `[[0,1],[2,3]]`, `{"mostly":[0,1],"rows":[{"columns":[1],"values":[]},{}]}`),
		"sparse centers of another size":   change("kmeans", `[[0,1],[2,3]]`, `{"mostly":[0,1,2],"rows":[{},{}]}`),
		"lists in lists":                   change("kmeans", `[[0,1],[2,3]]`, strings.Repeat("[", 1<<20)+strings.Repeat("]", 1<<20)),
		"half of it":                       models["kmeans"][:100],
		"nothing":                          "",
		"null":                             "null",
	} {
		t.Run(name, func(t *testing.T) {
			l, err := decodeModel(text, builtIn)
			if err == nil {
				predicted(t, l)
				t.Fatal("it is accepted")
			}
			f := framework.AsFault(Damaged("r", err))
			if f == nil || f.Hint == "" || f.Class != framework.Data || f.Code != "run-damaged" && name != "a sparsity above all" {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestAModelThatIsNotFiniteIsNotStored(t *testing.T) {
	s := Stored{Centers: [][]float64{{math.Inf(1)}}}
	if _, err := s.Encode(); framework.AsFault(err) == nil {
		t.Errorf("%v", err)
	}
}

func FuzzStoredModel(f *testing.F) {
	for _, text := range models {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := decodeModel(text, builtIn)
		if err != nil {
			return
		}
		predicted(t, l)
		again := must.Get(l.stored.Encode())(t)
		twice, err := decodeModel(again, builtIn)
		if err != nil {
			t.Fatalf("%v: %s", err, again)
		}
		third, err := twice.stored.Encode()
		if err != nil || third != again {
			t.Errorf("%v: %s became %s", err, again, third)
		}
	})
}
