package constraint_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// drawGroups draws the group of each of p columns; some groups may have none.
func drawGroups(t *rapid.T, p int) []int {
	group := make([]int, p)
	for l := range group {
		group[l] = rapid.IntRange(0, p-1).Draw(t, "group")
	}
	return group
}

// topGroups returns both sparsities of groups, by name.
func topGroups(s int, group []int) map[string]framework.Set {
	return map[string]framework.Set{"joint": constraint.Sparsity{S: s, Groups: group},
		"of each center": constraint.Sparsity{S: s, PerCenter: true, Groups: group}}
}

func TestKeptGroupsAreTheBestOfAllChoicesOfGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.WholePoint(t) // whole numbers: sums are exact
		p := at.X.Cols
		group, s := drawGroups(t, p), rapid.IntRange(0, at.X.Cols).Draw(t, "s")
		best := func(rows framework.Point) float64 { // for rows that keep the same groups
			return settest.BestChoice(1<<p, func(keep int) bool { return settest.Count(uint(keep)) <= s }, func(keep int) float64 {
				z := rows.X.Clone()
				for i := range z.Data {
					if keep>>group[i%p]&1 == 0 {
						z.Data[i] = 0
					}
				}
				return settest.SquaredDistance(rows, z)
			})
		}
		want := map[string]float64{"joint": best(at)}
		for j := range at.X.Rows {
			want["of each center"] += best(framework.Point{X: at.X.Slice(j, j+1), RowMass: at.RowMass[j : j+1]})
		}
		for name, set := range topGroups(s, group) {
			y := settest.Project(t, set, at)
			if got := settest.SquaredDistance(at, y); got != want[name] {
				t.Errorf("%+v keeps %v of %v: squared distance %g, but %g is possible", set, y.Data, at.X.Data, got, want[name])
			}
			if v := set.Violation(y); v != 0 {
				t.Errorf("%+v: %v is outside by %g", set, y.Data, v)
			}
		}
	})
}

func TestAGroupIsKeptByItsGainsWhatTheyAreOf(t *testing.T) {
	// Gains in place of masses, as for medians and observed cells.
	rapid.Check(t, func(t *rapid.T) {
		at := settest.WholePoint(t)
		k, p := at.X.Rows, at.X.Cols
		at.Gain = make([]float64, k*p)
		for i := range at.Gain {
			at.Gain[i] = float64(rapid.IntRange(0, 4).Draw(t, "gain"))
		}
		group, s := drawGroups(t, p), rapid.IntRange(0, p).Draw(t, "s")
		kept := func(keep []bool, from, rows int) (sum float64) {
			for i, g := range at.Gain[from*p : (from+rows)*p] {
				if keep[i%len(keep)] {
					sum += g
				}
			}
			return sum
		}
		most := func(from, rows int) float64 {
			return -settest.BestChoice(1<<p, func(c int) bool { return settest.Count(uint(c)) <= s }, func(c int) float64 {
				keep := make([]bool, p)
				for l, g := range group {
					keep[l] = c>>g&1 == 1
				}
				return -kept(keep, from, rows)
			})
		}
		joint := constraint.Sparsity{S: s, Groups: group}.Kept(at)
		if got, want := kept(joint, 0, k), most(0, k); got != want {
			t.Errorf("gains %v, groups %v, s = %d: a gain of %g is kept, but %g is possible", at.Gain, group, s, got, want)
		}
		each := constraint.Sparsity{S: s, PerCenter: true, Groups: group}.Kept(at)
		for j := range k {
			if got, want := kept(each[j*p:(j+1)*p], j, 1), most(j, 1); got != want {
				t.Errorf("gains %v, groups %v, s = %d: center %d keeps a gain of %g, but %g is possible", at.Gain, group, s, j, got, want)
			}
		}
	})
}

func TestGroupsOfOneColumnAreColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.At(t) // rounded sums, and masses of columns
		group := settest.Indices(at.X.Cols)
		s := rapid.IntRange(0, at.X.Cols).Draw(t, "s")
		single := map[string]framework.Set{"joint": constraint.Sparsity{S: s}, "of each center": constraint.Sparsity{S: s, PerCenter: true}}
		for name, set := range topGroups(s, group) {
			if a, b := settest.Project(t, set, at), settest.Project(t, single[name], at); !settest.SameBits(a, b) {
				t.Errorf("%s, %v: groups of one keep %v, columns %v", name, at.X.Data, a.Data, b.Data)
			}
		}
	})
}

func TestTheOrderOfGroupsDecidesTiesOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.WholePoint(t) // whole numbers: equal gains are equal
		p := at.X.Cols
		group, s := drawGroups(t, p), rapid.IntRange(0, at.X.Cols).Draw(t, "s")
		order := rapid.Permutation(settest.Indices(p)).Draw(t, "order")
		renamed := make([]int, p)
		for l, g := range group {
			renamed[l] = order[g]
		}
		other := topGroups(s, renamed)
		for name, set := range topGroups(s, group) {
			a, b := settest.Project(t, set, at), settest.Project(t, other[name], at)
			if settest.SquaredDistance(at, a) != settest.SquaredDistance(at, b) {
				t.Errorf("%s: groups %v keep %v of %v, but %v keep %v", name, group, a.Data, at.X.Data, renamed, b.Data)
			}
		}
	})
}

func TestOfEqualGroupsTheLowerIsKept(t *testing.T) {
	keep := make([]bool, 5)
	// Groups 0, 1 and 2 have gains of 1 + 2, 3 and 2 + 1: three equal sums, two places.
	constraint.Sparsity{S: 2, Groups: []int{0, 2, 1, 0, 2}}.Select(keep, []float64{1, 2, 3, 2, 1}, 5)
	must.Equal(t, []bool{true, false, true, true, false}, keep)
	keep = make([]bool, 4)
	constraint.Sparsity{S: 1, PerCenter: true, Groups: []int{1, 0}}.Select(keep, []float64{2, 2, 3, 2}, 2)
	must.Equal(t, []bool{false, true, true, false}, keep)
}

func TestAsManyGroupsAsThereAreKeepEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.WholePoint(t)
		for name, set := range topGroups(at.X.Cols, drawGroups(t, at.X.Cols)) {
			if y := settest.Project(t, set, at); !settest.SameBits(at.X, y) {
				t.Errorf("%s: %v of %v is kept", name, y.Data, at.X.Data)
			}
		}
	})
}

func TestGroupsThatDoNotFitAreRefused(t *testing.T) {
	x := framework.NewMatrix(1, 2)
	for want, c := range map[string]struct {
		s     int
		group []int
	}{
		"bad-set: sparsity has groups of 1 column for 2 features":                 {1, []int{0}},
		"bad-set: sparsity: the group of feature 1 is 2, and must be from 0 to 1": {1, []int{0, 2}},
		"bad-set: sparsity is -1; it must not be negative":                        {-1, []int{0, 1}},
	} {
		for name, set := range topGroups(c.s, c.group) {
			if err := set.Project(x, framework.Point{X: x}); err == nil || err.Error() != want {
				t.Errorf("%s: got %v, want %s", name, err, want)
			}
		}
	}
}

func TestSetsThatTieFeaturesTogetherNeedMeans(t *testing.T) {
	// A point with gains is not made of means of complete cells.
	eachFamily(t, func(t *rapid.T, _ settest.Family, set framework.Set, at framework.Point) {
		at.Gain = make([]float64, len(at.X.Data))
		err := set.Project(framework.NewMatrix(at.X.Rows, at.X.Cols), at)
		f := framework.AsFault(err)
		takes := constraint.TakesGains(set, true)
		if takes != (err == nil) || takes != set.Properties().Separable || !takes && f.Code != "set-needs-means" {
			t.Errorf("%+v: says that it takes gains: %v, but answers %v", set, takes, err)
		}
	})
}
