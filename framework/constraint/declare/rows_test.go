package declare_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// people are columns that have been centered and scaled.
func people() []framework.Column {
	return []framework.Column{{Name: "age", Location: 40, Scale: 10}, {Name: "income", Location: 3, Scale: 0.5},
		{Name: "visits", Location: -1, Scale: 4}}
}

// raw are the same columns, neither centered nor scaled.
func raw() []framework.Column {
	all := people()
	for l := range all {
		all[l].Location, all[l].Scale = 0, 1
	}
	return all
}

// outside returns by how much centers in original units violate the rows of one
// set, taken literally.
func outside(rows []framework.ConstraintRow, columns []framework.Column, y framework.Matrix) (worst float64) {
	broken := func(by float64) { worst = max(worst, by) }
	var sum, total, squares float64
	several := false
	for _, r := range rows {
		several = several || *at(r.Cluster, -1) != *at(rows[0].Cluster, -1)
	}
	limits := func() {
		for _, r := range rows {
			broken(sum - *at(r.Hi, math.Inf(1)))
			broken(sum - *at(r.Value, math.Inf(1)))
			broken(*at(r.Lo, math.Inf(-1)) - sum)
		}
	}
	for j := range y.Rows {
		if !several {
			sum = 0
		}
		total, squares = 0, 0
		last, spoken := math.Inf(-1), false
		for _, r := range rows {
			for l, c := range columns {
				if *at(r.Cluster, j) != j || *at(r.Feature, c.Name) != c.Name {
					continue
				}
				v := y.Row(j)[l]
				spoken = true
				switch r.Kind {
				case "box":
					broken(v - *at(r.Hi, math.Inf(1)))
					broken(*at(r.Lo, math.Inf(-1)) - v)
				case "nonnegative":
					broken(-v)
				case "fixed":
					broken(math.Abs(v - *r.Value))
				case "halfspace":
					sum += *r.Coef * v
				case "monotone": // the rows are in order
					broken(last - v)
					last = v
				case "simplex":
					total += v
					broken(-v)
				case "l1_ball":
					total += math.Abs(v)
				case "l2_ball":
					squares += v * v
				}
			}
		}
		switch {
		case !spoken:
		case rows[0].Kind == "simplex":
			broken(math.Abs(total - *rows[0].Value))
		case rows[0].Kind == "l1_ball":
			broken(total - *rows[0].Value)
		case rows[0].Kind == "l2_ball":
			broken(math.Sqrt(squares) - *rows[0].Value)
		case rows[0].Kind == "halfspace" && !several:
			limits()
		}
	}
	if rows[0].Kind == "halfspace" && several {
		limits()
	}
	return worst
}

// at returns p, or a pointer to the value that NULL means.
func at[T any](p *T, null T) *T {
	if p == nil {
		return &null
	}
	return p
}

// drawRows draws the rows of one set of a kind.
func drawRows(t *rapid.T, kind string, k int, columns []framework.Column) []framework.ConstraintRow {
	row := func() framework.ConstraintRow {
		r := framework.ConstraintRow{Kind: kind}
		if rapid.Bool().Draw(t, "a feature") {
			r.Feature = new(columns[rapid.IntRange(0, len(columns)-1).Draw(t, "feature")].Name)
		}
		return r
	}
	value := func(name string) *float64 { return new(float64(rapid.IntRange(-50, 50).Draw(t, name))) }
	size := new(float64(rapid.IntRange(0, 9).Draw(t, "size")))
	var rows []framework.ConstraintRow
	var cluster *int
	if rapid.Bool().Draw(t, "a cluster") {
		cluster = new(rapid.IntRange(0, k-1).Draw(t, "cluster"))
	}
	switch kind {
	case "monotone":
		for i, l := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "order")[:rapid.IntRange(2, 3).Draw(t, "features")] {
			rows = append(rows, framework.ConstraintRow{Kind: kind, Cluster: cluster, Feature: new(columns[l].Name), Value: new(float64(i) / 2)})
		}
		return rows
	case "halfspace":
		between := rapid.Bool().Draw(t, "between clusters")
		for i := range rapid.IntRange(1, 3).Draw(t, "terms") {
			r := row()
			if r.Cluster = cluster; between {
				r.Cluster = new(i % k)
			}
			r.Coef = new(float64(rapid.IntRange(1, 3).Draw(t, "coef")))
			rows = append(rows, r)
		}
		rows[0].Lo = new(float64(rapid.IntRange(-50, 0).Draw(t, "lo")))
		rows[0].Hi = new(float64(rapid.IntRange(0, 50).Draw(t, "hi")))
		return rows
	}
	for range rapid.IntRange(1, 3).Draw(t, "rows") {
		r := row()
		r.Cluster = cluster
		switch kind {
		case "box":
			r.Lo = value("lo")
			r.Hi = new(*r.Lo + float64(rapid.IntRange(0, 100).Draw(t, "width")))
		case "fixed":
			r.Value = value("value")
		case "simplex", "l1_ball", "l2_ball":
			r.Value = size
		}
		rows = append(rows, r)
		if kind == "simplex" || strings.HasSuffix(kind, "ball") {
			break // two rows of one feature would be added up
		}
	}
	return rows
}

func TestRowsMeanInTheFittedSpaceWhatTheySayInOriginalUnits(t *testing.T) {
	for _, kind := range declare.Kinds() {
		if kind == "sparsity" {
			continue // this kind has no units
		}
		t.Run(kind, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				k, columns := rapid.IntRange(1, 3).Draw(t, "k"), people()
				if kind == "simplex" || strings.HasSuffix(kind, "ball") {
					columns = raw()
				}
				rows := drawRows(t, kind, k, columns)
				d, err := declare.Rows(rapid.Permutation(rows).Draw(t, "shuffled"), framework.Problem{K: k, Columns: columns})
				if err != nil {
					discardExcluded(t, err)
				}
				x := framework.NewMatrix(k, len(columns))
				for i := range x.Data {
					x.Data[i] = math.Round(64*settest.Number(t, "x")) / 64 // inside, outside or exactly on the edge
				}
				original := func(m framework.Matrix) framework.Matrix {
					y := m.Clone()
					for i, v := range m.Data {
						y.Data[i] = columns[i%m.Cols].Location + v*columns[i%m.Cols].Scale
					}
					return y
				}
				if by := outside(rows, columns, original(x)); (by > 1e-9) != (d.Violation(x) > 1e-12) {
					t.Errorf("%s: %v breaks the rows by %g, and is %g from the set", show(rows), original(x).Data, by, d.Violation(x))
				}
				y := settest.Project(t, d, framework.Point{X: x})
				if by := outside(rows, columns, original(y)); by > 1e-9 {
					t.Errorf("%s: %v is projected to %v, which breaks the rows by %g", show(rows), original(x).Data, original(y).Data, by)
				}
				again, err := declare.Rows(rows, framework.Problem{K: k, Columns: columns})
				if err != nil || !settest.SameBits(settest.Project(t, again, framework.Point{X: x}), y) {
					t.Errorf("%s: another order of rows gives another set (%v)", show(rows), err)
				}
			})
		})
	}
}

// discardExcluded discards a draw of rows that no center satisfies, and fails for
// any other error.
func discardExcluded(t *rapid.T, err error) {
	f := framework.AsFault(err)
	if f == nil || !strings.Contains(err.Error()+strings.Join(f.Details, ""), "in common") {
		t.Fatal(err)
	}
	t.Skip("drawn bounds exclude each other")
}

func show(rows []framework.ConstraintRow) string { return cmp.Diff([]framework.ConstraintRow{}, rows) }

func TestDeclaredSparsityIsJointOrOfEachCenter(t *testing.T) {
	one := []framework.ConstraintRow{{Kind: "sparsity", Value: new(1.0)}}
	each := []framework.ConstraintRow{{Kind: "sparsity", Cluster: new(0), Value: new(1.0)}, {Kind: "sparsity", Cluster: new(1)}}
	for name, c := range map[string]struct {
		rows []framework.ConstraintRow
		want framework.Set
	}{"joint": {one, constraint.Sparsity{S: 1}}, "each": {each, constraint.Sparsity{S: 1, PerCenter: true}}} {
		d, err := declare.Rows(c.rows, framework.Problem{K: 2, Columns: people()})
		if err != nil || !cmp.Equal(d.Set, c.want) {
			t.Errorf("%s: got %v, %v, want %v", name, d, err, c.want)
		}
	}
}

func TestDeclaredSparsityCountsGroupsWhereThereAreSome(t *testing.T) {
	p := framework.Problem{K: 2, Columns: people(), Groups: []framework.Group{{Name: "a"}, {Name: "b"}}}
	group := []int{0, 1, 0}
	for l, g := range group {
		p.Columns[l].Group = g
	}
	rows := func(value float64, clusters ...*int) (all []framework.ConstraintRow) {
		for _, j := range clusters { // two names: the smaller set counts
			all = append(all, framework.ConstraintRow{Kind: "sparsity", Name: "most", Cluster: j, Value: new(2.0)},
				framework.ConstraintRow{Kind: "sparsity", Cluster: j, Value: new(value)})
		}
		return all
	}
	for name, c := range map[string]struct {
		rows []framework.ConstraintRow
		want framework.Set
	}{
		"joint": {rows(1, nil), constraint.Sparsity{S: 1, Groups: group}},
		"each":  {rows(1, new(0), new(1)), constraint.Sparsity{S: 1, PerCenter: true, Groups: group}},
	} {
		d := must.Get(declare.Rows(c.rows, p))(t)
		if diff := cmp.Diff(c.want, d.Set); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	want := "bad-constraints: the constraints cannot be used: " +
		"sparsity: value is 3; it must be a whole number from 1 to 2, the number of groups"
	_, err := declare.Rows(rows(3, nil), p)
	must.Fail(t, err, want)
}

func TestNoRowsDeclareNothing(t *testing.T) {
	if d, err := declare.Rows(nil, framework.Problem{K: 2, Columns: people()}); d != nil || err != nil {
		t.Errorf("got %v, %v", d, err)
	}
}

func TestAllThatIsWrongWithRowsIsReportedTogether(t *testing.T) {
	rows := []framework.ConstraintRow{
		{Kind: "boxx", Lo: new(1.0)},
		{Kind: "l1_bound", Value: new(1.0)},
		{Kind: "box", Name: "adults", Feature: new("agee"), Lo: new(18.0)},
		{Kind: "box", Name: "adults", Feature: new("Age"), Lo: new(18.0), Hi: new(1.0)},
		{Kind: "box", Name: "adults", Feature: new("income"), Coef: new(2.0)},
		{Kind: "box", Name: "adults", Cluster: new(3), Feature: new("income"), Lo: new(2.0)},
		{Kind: "box", Name: "adults", NoCluster: "0.5", Feature: new("income"), Lo: new(2.0)},
		{Kind: "box", Name: "rich", Feature: new("income"), Lo: new(math.NaN())},
		{Kind: "fixed", Feature: new("income")},
		{Kind: "fixed", Feature: new("age"), Value: new(math.Inf(1))},
		{Kind: "halfspace", Name: "no limit", Feature: new("age"), Coef: new(1.0)},
		{Kind: "halfspace", Name: "no coefficient", Feature: new("age"), Hi: new(1.0)},
		{Kind: "halfspace", Name: "two limits", Feature: new("age"), Coef: new(1.0), Hi: new(1.0)},
		{Kind: "halfspace", Name: "two limits", Feature: new("income"), Coef: new(1.0), Hi: new(2.0)},
		{Kind: "halfspace", Name: "mixed", Feature: new("age"), Cluster: new(0), Coef: new(1.0), Hi: new(2.0)},
		{Kind: "halfspace", Name: "mixed", Feature: new("age"), Coef: new(1.0)},
		{Kind: "l2_ball", Value: new(1.0)},
		{Kind: "monotone", Feature: new("age"), Value: new(1.0)},
		{Kind: "sparsity", Value: new(2.5)},
	}
	want := []string{
		`box "adults", feature age: lo is 18, above hi, which is 1`,
		`box "adults", feature agee: there is no such feature; did you mean age`,
		`box "adults", feature income: box has no use for coef, which is 2: it must be NULL`,
		`box "adults", feature income: cluster is 0.5; it must be a whole number from 0 to 1`,
		`box "adults", feature income: cluster is 3; it must be from 0 to 1`,
		`box "rich", feature income: lo is NaN`,
		`boxx: there is no such kind; did you mean box`,
		`fixed, feature age: value is +Inf; it must be finite`,
		`fixed, feature income: value is NULL; it must be the number that the feature is fixed to`,
		`halfspace "mixed": some rows name a cluster and others do not: ` +
			`an inequality of every cluster names none, one between clusters names one in each row`,
		`halfspace "no coefficient": coef is NULL in a row`,
		`halfspace "no limit": hi (the upper limit of the sum), lo (the lower limit) and value (the same as hi) are NULL in all rows; ` +
			`one of them is needed`,
		`halfspace "two limits": hi is 1 in one row and 2 in another; the rows of one set must agree (sets of the same kind need names)`,
		`l1_bound: it bounds feature weights, not centers: it is a parameter of algorithms that have feature weights`,
		`l2_ball: age is centered or scaled, which would change the shape of the l2_ball: use scale = raw, which leaves columns as they are`,
		`monotone: an order needs at least two features`,
		`sparsity: value is 2.5; it must be a whole number from 1 to 3`,
	}
	_, err := declare.Rows(rows, framework.Problem{K: 2, Columns: people()})
	f := framework.AsFault(err)
	if f == nil || f.Code != "bad-constraints" || f.Where != framework.Setting("constraints") {
		t.Fatalf("got %v", err)
	}
	must.Equal(t, want, f.Render(nil).Details)
}

func TestRowsThatExcludeEachOtherAreToldInOriginalUnits(t *testing.T) {
	cases := map[string]struct {
		rows []framework.ConstraintRow
		want string
	}{
		"two boxes": {[]framework.ConstraintRow{
			{Kind: "box", Name: "adults", Feature: new("age"), Lo: new(18.0)},
			{Kind: "box", Name: "children", Cluster: new(1), Feature: new("age"), Hi: new(12.0)}},
			`empty-set: box "children" asks for age from -Inf to 12 in cluster 1, but box "adults" asks for 18 to +Inf`},
		"a sum beyond bounds": {[]framework.ConstraintRow{
			{Kind: "box", Feature: new("age"), Lo: new(18.0)},
			{Kind: "box", Feature: new("income"), Lo: new(1.0)},
			{Kind: "halfspace", Name: "budget", Feature: new("age"), Coef: new(1.0), Hi: new(17.0)},
			{Kind: "halfspace", Name: "budget", Feature: new("income"), Coef: new(2.0)}},
			`empty-set: no center is in both the bounds and halfspace "budget": the smallest sum that they allow is 3 above its limit`},
		"an order against bounds": {[]framework.ConstraintRow{
			{Kind: "box", Feature: new("income"), Lo: new(50.0)},
			{Kind: "box", Feature: new("age"), Hi: new(49.0)},
			{Kind: "monotone", Feature: new("income"), Value: new(1.0)},
			{Kind: "monotone", Feature: new("age"), Value: new(2.0)}},
			`empty-set: no center is in both the bounds and monotone: income must be at least 50, and age, which comes later, at most 49`},
		"one row alone": {[]framework.ConstraintRow{{Kind: "halfspace", Feature: new("age"), Coef: new(0.0), Hi: new(-1.0)}},
			`bad-constraints: the constraints cannot be used: ` +
				`halfspace: the half-space is empty: no center has a sum of at most -1 with these coefficients`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := declare.Rows(c.rows, framework.Problem{K: 2, Columns: people()})
			must.Fail(t, err, c.want)
		})
	}
}

func TestInfiniteLimitsAreLeftOutOfJSON(t *testing.T) {
	low, least, most := 600.0, math.Inf(-1), math.Inf(1)
	for want, r := range map[string]framework.ConstraintRow{
		`{"kind":"box","lo":600}`:    {Kind: "box", Lo: &low, Hi: &most},
		`{"kind":"box","hi":600}`:    {Kind: "box", Lo: &least, Hi: &low},
		`{"kind":"l2_ball"}`:         {Kind: "l2_ball", Value: &most},
		`{"kind":"fixed","value":0}`: {Kind: "fixed", Value: new(0.0)},
	} {
		got, err := json.Marshal([]framework.ConstraintRow{r})
		if err != nil || string(got) != "["+want+"]" {
			t.Errorf("got %s and %v, want %s", got, err, want)
		}
	}
}
