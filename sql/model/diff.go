package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// A DiffSource reads what two runs have in common.
type DiffSource interface {
	Runs
	Overlap(ctx context.Context, first, second string) (*input.Overlap, error)
	EachInBoth(ctx context.Context, first, second string, use func(key any, first, second int32) error) error
	Features(ctx context.Context, run string) ([]result.Feature, error)
}

// A Diff says in what two fits differ. Pairs of values are those of the first and of
// the second.
type Diff struct {
	Runs     [2]string
	Key      string // column that rows are found by
	Common   int    // rows that both have
	Only     [2]int // rows that one has alone
	Labelled int    // rows of Common that have a cluster in both
	Kept     int    // rows of Labelled whose clusters are matched
	ARI, NMI float64
	Overlap  []Overlapping // by clusters, those without one last
	Features []FeatureDiff
	Settings []SettingDiff // by name
	Data     []SettingDiff // what is known of the rows: also what is equal
	MovedRow []MovedRow    // the first of them, by key
	Notes    []string
}

// An Overlapping is a number of rows by cluster in each of the fits, −1 for none.
type Overlapping struct {
	First, Second int32
	Rows          int
	Matched       bool // the clusters are a pair of score.Table.Matches
}

// A FeatureDiff is a feature in each of the fits, nil where it is not fitted.
type FeatureDiff struct {
	Change string // Gained, Lost, Both or Neither
	Of     [2]*result.Feature
}

// What becomes of a feature that is used: selected, or fitted by an algorithm that
// selects nothing.
const (
	Gained  = "gained"
	Lost    = "lost"
	Both    = "both"
	Neither = "neither"
)

// A SettingDiff is a setting with its values; nil: it has none.
type SettingDiff struct {
	Name   string
	Values [2]any
}

// A MovedRow is a row whose clusters are not matched.
type MovedRow struct {
	Key           any
	First, Second int32
}

// NewDiff compares two fits, and lists at most some of the rows that have moved.
func NewDiff(ctx context.Context, src DiffSource, first, second string, rows int) (*Diff, error) {
	if rows < 0 {
		return nil, framework.Faultf(framework.Usage, "bad-flag", "%s is %d; it must not be negative", framework.Setting("rows"), rows).At("rows")
	}
	d := &Diff{Runs: [2]string{first, second}}
	var fits [2]*result.Fit
	var features [2][]result.Feature
	for i, run := range d.Runs {
		fit, err := src.LoadModel(ctx, run)
		if err != nil {
			return nil, err
		}
		if fit.StopReason == result.Unfinished {
			return nil, Unfinished(run)
		}
		if fit.IsPath() {
			return nil, framework.Faultf(framework.Data, "run-is-a-path", "run %q is no single fit", run).
				WithHint("fit one of its values, and compare that")
		}
		fits[i] = fit
		if features[i], err = src.Features(ctx, run); err != nil {
			return nil, err
		}
	}
	o, err := src.Overlap(ctx, first, second)
	if err != nil {
		return nil, err
	}
	pairs := d.labels(o)
	d.features(features)
	if err := d.settings(fits); err != nil {
		return nil, err
	}
	d.data(fits, o)
	return d, d.moved(ctx, src, pairs, rows)
}

// labels compares the clusters of rows. It returns the clusters of the second fit that
// those of the first are matched with.
func (d *Diff) labels(o *input.Overlap) map[int32]int32 {
	d.Only, d.Key = o.Only, o.KeyNames[0]
	var counts score.Counts
	for _, c := range o.Cells {
		d.Common += c.Rows
		counts.Add(c.Class, c.Cluster, c.Rows)
	}
	t, pairs := counts.Table(), map[int32]int32{}
	d.Labelled, d.ARI, d.NMI = t.Rows(), math.NaN(), math.NaN()
	if d.Labelled > 0 {
		d.ARI, d.NMI = t.ARI(), t.NMI(score.Arithmetic)
	}
	for _, m := range t.Matches() {
		pairs[m.Class] = m.Cluster
		d.Kept += m.Rows
	}
	for _, c := range o.Cells {
		to, ok := pairs[c.Class]
		d.Overlap = append(d.Overlap, Overlapping{c.Class, c.Cluster, c.Rows, ok && to == c.Cluster})
	}
	slices.SortFunc(d.Overlap, func(x, y Overlapping) int { // as unsigned numbers, −1 is the last
		return cmp.Or(cmp.Compare(uint32(x.First), uint32(y.First)), cmp.Compare(uint32(x.Second), uint32(y.Second)))
	})
	switch {
	case d.Common == 0:
		d.Notes = append(d.Notes, "the runs have no row in common, so that their clusters cannot be compared")
	case d.Labelled == 0:
		d.Notes = append(d.Notes, "no row has a cluster in both runs, so that their clusters cannot be compared")
	case d.Labelled < d.Common:
		d.Notes = append(d.Notes, input.Counted(d.Common-d.Labelled, "row has",
			"rows have")+" no cluster in one of the runs, and cannot have moved")
	}
	if o.KeyNames[0] != o.KeyNames[1] {
		d.Notes = append(d.Notes, "the keys have different names, "+o.KeyNames[0]+" and "+o.KeyNames[1]+
			": equal values are taken to be the same row")
	} else if d.Key == input.RowNumber {
		d.Notes = append(d.Notes, "the runs have no keys: rows of the same number are taken to be the same row")
	}
	return pairs
}

// features puts the features of the same name together, those that are gained and lost
// first, and then by rank.
func (d *Diff) features(of [2][]result.Feature) {
	type name struct{ feature, category string }
	nameOf := func(f result.Feature) name {
		if f.Category == nil {
			return name{f.Feature, "\x00"} // which no category is
		}
		return name{f.Feature, *f.Category}
	}
	place := map[name]int{}
	for i, features := range of {
		for _, f := range features {
			at, met := place[nameOf(f)]
			if !met {
				at = len(d.Features)
				place[nameOf(f)] = at
				d.Features = append(d.Features, FeatureDiff{})
			}
			d.Features[at].Of[i] = &f
		}
	}
	used := func(f *result.Feature) bool { return f != nil && (f.Selected == nil || *f.Selected) }
	for i := range d.Features {
		f := &d.Features[i]
		f.Change = map[[2]bool]string{{true, true}: Both, {true, false}: Lost, {false, true}: Gained, {false, false}: Neither}[[2]bool{
			used(f.Of[0]), used(f.Of[1])}]
	}
	order := []string{Gained, Lost, Both, Neither}
	rank := func(f *result.Feature) int {
		if f == nil || f.Rank == 0 {
			return math.MaxInt
		}
		return f.Rank
	}
	slices.SortStableFunc(d.Features, func(x, y FeatureDiff) int {
		return cmp.Or(cmp.Compare(slices.Index(order, x.Change), slices.Index(order, y.Change)),
			cmp.Compare(min(rank(x.Of[0]), rank(x.Of[1])), min(rank(y.Of[0]), rank(y.Of[1]))))
	})
}

// Changed counts the features of a change.
func (d *Diff) Changed(change string) (n int) {
	for _, f := range d.Features {
		if f.Change == change {
			n++
		}
	}
	return n
}

// settings lists those that are recorded with different values.
func (d *Diff) settings(fits [2]*result.Fit) error {
	all := map[string][2]any{}
	for i, fit := range fits {
		var recorded map[string]struct{ Value json.RawMessage }
		if err := json.Unmarshal([]byte(fit.Params), &recorded); err != nil {
			return Damaged(d.Runs[i], err)
		}
		set := func(name string, value any) {
			both := all[name]
			both[i] = value
			all[name] = both
		}
		for name, g := range recorded {
			var text string
			if json.Unmarshal(g.Value, &text) != nil {
				text = string(g.Value) // a large seed keeps all its digits
			}
			set(name, text)
		}
		set("version", fit.Version)
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if values := all[name]; values[0] != values[1] {
			d.Settings = append(d.Settings, SettingDiff{name, values})
		}
	}
	return nil
}

// data says what is known of the rows. The fingerprint of the data is a part of the id
// of a run, with the settings, so that it can only be compared where these are equal.
func (d *Diff) data(fits [2]*result.Fit, o *input.Overlap) {
	add := func(name string, first, second any) {
		d.Data = append(d.Data, SettingDiff{name, [2]any{first, second}})
	}
	add("relation", fits[0].Source, fits[1].Source)
	add("rows", fits[0].N, fits[1].N)
	add("features", fits[0].P, fits[1].P)
	add("rows_alone", o.Only[0], o.Only[1])
	alone, other := [2]int{}, 0
	for _, f := range d.Features {
		switch {
		case f.Of[1] == nil:
			alone[0]++
		case f.Of[0] == nil:
			alone[1]++
		case f.Of[0].Location != f.Of[1].Location || f.Of[0].Scale != f.Of[1].Scale:
			other++
		}
	}
	add("features_alone", alone[0], alone[1])
	if other > 0 {
		add("features_scaled_otherwise", other, other)
	}
	add("run_id", fits[0].RunID, fits[1].RunID)
	sameID := fits[0].RunID == fits[1].RunID
	differ := func(name string) bool {
		return slices.ContainsFunc(d.Settings, func(s SettingDiff) bool { return s.Name == name })
	}
	scaled := other > 0 && !differ("norm") && !differ("scale") && !differ("center") && !differ("weight")
	switch {
	case sameID:
		d.Notes = append(d.Notes, "the runs have the same id: equal settings and equal data")
	case len(d.Settings) == 0:
		d.Notes = append(d.Notes, "the settings are equal and the ids are not: the data differ (rows, values or what stands beside the relation)")
	case scaled || o.Only != [2]int{}:
		d.Notes = append(d.Notes, "the data differ")
	case other == 0 && alone == [2]int{}:
		d.Notes = append(d.Notes, "no difference of the data is seen: the same rows, and features of the same location and scale")
	}
}

// errEnough ends the reading of rows.
var errEnough = errors.New("enough rows")

// moved lists the first rows that have moved.
func (d *Diff) moved(ctx context.Context, src DiffSource, pairs map[int32]int32, most int) error {
	most = min(most, d.Labelled-d.Kept)
	if most == 0 {
		return nil
	}
	err := src.EachInBoth(ctx, d.Runs[0], d.Runs[1], func(key any, first, second int32) error {
		if to, ok := pairs[first]; first >= 0 && second >= 0 && (!ok || to != second) {
			d.MovedRow = append(d.MovedRow, MovedRow{key, first, second})
		}
		if len(d.MovedRow) == most {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}
