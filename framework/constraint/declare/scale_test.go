package declare_test

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// amounts are 10 rows with a column of amounts that add up to 100, and one of three values.
func amounts() framework.LabelTable {
	return framework.LabelTable{N: 10, K: 2, Columns: []framework.LabelColumn{
		{Name: "kg", Numbers: []float64{1, 1, 1, 1, 1, 19, 19, 19, 19, 19}},
		{Name: "from", Codes: []int32{0, 0, 0, 0, 0, 0, 1, 1, -1, 2}, Values: []string{"a", "b", "c"}},
		{Name: "off", Numbers: []float64{-1, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
	}}
}

func TestLimitsOfSomeRowsArePartsOfThoseOfAll(t *testing.T) {
	kg, from, off := "kg", "from", "off"
	// By hand: rows 4 to 7 are 4 of 10 rows, have 1 + 3 · 19 = 58 of 100 kg, 2 of 6 rows of a, both of b and none of c.
	for name, c := range map[string]struct{ row, want framework.ConstraintRow }{
		"size": {framework.ConstraintRow{Kind: "size", Lo: new(3.0), Hi: new(6.0)}, framework.ConstraintRow{Kind: "size",
			Lo: new(1.0), Hi: new(3.0)}},
		"share": {framework.ConstraintRow{Kind: "share", Lo: new(0.45), Hi: new(0.5)}, framework.ConstraintRow{Kind: "size",
			Lo: new(2.0), Hi: new(2.0)}}, // 5 rows of 10
		"above all rows": {framework.ConstraintRow{Kind: "size", Hi: new(1e300)}, framework.ConstraintRow{Kind: "size", Hi: new(4.0)}},
		"capacity": {framework.ConstraintRow{Kind: "capacity", Feature: &kg, Lo: new(30.0), Hi: new(51.5)},
			framework.ConstraintRow{Kind: "capacity", Feature: &kg, Lo: new(-1.6), Hi: new(48.87)}},
		"signs": {framework.ConstraintRow{Kind: "capacity", Feature: &off, Hi: new(1.0)}, framework.ConstraintRow{Kind: "capacity",
			Feature: &off, Hi: new(0.4)}}, // rows 4 to 7 have none
		"one of a value": {framework.ConstraintRow{Kind: "unique_per", Feature: &from}, framework.ConstraintRow{Kind: "unique_per",
			Feature: &from, Hi: new(1.0)}},
		"some of a value": {framework.ConstraintRow{Kind: "unique_per", Feature: &from, Hi: new(3.0)},
			framework.ConstraintRow{Kind: "unique_per", Feature: &from, Hi: new(2.0)}},
		"shares of values": {framework.ConstraintRow{Kind: "balance", Feature: &from, Lo: new(0.12), Hi: new(0.8)},
			framework.ConstraintRow{Kind: "balance", Feature: &from, Lo: new(0.1), Hi: new(1.0)}}, // a: 0.5 of 0.6; b: 0.5 of 0.2
	} {
		t.Run(name, func(t *testing.T) {
			set := must.Get(declare.Labels([]framework.ConstraintRow{c.row}, amounts()))(t)
			got := must.Get(set.Scale([]int32{4, 5, 6, 7}, 2))(t).(*declare.LabelSet)
			must.Equal(t, []framework.ConstraintRow{c.want}, got.Rows)
			must.Equal(t, []float64{1, 19, 19, 19}, got.Table.Column("kg").Numbers)
			must.Equal(t, []int32{0, 0, 1, 1}, got.Table.Column("from").Codes)
			must.Equal(t, []string{"a", "b"}, got.Table.Column("from").Values)
		})
	}
}

func TestLimitsOfAnotherNumberOfClustersAreThoseThatAreDeclaredForIt(t *testing.T) {
	rows := []framework.ConstraintRow{{Kind: "size", Lo: new(3.0)}, {Kind: "share", Cluster: new(1), Hi: new(0.5)}}
	table := amounts()
	set := must.Get(declare.Labels(rows, table))(t)
	table.K = 3
	want, got := must.Get(declare.Labels(rows, table))(t), must.Get(set.Scale(nil, 3))(t)
	labels := []int32{0, 0, 0, 1, 1, 1, 2, 2, 2, 2}
	must.Equal(t, want.Limits(labels, nil), got.Limits(labels, nil), cmpopts.EquateNaNs())
	_, err := set.Scale(nil, 1)
	must.Fail(t, err, "bad-constraints: the constraints cannot be used: share: cluster is 1; it must be from 0 to 0")
	if same := must.Get(set.Scale(nil, 2))(t); same != framework.LabelSet(set) {
		t.Error("a set that stays as it is is made anew")
	}
}

// drawLimit draws a limit of 10 rows and 3 clusters.
func drawLimit(t *rapid.T, kind string, feature *string, table framework.LabelTable) *declare.LabelSet {
	r := framework.ConstraintRow{Kind: kind, Feature: feature}
	by := map[string]float64{"size": 1, "share": 0.1, "capacity": 1, "unique_per": 1, "balance": 0.1}[kind]
	if kind != "unique_per" {
		r.Lo = new(by * float64(rapid.IntRange(0, 10).Draw(t, "lo")))
	}
	if r.Hi = new(by * float64(rapid.IntRange(1, 10).Draw(t, "hi"))); r.Lo != nil && *r.Lo > *r.Hi {
		r.Lo, r.Hi = r.Hi, r.Lo
	}
	if kind == "capacity" && rapid.Bool().Draw(t, "one bound") { // with both, some rows may have no labels
		r.Lo = nil
	} else if kind == "capacity" {
		r.Hi = nil
	}
	return must.Get(declare.Labels([]framework.ConstraintRow{r}, table))(t)
}

func TestAnyRowsHaveLabelsWithinALimitOfRowsThatAllHaveLabelsWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n, k = 10, 3 // of up to 59049 labels, all are looked at
		table := framework.LabelTable{N: n, K: k, Columns: []framework.LabelColumn{{Name: "c", Values: []string{"a", "b", "c", "d"}}}}
		labels := make([]int32, n)
		for i := range labels {
			labels[i] = int32(rapid.IntRange(0, k-1).Draw(t, "label"))
			table.Columns[0].Codes = append(table.Columns[0].Codes, int32(rapid.IntRange(-1, 3).Draw(t, "value")))
			table.Columns[0].Numbers = append(table.Columns[0].Numbers, float64(rapid.IntRange(0, 4).Draw(t, "number"))/4)
		}
		var some []int32
		for i := range int32(n) {
			if rapid.Bool().Draw(t, "drawn") {
				some = append(some, i)
			}
		}
		if some == nil {
			some = []int32{0}
		}
		kind := rapid.SampledFrom([]string{"size", "share", "unique_per", "capacity", "balance"}).Draw(t, "kind")
		var feature *string
		if kind != "size" && kind != "share" {
			feature = new("c")
		}
		set := drawLimit(t, kind, feature, table)
		if set.Violation(labels) > 0 {
			return // these labels do not obey
		}
		all := make([]int32, n)
		for i := range all {
			all[i] = int32(i)
		}
		must.Equal(t, 0.0, must.Get(set.Scale(all, k))(t).Violation(labels)) // of all rows nothing is taken away
		err := must.Get(set.Scale(some, k))(t).Feasible(t.Context())
		if err != nil {
			t.Errorf("%v of %v: %v", some, labels, err)
		}
	})
}
