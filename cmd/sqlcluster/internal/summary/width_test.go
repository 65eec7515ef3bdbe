package summary

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/result"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// A terminal is one of some width; 0 stands for none.
type terminal struct {
	strings.Builder
	width int
}

func (t *terminal) Width() int { return t.width }

// summaryOf returns the summary of a fit of one feature with k clusters.
func summaryOf(t *testing.T, k, width int, set flags.Values) string {
	t.Helper()
	out := &terminal{width: width}
	w := &Writer{Out: out, Err: &strings.Builder{}, Flags: &set}
	r := &result.Tables{Features: []result.Feature{{Feature: "petal_length", Cluster: -1, Weight: math.NaN(), Gain: 2.5, Rank: 1,
		Selected: new(true)}}}
	for j := range k {
		r.Clusters = append(r.Clusters, result.Cluster{Cluster: j, Size: 1})
		r.Centers = append(r.Centers, result.Center{Cluster: j, Feature: "petal_length", Center: 1000 + float64(j)})
	}
	b := &job.Job{Algorithm: library.Algorithm{Description: framework.Description{Name: "skfr"}}, Problem: framework.Problem{K: k, P: 1, N: k},
		Recipe: matrix.Recipe{Features: []matrix.Feature{{Name: "petal_length"}}}, Table: &input.Table{Features: []string{"petal_length"}}}
	must.Do(t, w.ShowFit(b, &job.Fitted{Result: &fit.Result{Converged: true}}, r))
	return out.String()
}

func TestATerminalHasAsManyCentersAsFit(t *testing.T) {
	for width, want := range map[int]string{
		80: `feature       gain  center 0  center 1  center 2  center 3  center 4  center 5
────────────────────────────────────────────────────────────────────────────────
petal_length   2.5      1000      1001      1002      1003      1004      1005
… and 6 more columns, center 6 to center 11:
sqlcluster show 'my run' centers --db my.duckdb
`,
		0: "feature       gain\n────────────────────\npetal_length   2.5\n", // as many lines of a file as before, and no wider
	} {
		if got := summaryOf(t, 12, width, flags.Values{Output: "table", Into: "my run", DB: "my.duckdb"}); !strings.Contains(got, want) {
			t.Errorf("%d: %s", width, got)
		}
	}
	if got := summaryOf(t, 9, 60, flags.Values{Output: "table"}); !strings.Contains(got,
		"center 4 to center 8:\n--db FILE --into NAME keeps them for sqlcluster show NAME centers --db FILE\n") {
		t.Error(got)
	}
}

func TestFeaturesAreShownWithoutColumnsThatHaveNoValue(t *testing.T) {
	table := func(rows ...[]any) render.Table {
		each := func(use func(row []any) error) error {
			for _, row := range rows {
				if err := use(row); err != nil {
					return err
				}
			}
			return nil
		}
		out, err := WithValues(render.Table{Columns: []string{"feature", "category", "gain"}, Each: each})
		if err != nil {
			t.Errorf("%v: %v", rows, err)
		}
		return out
	}
	some := table([]any{"a", nil, nil}, []any{"b", nil, 1.5})
	must.Equal(t, "[feature gain] [[a <nil>] [b 1.5]]", fmt.Sprint(some.Columns, some.Rows))
	if none := table(); len(none.Columns) != 3 {
		t.Errorf("of a table without rows the columns are all that there is: %v", none.Columns)
	}
}

func TestBarsGiveWayToColumnsThatSaySomething(t *testing.T) {
	with := summaryOf(t, 5, 83, flags.Values{Output: "table"}) // 14+6+12 and five centers of 10: a gap behind each
	without := summaryOf(t, 5, 80, flags.Values{Output: "table"})
	for _, c := range []struct{ text, want string }{
		{with, "petal_length   2.5  ██████████      1000      1001      1002      1003      1004\n"},
		{without, "petal_length   2.5      1000      1001      1002      1003      1004\n"},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Error(c.text)
		}
	}
}
