package seeding

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// initReference is a run of the reference's initialisers on one data set.
type initReference struct {
	DKM struct {
		Epsilon     float64
		Edges       []float64 `json:"mst_edges_sorted"`
		Density     []float64
		MaxDistance float64 `json:"max_distance"`
	} `json:"dkmpp"`
	LOF            []float64 `json:"lof_k10"`
	K2, K3, K5, K8 chosenReference
}

type chosenReference struct {
	DKM   []int `json:"dkmpp"`
	Robin []int `json:"robin_ref_mean"`
}

func eachReference(t *testing.T, test func(t *testing.T, data table, r initReference)) {
	for _, name := range []string{"fisheriris", "ionosphere"} { // see testdata/README.md
		t.Run(name, func(t *testing.T) {
			text := must.Get(os.ReadFile("testdata/" + name + "_init.json"))(t)
			var r initReference
			must.Do(t, json.Unmarshal(text, &r))
			test(t, table{x: readCSV(t, "testdata/"+name+".csv"), block: 64}, r)
		})
	}
}

func cloudOf(t rapid.TB, rows framework.Rows, o Options) *cloud {
	t.Helper()
	return must.Get(newCloud(context.Background(), rows, o, "test"))(t)
}

// near fails where numbers differ by more than a relative 1e-12.
func near(t rapid.TB, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers instead of %d", what, len(got), len(want))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= 1e-12*max(1, math.Abs(v))) {
			t.Fatalf("%s %d is %v instead of %v", what, i, got[i], v)
		}
	}
}

func TestDKMChoosesTheRowsOfTheReferenceRun(t *testing.T) {
	eachReference(t, func(t *testing.T, data table, r initReference) {
		c := cloudOf(t, data, Options{Threads: 2})
		largest := must.Get(c.largest())(t)
		edges := must.Get(c.tree(largest))(t)
		density := must.Get(c.densities(largest, reach(edges)))(t)
		near(t, "largest distance", []float64{largest}, []float64{r.DKM.MaxDistance})
		near(t, "edge", edges, r.DKM.Edges)
		near(t, "epsilon", []float64{reach(edges)}, []float64{r.DKM.Epsilon})
		near(t, "density", density, r.DKM.Density)
		for _, want := range []chosenReference{r.K2, r.K3, r.K5, r.K8} {
			got := must.Get(dkmRows(t.Context(), data, Options{K: len(want.DKM), Threads: 2}))(t)
			if diff := cmp.Diff(want.DKM, got); diff != "" {
				t.Errorf("k = %d (-reference +got):\n%s", len(want.DKM), diff)
			}
		}
	})
}

func TestRobinChoosesTheRowsOfTheReferenceRun(t *testing.T) {
	eachReference(t, func(t *testing.T, data table, r initReference) {
		lof := must.Get(cloudOf(t, data, Options{Threads: 2}).outlierFactors(robinNeighbours))(t)
		near(t, "outlier factor", lof, r.LOF)
		for _, want := range []chosenReference{r.K2, r.K3, r.K5, r.K8} {
			got := must.Get(robinRows(t.Context(), data, Options{K: len(want.Robin), Threads: 2}))(t)
			if diff := cmp.Diff(want.Robin, got); diff != "" {
				t.Errorf("k = %d (-reference +got):\n%s", len(want.Robin), diff)
			}
		}
	})
}

func TestTreeIsAsShortAsTheOneOfKruskal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := grid(t, true)
		c := cloudOf(t, data, Options{Space: gridSpace(t, data.x.Cols)})
		got := must.Get(c.tree(1))(t)
		// Kruskal: the shortest edges that join different parts.
		type edge struct {
			d    float64
			i, j int
		}
		var all []edge
		part := make([]int, len(c.rows))
		for i := range part {
			part[i] = i
			for j := range i {
				if d := c.distance(i, j); d > 0 {
					all = append(all, edge{d, i, j})
				}
			}
		}
		slices.SortStableFunc(all, func(a, b edge) int {
			if a.d < b.d {
				return -1
			} else if a.d > b.d {
				return 1
			}
			return 0
		})
		var want []float64
		for _, e := range all {
			a, b := part[e.i], part[e.j]
			if a == b {
				continue
			}
			want = append(want, e.d)
			for i := range part {
				if part[i] == b {
					part[i] = a
				}
			}
		}
		for _, p := range part {
			if p != part[0] {
				return // missing cells can leave rows at distance 0 of all others
			}
		}
		near(t, "edge", got, want)
	})
}

// plainFactors are outlier factors by sorting all distances of a row.
func plainFactors(c *cloud, count int) []float64 {
	n := len(c.rows)
	count = min(count, n-1)
	type one struct {
		near    []int
		density float64
	}
	rows := make([]one, n)
	for i := range rows {
		others := make([]int, 0, n)
		for j := range n {
			if j != i {
				others = append(others, j)
			}
		}
		slices.SortStableFunc(others, func(a, b int) int {
			return int(math.Copysign(1, c.distance(i, a)-c.distance(i, b)))
		})
		sum := 0.0
		for at, j := range others {
			if at < count || c.distance(i, j) <= c.distance(i, others[count-1])*(1+1e-12) {
				rows[i].near, sum = append(rows[i].near, j), sum+c.distance(i, j)
			}
		}
		rows[i].density = float64(len(rows[i].near)) / sum
	}
	lof := make([]float64, n)
	for i, r := range rows {
		sum := 0.0
		for _, j := range r.near {
			sum += rows[j].density
		}
		lof[i] = sum / float64(len(r.near)) / r.density
		if math.IsInf(r.density, 1) || len(r.near) == 0 {
			lof[i] = 1
		}
	}
	return lof
}

func TestOutlierFactorsAreTheirDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cloudOf(t, grid(t, false), Options{})
		count := rapid.IntRange(1, 4).Draw(t, "neighbours")
		got := must.Get(c.outlierFactors(count))(t)
		for i, want := range plainFactors(c, count) {
			if got[i] != want && !(math.Abs(got[i]-want) <= 1e-12*want) {
				t.Fatalf("row %d: %v instead of %v", i, got[i], want)
			}
		}
	})
}

func TestRobinChoosesKRowsWhenAllAreOutliersOrEqual(t *testing.T) {
	data := tableOf([]float64{1}, []float64{1}, []float64{1}, []float64{1})
	got := must.Get(robinRows(t.Context(), data, Options{K: 3}))(t)
	must.Equal(t, []int{0, 1, 2}, got)
}

func TestPairwiseStartsRefuseManyRows(t *testing.T) {
	data := table{x: framework.NewMatrix(mostRows+1, 1), block: 1 << 20}
	for _, name := range []string{"dkm++", "robin"} {
		_, err := labelsOf(t.Context(), name, data, Options{K: 2})
		if f := framework.AsFault(err); f == nil || f.Code != "too-many-rows" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
