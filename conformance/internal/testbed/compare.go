package testbed

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// Difference says where two models differ, bit for bit; "" if they do not.
func Difference(a, b *framework.Model) string {
	type pair struct {
		name string
		a, b []float64
	}
	lists := []pair{{"centers", a.Centers.Data, b.Centers.Data}, {"feature weights", a.FeatureWeights, b.FeatureWeights},
		{"gains", a.Gain, b.Gain}}
	for name := range a.Aux {
		lists = append(lists, pair{"aux " + name, a.Aux[name], b.Aux[name]})
	}
	for _, l := range lists {
		if len(l.a) != len(l.b) {
			return fmt.Sprintf("%d and %d %s", len(l.a), len(l.b), l.name)
		}
		if i := judge.Differ(l.a, l.b); i >= 0 {
			return fmt.Sprintf("%s: entry %d is %v and %v", l.name, i, l.a[i], l.b[i])
		}
	}
	if !slices.Equal(a.Selected, b.Selected) {
		return fmt.Sprintf("selected: %v and %v", a.Selected, b.Selected)
	}
	if a.Round != b.Round || len(a.Aux) != len(b.Aux) {
		return fmt.Sprintf("round %d and %d, %d and %d aux", a.Round, b.Round, len(a.Aux), len(b.Aux))
	}
	return ""
}

// SameModel fails if two models differ, bit for bit.
func (b *Bed) SameModel(got, want *framework.Model, format string, args ...any) {
	if d := Difference(got, want); d != "" {
		b.Failf(format+": %s", append(args, d)...)
	}
}

// SameLabels fails if two lists of labels differ.
func (b *Bed) SameLabels(got, want []int32, format string, args ...any) {
	for i, j := range got {
		if j != want[i] {
			b.Failf(format+": row %d has label %d, and not %d", append(args, i, j, want[i])...)
		}
	}
}

// SameStats fails if statistics differ by more than the rounding of their sums,
// which is relative to the sum of the absolute contributions of the rows. Of many
// rows it looks at some.
func (b *Bed) SameStats(got, want framework.Stats, labels []int32, format string, args ...any) {
	magnitude, one := framework.NewStats(b.Plan.Stats), framework.NewStats(b.Plan.Stats)
	every := 1 + b.N/32
	for i := range b.Data.Blocks() {
		block := b.Data.Block(i)
		for r := 0; r < block.X.Rows; r += every {
			only := Nobody(block.X.Rows)
			only[r] = labels[block.Row0+r]
			one.Zero()
			b.OK(b.Clusterer.Collect(block, nil, only, one), "Collect")
			for t, v := range one {
				for e, x := range v {
					magnitude[t][e] += float64(every) * math.Abs(x)
				}
			}
		}
	}
	for t, v := range got {
		rest := judge.Largest(magnitude[t])
		for e, x := range v {
			if d := math.Abs(x - want[t][e]); !(d <= 1e-12*(magnitude[t][e]+rest)) {
				b.Failf(format+": entry %d of %q is %v, and not %v", append(args, e, b.Plan.Stats[t].Name, x, want[t][e])...)
			}
		}
	}
}

// SameResults fails if two results differ in any bit, apart from which worker did
// what.
func (b *Bed) SameResults(got, want *fit.Result, what string) {
	b.SameModel(got.Model, want.Model, "%s the model differs", what)
	b.SameLabels(got.Labels, want.Labels, "%s labels differ", what)
	for _, v := range [][2]float64{{got.Objective, want.Objective}, {got.Inertia, want.Inertia}} {
		if !judge.SameBits(v[0], v[1]) {
			b.Failf("%s the objective or inertia is %v, and not %v", what, v[0], v[1])
		}
	}
	if judge.Differ(got.Distance, want.Distance) >= 0 || judge.Differ(got.Margin, want.Margin) >= 0 || !slices.Equal(got.Second, want.Second) {
		b.Failf("%s the distances of rows differ", what)
	}
	if !slices.EqualFunc(got.Trace, want.Trace, func(a, b fit.Iteration) bool {
		same := judge.SameBits(a.Objective, b.Objective)
		a.Objective, b.Objective = 0, 0
		return same && a == b
	}) {
		b.Failf("%s the traces differ: %v, and not %v", what, got.Trace, want.Trace)
	}
}

// Near fails if two lists differ by more than rounding.
func (b *Bed) Near(got, want []float64, what string) {
	if len(got) != len(want) {
		b.Failf("%s: %d and %d numbers", what, len(got), len(want))
	}
	scale := max(judge.Largest(want), b.Extent())
	for i, v := range got {
		if d := math.Abs(v - want[i]); !(d <= 1e-9*scale) {
			b.Failf("%s: entry %d is %v, and %v", what, i, v, want[i])
		}
	}
}
