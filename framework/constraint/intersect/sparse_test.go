package intersect_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/internal/settest"
	"github.com/sqlcluster/sqlcluster/framework/constraint/intersect"
)

func TestSparsityWithBoundsIsTheBestOfAllChoicesOfFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.WholePoint(t) // whole numbers: sums are exact
		k, p := at.X.Rows, at.X.Cols
		box := constraint.Box{Where: constraint.Where{Clusters: []int{rapid.IntRange(0, k-1).Draw(t, "cluster")}}}
		for range p {
			lo := float64(rapid.IntRange(-3, 2).Draw(t, "lo"))
			box.Lo = append(box.Lo, lo)
			box.Hi = append(box.Hi, lo+float64(rapid.IntRange(0, 4).Draw(t, "width")))
		}
		s := rapid.IntRange(0, p).Draw(t, "s")
		group := make([]int, p)
		for l := range group {
			group[l] = l / 2
		}
		for _, top := range []framework.Set{
			constraint.Sparsity{S: s}, constraint.Sparsity{S: s, PerCenter: true},
			constraint.Sparsity{S: s, Groups: group}, constraint.Sparsity{S: s, PerCenter: true, Groups: group},
		} {
			set, err := intersect.Sets(k, p, []framework.Set{top, box}, intersect.Names{})
			clipped := settest.Project(t, box, at)
			cost := func(keep int) float64 { // bit j·p + l: entry (j, l)
				y := clipped.Clone()
				for i := range y.Data {
					if keep>>i&1 == 0 {
						y.Data[i] = 0
					}
				}
				if box.Violation(y) > 0 {
					return math.Inf(1)
				}
				return settest.SquaredDistance(at, y)
			}
			allowed := func(keep int) bool {
				y := framework.NewMatrix(k, p)
				for i := range y.Data {
					y.Data[i] = float64(keep >> i & 1)
				}
				return top.Violation(y) == 0
			}
			if k*p > 10 {
				return
			}
			want := settest.BestChoice(1<<(k*p), allowed, cost)
			if f := framework.AsFault(err); f != nil {
				if f.Code != "empty-set" || !math.IsInf(want, 1) {
					t.Errorf("%+v with %+v is refused, but a squared distance of %g is possible: %v", top, box, want, err)
				}
				continue
			}
			y := settest.Project(t, set, at)
			if got := settest.SquaredDistance(at, y); math.Abs(got-want) > 1e-12*(1+want) {
				t.Errorf("%+v with %+v: %v goes to %v at squared distance %g, but %g is possible", top, box, at.X.Data, y.Data, got, want)
			}
			if v := set.Violation(y); v != 0 {
				t.Errorf("%+v with %+v: %v is outside by %g", top, box, y.Data, v)
			}
		}
	})
}

func TestSparsityOfEachCenterWithOneSetIsTheBestOfAllChoicesOfFeatures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := settest.At(t)
		at.ColMass, at.RowMass = nil, nil
		k, p := at.X.Rows, at.X.Cols
		s, r := rapid.IntRange(1, p).Draw(t, "s"), settest.Radius(t)
		for name, on := range map[string]func(features []int) framework.Set{
			"simplex": func(f []int) framework.Set {
				return constraint.Simplex{Where: constraint.Where{Features: f}, Radius: r}
			},
			"l1_ball": func(f []int) framework.Set { return constraint.L1Ball{Where: constraint.Where{Features: f}, Radius: r} },
			"l2_ball": func(f []int) framework.Set { return constraint.L2Ball{Where: constraint.Where{Features: f}, Radius: r} },
		} {
			set := together(t, k, p, constraint.Sparsity{S: s, PerCenter: true}, on(nil)) // never empty: s ≥ 1
			y := settest.Project(t, set, at)
			if v := set.Violation(y); v > settest.Slack*10 {
				t.Errorf("%s: %v is outside by %g", name, y.Data, v)
			}
			for j := range k {
				row := framework.Point{X: at.X.Slice(j, j+1)}
				distance := func(z framework.Matrix) float64 { d := settest.Minus(row.X, z); return settest.Inner(row, d, d) }
				want := settest.BestChoice(1<<p, func(keep int) bool { return keep > 0 && settest.Count(uint(keep)) <= s }, func(keep int) float64 {
					var features []int
					for l := range p {
						if keep>>l&1 == 1 {
							features = append(features, l)
						}
					}
					z := settest.Project(t, on(features), row)
					for l := range p {
						if keep>>l&1 == 0 {
							z.Data[l] = 0
						}
					}
					return distance(z)
				})
				if got := distance(y.Slice(j, j+1)); got > want+settest.Slack*100 {
					t.Errorf("%s of %g with s = %d: %v goes to %v, %g away, but %g is possible", name, r, s, row.X.Data, y.Row(j), got, want)
				}
			}
		}
	})
}
