package labelset_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestContradictionsWithLabelsThatAreHeldAreFoundAndNameWhatIsNeeded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := framework.ExampleTable()
		lines := drawLines(t, []string{"size", "share", "unique_per", "capacity", "balance"})
		held := make([]int32, table.N)
		for i := range held {
			held[i] = rapid.SampledFrom([]int32{-1, -1, 0, 1, 2}).Draw(t, "held")
		}
		some := func(lines []string, held []int32) (some bool) {
			if len(lines) == 0 {
				return true
			}
			set := declared(t, table, lines...)
			brute(table.N, table.K, func(labels []int32) {
				for i, j := range held {
					if j >= 0 && labels[i] != j {
						return
					}
				}
				some = some || set.Violation(labels) == 0
			})
			return some
		}
		set := declared(t, table, lines...)
		err := set.(constraint.Holder).FeasibleWith(t.Context(), held)
		if want := some(lines, held); want != (err == nil) {
			t.Fatalf("%q with %v: some obey: %t, and it says %v", lines, held, want, err)
		}
		if err == nil {
			return
		}
		f := must.Fault(t, err, "infeasible-labels")
		if byLabels := strings.Contains(f.Summary, "certain"); byLabels && len(lines) == 1 && !some(lines, nil) {
			t.Fatalf("%q: labels are named, and without them none obey either", lines)
		} else if !byLabels && some(lines, nil) {
			t.Fatalf("%q with %v: labels are not named, and without them some obey", lines, held)
		}
	})
}

func TestLimitsOfNamedClustersCountTogether(t *testing.T) {
	// 18 rows, which are too many to look at all labels: each counts 1 in q, and each third has the same value of g.
	q, g := slices.Repeat([]float64{1}, 18), make([]float64, 18)
	for i := range g {
		g[i] = float64(i % 3)
	}
	columns := []framework.LabelColumn{framework.NewLabelColumn("q", q), framework.NewLabelColumn("g", g)}
	of := framework.LabelTable{N: 18, K: 2, Columns: columns}
	for text, want := range map[string]bool{
		"capacity 1 q - 10, capacity 0 q - 5":     false, // 15 of 18
		"capacity 1 q - 10, capacity 0 q - 8":     true,
		"capacity 0 q 5 -, capacity 0 q - 4":      false,
		"capacity 0 q 19 -":                       false,
		"capacity 0 q 10 -, capacity 1 q 9 -":     false, // 19 of 18
		"balance 0 g 0.34 -, balance 1 g 0.34 -":  false, // three values of more than a third: no rows
		"balance 0 g 0.34 -":                      true,  // all rows are in the other
		"balance 0 g 0.34 -, size 0 - 1 -":        false,
		"balance 0 g - 0.33, balance - g - 0.333": false, // three values of less than a third
		"balance 0 g - 0.33, size 1 - - 17":       false,
		"balance 0 g 0.3 -, balance 1 g 0.3 -":    true,
		"balance 0 g 0.34 -, capacity 1 q - 17":   false,
	} {
		set := declared(t, of, strings.Split(text, ", ")...)
		err := set.Feasible(t.Context())
		if _, undecided := err.(framework.Undecided); undecided != want {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if !want {
			must.Fault(t, err, "infeasible-labels")
			continue
		}
		labels := slices.Repeat([]int32{-1}, 18)
		must.Get(set.Project(t.Context(), labels, blobs(1, 18, 2)))(t)
		must.Equal(t, 0.0, set.Violation(labels))
	}
}
