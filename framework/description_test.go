package framework_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
)

var description = framework.Description{Name: "toy", Params: []framework.Param{
	{Name: "size", Type: framework.IntParam, Min: 1, Max: 10, Doc: "how many"},
	{Name: "rate", Type: framework.RealParam, Default: "0.5"},
	{Name: "scope", Type: framework.ChoiceParam, Default: "global", Choices: []string{"global", "local"}},
	{Name: "box_it", Type: framework.BoolParam, Default: "false"},
}}

func TestResolveParsesWhatIsGivenAndFillsInDefaults(t *testing.T) {
	got, err := description.Resolve(map[string]string{"size": "3", "box_it": "true"})
	if err != nil {
		t.Fatal(err)
	}
	want := framework.Params{"size": 3, "rate": 0.5, "scope": "global", "box_it": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Int("size") != 3 || got.Real("rate") != 0.5 || got.Text("scope") != "global" || !got.Bool("box_it") {
		t.Error("the typed getters differ from the values")
	}
}

func TestBadParametersAreFaultsThatSayWhatToDo(t *testing.T) {
	cases := map[string]struct {
		given map[string]string
		want  framework.Fault
	}{
		"unknown": {map[string]string{"size": "1", "sizes": "2"}, framework.Fault{Class: framework.Data, Code: "unknown-parameter",
			Summary: `algorithm toy has no parameter "sizes"`, Similar: "size", Hint: "sqlcluster plugin describe toy lists its parameters"}},
		"missing": {nil, framework.Fault{Class: framework.Usage, Code: "parameter-missing",
			Summary: "algorithm toy needs --size: how many", Hint: "give --size VALUE, or --param size=VALUE"}},
		"too large": {map[string]string{"size": "11"}, framework.Fault{Class: framework.Data, Code: "bad-parameter",
			Summary: `size is "11"; it must be between 1 and 10`, Where: "--size"}},
		"not whole": {map[string]string{"size": "1e1"}, framework.Fault{Class: framework.Data, Code: "bad-parameter",
			Summary: `size is "1e1"; it must be a whole number`, Where: "--size"}},
		"not a number": {map[string]string{"size": "1", "rate": "NaN"}, framework.Fault{Class: framework.Data, Code: "bad-parameter",
			Summary: `rate is "NaN"; it must be a number`, Where: "--rate"}},
		"no choice": {map[string]string{"size": "1", "scope": "all"}, framework.Fault{Class: framework.Data, Code: "bad-parameter",
			Summary: `scope is "all"; it must be one of global, local`, Where: "--scope"}},
		"no boolean": {map[string]string{"size": "1", "box_it": "perhaps"}, framework.Fault{Class: framework.Data, Code: "bad-parameter",
			Summary: `box_it is "perhaps"; it must be true or false`, Where: "--box-it"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := description.Resolve(c.given)
			if diff := cmp.Diff(&c.want, framework.AsFault(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestClosestFindsWhatWasMeantAndNothingFarOff(t *testing.T) {
	cases := map[string]string{"incom": "income", "INCOME": "income", "agee": "age", "xyzzyx": ""}
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
