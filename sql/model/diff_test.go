package model

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// twoFits are two fits whose rows have the keys 0, 1, 2 and so on.
type twoFits struct {
	params   [2]string
	labels   [2][]int32
	features [2][]result.Feature
	only     [2]int
}

func place(run string) int { return map[string]int{"first": 0, "second": 1}[run] }

func (t twoFits) LoadModel(_ context.Context, run string) (*result.Fit, error) {
	return &result.Fit{RunID: run, Params: t.params[place(run)], Model: "{}"}, nil
}

func (t twoFits) Overlap(context.Context, string, string) (*input.Overlap, error) {
	o := &input.Overlap{KeyNames: [2]string{"id", "id"}, Only: t.only}
	counts := map[[2]int32]int{}
	for i, j := range t.labels[0] {
		counts[[2]int32{j, t.labels[1][i]}]++
	}
	for of, n := range counts {
		o.Cells = append(o.Cells, input.TruthCell{Class: of[0], Cluster: of[1], Rows: n})
	}
	return o, nil
}

func (t twoFits) EachInBoth(_ context.Context, _, _ string, use func(any, int32, int32) error) error {
	for i, j := range t.labels[0] {
		if err := use(i, j, t.labels[1][i]); err != nil {
			return err
		}
	}
	return nil
}

func (t twoFits) Features(_ context.Context, run string) ([]result.Feature, error) {
	return t.features[place(run)], nil
}

func TestRowsMoveWhereTheirClustersAreNotMatched(t *testing.T) {
	// By hand: 0 is matched with 1 (rows 0 and 1) and 1 with 0 (rows 3 and 4); row 2 moves.
	// Row 5 has no cluster in the first fit, and row 6 none in the second.
	of := twoFits{params: [2]string{"{}", "{}"}, labels: [2][]int32{{0, 0, 0, 1, 1, -1, 1}, {1, 1, 0, 0, 0, 0, -1}}}
	d := must.Get(NewDiff(t.Context(), of, "first", "second", 9))(t)
	if d.Common != 7 || d.Labelled != 5 || d.Kept != 4 {
		t.Errorf("%d rows, %d with clusters, %d kept", d.Common, d.Labelled, d.Kept)
	}
	if diff := cmp.Diff([]MovedRow{{2, 0, 0}}, d.MovedRow); diff != "" {
		t.Error(diff)
	}
	want := []Overlapping{{0, 0, 1, false}, {0, 1, 2, true}, {1, 0, 2, true}, {1, -1, 1, false}, {-1, 0, 1, false}}
	if diff := cmp.Diff(want, d.Overlap); diff != "" {
		t.Error(diff)
	}
}

func TestRunsWithoutACommonRowStillDifferInSettings(t *testing.T) {
	of := twoFits{params: [2]string{`{"k": {"value": 3}, "seed": {"value": 18446744073709551615}, "loss": {"value": "l2"}}`,
		`{"k": {"value": 3}, "seed": {"value": 18446744073709551614}}`}, only: [2]int{4, 5}}
	d := must.Get(NewDiff(t.Context(), of, "first", "second", 1))(t)
	if !math.IsNaN(d.ARI) || !math.IsNaN(d.NMI) || d.Common != 0 {
		t.Errorf("%+v", d)
	}
	want := []SettingDiff{{"loss", [2]any{"l2", nil}}, {"seed", [2]any{"18446744073709551615", "18446744073709551614"}}}
	if diff := cmp.Diff(want, d.Settings); diff != "" {
		t.Error(diff)
	}
}

func TestFeaturesAreGainedAndLostByWhatIsSelected(t *testing.T) {
	feature := func(name string, selected *bool, rank int) result.Feature {
		return result.Feature{Feature: name, Cluster: -1, Selected: selected, Rank: rank}
	}
	of := twoFits{params: [2]string{"{}", "{}"}, features: [2][]result.Feature{
		{feature("a", new(true), 1), feature("b", new(true), 2), feature("c", new(false), 3), feature("d", new(false), 4)},
		{feature("e", nil, 0), feature("c", nil, 0), feature("a", nil, 0), feature("d", new(false), 1)}, // as of k-means, but d
	}}
	d := must.Get(NewDiff(t.Context(), of, "first", "second", 0))(t)
	var got []string
	for _, f := range d.Features {
		name := ""
		for _, one := range f.Of {
			if one != nil {
				name = one.Feature
			}
		}
		got = append(got, name+" "+f.Change)
	}
	if diff := cmp.Diff([]string{"c gained", "e gained", "b lost", "a both", "d neither"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAThousandClustersAreMatched(t *testing.T) {
	const k = 1000
	of := twoFits{params: [2]string{"{}", "{}"}}
	for i := range int32(5 * k) {
		of.labels[0], of.labels[1] = append(of.labels[0], i%k), append(of.labels[1], k-1-i%k)
	}
	if d := must.Get(NewDiff(t.Context(), of, "first", "second", 10))(t); d.Kept != 5*k || len(d.MovedRow) != 0 {
		t.Errorf("%d rows kept, %d moved", d.Kept, len(d.MovedRow))
	}
}
