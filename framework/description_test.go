package framework_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

var description = framework.Description{Name: "toy", Empty: framework.Reseed, Scale: "sd", Params: []framework.Param{
	{Name: "size", Type: framework.IntParam, Required: true, Min: new(1.0), Max: new(10.0), Doc: "how many"},
	{Name: "rate", Type: framework.RealParam, Default: "0.5"},
	{Name: "scope", Type: framework.ChoiceParam, Default: "global",
		Choices: []string{"global", "local"}, Center: map[string]string{"local": "median"}},
	{Name: "box_it", Type: framework.BoolParam, Default: "false", Center: map[string]string{"true": "none"}},
	{Name: "note", Type: framework.TextParam},
	{Name: "floor", Type: framework.IntParam, Min: new(1.0)},
	{Name: "ceiling", Type: framework.RealParam, Max: new(-1.0)},
}}

func TestResolveParsesWhatIsGivenAndFillsInDefaults(t *testing.T) {
	got := must.Get(description.Resolve(map[string]string{"size": "3", "box_it": "true"}))(t)
	want := framework.Params{"size": 3, "rate": 0.5, "scope": "global", "box_it": true}
	must.Equal(t, want, got)
	if got.Int("size") != 3 || got.Real("rate") != 0.5 || got.Text("scope") != "global" || !got.Bool("box_it") {
		t.Error("the typed getters differ from the values")
	}
}

func TestAnOptionalParameterHasAValueIffItWasGiven(t *testing.T) {
	got := must.Get(description.Resolve(map[string]string{"size": "3", "note": "", "floor": "7", "ceiling": "-1"}))(t)
	want := framework.Params{"size": 3, "rate": 0.5, "scope": "global", "box_it": false, "note": "", "floor": 7, "ceiling": -1.0}
	must.Equal(t, want, got)
	if got, _ = description.Resolve(map[string]string{"size": "3"}); got.Given("note") || got.Given("floor") || !got.Given("rate") {
		t.Errorf("given: %v", got.Names())
	}
}

func TestTheCenterIsThatOfTheFirstValueThatHasOne(t *testing.T) {
	d := description
	d.Center = "mean"
	for name, c := range map[string]struct {
		given map[string]string
		want  string
	}{
		"none has":       {nil, "mean"},
		"a choice":       {map[string]string{"scope": "local"}, "median"},
		"a boolean":      {map[string]string{"box_it": "1"}, "none"},
		"both, in order": {map[string]string{"box_it": "1", "scope": "local"}, "median"},
	} {
		t.Run(name, func(t *testing.T) {
			given := map[string]string{"size": "1"}
			maps.Copy(given, c.given)
			values := must.Get(d.Resolve(given))(t)
			if got := d.CenterFor(values); got != c.want {
				t.Errorf("center %q, want %q", got, c.want)
			}
		})
	}
}

func TestCheckFindsEverythingThatIsWrongWithADescription(t *testing.T) {
	if err := description.Check(); err != nil {
		t.Errorf("a good description: %v", err)
	}
	choice := func(choices ...string) framework.Param {
		return framework.Param{Name: "x", Type: framework.ChoiceParam, Choices: choices}
	}
	for name, c := range map[string]struct {
		param framework.Param
		want  string
	}{
		"upper case":         {framework.Param{Name: "Size2", Type: framework.IntParam}, `"Size2": the name must be words in lower case`},
		"dashes":             {framework.Param{Name: "box-it", Type: framework.BoolParam}, `"box-it": the name must be`},
		"no name":            {framework.Param{Type: framework.BoolParam}, `"": the name must be`},
		"a setting's name":   {framework.Param{Name: "max_iter", Type: framework.IntParam}, `"max_iter": the name is that of a setting`},
		"twice":              {framework.Param{Name: "rate", Type: framework.RealParam}, `"rate": there are two of this name`},
		"no type":            {framework.Param{Name: "x", Type: "number"}, `there is no type "number"`},
		"no choices":         {choice(), "a choice needs Choices"},
		"an empty choice":    {choice("a", ""), `the choice "" is empty`},
		"a choice twice":     {choice("a", "a"), `the choice "a" is empty or there twice`},
		"choices of a text":  {framework.Param{Name: "x", Type: framework.TextParam, Choices: []string{"a"}}, "only a choice has Choices"},
		"bounds of a text":   {framework.Param{Name: "x", Type: framework.TextParam, Min: new(1.0)}, "only a number has Min and Max"},
		"bounds crossed":     {framework.Param{Name: "x", Type: framework.IntParam, Min: new(2.0), Max: new(1.0)}, "Min is above Max"},
		"a bound of nothing": {framework.Param{Name: "x", Type: framework.RealParam, Max: new(math.NaN())}, "the bound NaN is not"},
		"a bad default": {framework.Param{Name: "x", Type: framework.IntParam, Max: new(1.0), Default: "2"},
			"default: bad-parameter: x is \"2\"; it must be at most 1"},
		"a default of what must be given": {framework.Param{Name: "x", Type: framework.IntParam, Required: true, Default: "2"},
			"a required parameter has no default"},
		"two lines": {framework.Param{Name: "x", Type: framework.IntParam, Doc: "a\nb"}, "Doc must be one line"},
		"a center of a number": {framework.Param{Name: "x", Type: framework.IntParam, Center: map[string]string{"1": "mean"}},
			"only a choice or a boolean has Center"},
		"a center of no value": {framework.Param{Name: "x", Type: framework.BoolParam, Center: map[string]string{"maybe": "mean"}},
			`Center: bad-parameter: x is "maybe"`},
		"a center misspelt": {framework.Param{Name: "x", Type: framework.BoolParam, Center: map[string]string{"1": "mean"}},
			`Center: "1" must be written true`},
		"an unknown center": {framework.Param{Name: "x", Type: framework.BoolParam, Center: map[string]string{"true": "mode"}},
			`Center is "mode"`},
	} {
		t.Run(name, func(t *testing.T) {
			d := description
			d.Params = append(slices.Clone(d.Params), c.param)
			if err := d.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want %s", err, c.want)
			}
		})
	}
	wrong := framework.Description{Name: "Toy", Summary: "a\nb", Empty: "keep", Scale: "", Center: "mode",
		Predict: map[string]string{"gone": "1"}, ObjectiveTerms: []string{"fine", " ", "a\nb"}}
	want := `algorithm "Toy": the name must be a word in lower case
algorithm "Toy": the summary must be one line
algorithm "Toy": Empty is "keep"; it must be reseed, origin or fail
algorithm "Toy": Scale is ""; it must be one of sd, sd_n, robust, none, raw
algorithm "Toy": Center is "mode"; it must be mean, median or none
algorithm "Toy": ObjectiveTerms has " "; a term is named in one line
algorithm "Toy": ObjectiveTerms has "a\nb"; a term is named in one line
algorithm "Toy", Predict: there is no parameter "gone"`
	must.Equal(t, want, fmt.Sprint(wrong.Check()))
	for want, d := range map[string]framework.Description{
		`Looser is "both"; it must be up, down or empty`: {Path: "rate", Looser: "both"},
		`Looser is "up", but Path names no parameter`:    {Looser: framework.Up},
	} {
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

func TestBadParametersAreFaultsThatSayWhatToDo(t *testing.T) {
	cases := map[string]struct {
		given map[string]string
		want  framework.Fault
	}{
		"unknown": {map[string]string{"size": "1", "sizes": "2"}, framework.Fault{Class: framework.Usage, Code: "unknown-parameter",
			Summary: `algorithm toy has no parameter "sizes"`, Similar: "size"}},
		"missing": {nil, framework.Fault{Class: framework.Usage, Code: "parameter-missing",
			Summary: "algorithm toy needs size: how many", Hint: "give size = VALUE"}},
		"too large": {map[string]string{"size": "11"}, framework.Fault{Class: framework.Usage, Code: "bad-parameter",
			Summary: `size is "11"; it must be between 1 and 10`, Where: "size"}},
		"too small, without an upper bound": {map[string]string{"size": "1", "floor": "0"},
			framework.Fault{Class: framework.Usage, Code: "bad-parameter",
				Summary: `floor is "0"; it must be at least 1`, Where: "floor"}},
		"too large, without a lower bound": {map[string]string{"size": "1", "ceiling": "0"},
			framework.Fault{Class: framework.Usage, Code: "bad-parameter",
				Summary: `ceiling is "0"; it must be at most -1`, Where: "ceiling"}},
		"not whole": {map[string]string{"size": "1e1"}, framework.Fault{Class: framework.Usage, Code: "bad-parameter",
			Summary: `size is "1e1"; it must be a whole number`, Where: "size"}},
		"not a number": {map[string]string{"size": "1", "rate": "NaN"}, framework.Fault{Class: framework.Usage, Code: "bad-parameter",
			Summary: `rate is "NaN"; it must be a number`, Where: "rate"}},
		"no choice": {map[string]string{"size": "1", "scope": "all"}, framework.Fault{Class: framework.Usage, Code: "bad-parameter",
			Summary: `scope is "all"; it must be one of global, local`, Where: "scope"}},
		"no boolean": {map[string]string{"size": "1", "box_it": "perhaps"}, framework.Fault{Class: framework.Usage, Code: "bad-parameter",
			Summary: `box_it is "perhaps"; it must be true or false`, Where: "box_it"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := description.Resolve(c.given)
			must.Equal(t, &c.want, framework.AsFault(err).Render(nil))
		})
	}
}

func TestClosestFindsWhatWasMeantAndNothingFarOff(t *testing.T) {
	cases := map[string]string{"incom": "income", "INCOME": "income", "agee": "age", "xyzzyx": "", "age": "", "a": "",
		"reg": "region", "in": ""}
	for name, want := range cases {
		if got := framework.Closest(name, []string{"age", "income", "region"}); got != want {
			t.Errorf("closest to %q is %q, want %q", name, got, want)
		}
	}
}

func TestRandDependsOnEveryArgumentAndOnNothingElse(t *testing.T) {
	first := func(seed uint64, purpose string, index ...uint64) uint64 {
		return framework.Rand(seed, purpose, index...).Uint64()
	}
	if first(1, "seeding", 2, 3) != first(1, "seeding", 2, 3) {
		t.Error("the same arguments give different streams")
	}
	seen := map[uint64]string{}
	for _, seed := range []uint64{0, 1, math.MaxUint64} {
		for _, purpose := range []string{"", "seeding", "gniidees"} {
			for _, index := range [][]uint64{nil, {0}, {1}, {0, 0}, {0, 1}, {1, 0}} {
				v, name := first(seed, purpose, index...), fmt.Sprint(seed, purpose, index)
				if other, ok := seen[v]; ok {
					t.Errorf("%s and %s begin alike", name, other)
				}
				seen[v] = name
			}
		}
	}
}

func TestAFaultKeepsItsCause(t *testing.T) {
	cause := errors.New("disk full")
	err := fmt.Errorf("write: %w", &framework.Fault{Code: "write-failed", Summary: "could not write", Err: cause})
	if !errors.Is(err, cause) || framework.AsFault(err) == nil {
		t.Errorf("%v has lost its cause or its fault", err)
	}
	if got, want := framework.AsFault(err).Error(), "write-failed: could not write: disk full"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if framework.AsFault(cause) != nil || framework.AsFault(nil) != nil {
		t.Error("a plain error is taken for a fault")
	}
}

func TestAValueOfAParameterMayNeedEveryCell(t *testing.T) {
	d := framework.Description{Sparse: true, Dense: map[string]string{"loss": "l1", "fill": "true"}}
	for _, c := range []struct {
		params framework.Params
		want   bool
	}{
		{framework.Params{"loss": "l2", "fill": false}, true},
		{framework.Params{"loss": "l1", "fill": false}, false}, {framework.Params{"loss": "l2", "fill": true}, false},
		{nil, true},
	} {
		if got := d.TakesSparse(c.params); got != c.want {
			t.Errorf("%v: %t", c.params, got)
		}
	}
	if (framework.Description{}).TakesSparse(nil) {
		t.Error("an algorithm that does not say so takes sparse rows")
	}
}
