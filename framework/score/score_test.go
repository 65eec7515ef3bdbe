package score_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework/score"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// labeling is classes and clusters of the same rows, some without one.
type labeling struct{ classes, labels []int32 }

func drawLabeling(t *rapid.T, least int) labeling {
	n := rapid.IntRange(0, 14).Draw(t, "n")
	number := rapid.Int32Range(int32(least), 3)
	return labeling{
		rapid.SliceOfN(number, n, n).Draw(t, "classes"),
		rapid.SliceOfN(number, n, n).Draw(t, "labels"),
	}
}

// count counts pairs one by one.
func (l labeling) count() (p score.Pairs) {
	for i := range l.labels {
		for j := range i {
			if l.classes[i] < 0 || l.classes[j] < 0 || l.labels[i] < 0 || l.labels[j] < 0 {
				continue
			}
			switch class, cluster := l.classes[i] == l.classes[j], l.labels[i] == l.labels[j]; {
			case class && cluster:
				p.TP++
			case cluster:
				p.FP++
			case class:
				p.FN++
			default:
				p.TN++
			}
		}
	}
	return p
}

func (l labeling) table() score.Table { return score.NewTable(l.classes, l.labels) }

// scores are all scores of a table by name.
func scores(t score.Table) map[string]float64 {
	m := map[string]float64{
		"f": t.PairwiseF(), "rand": t.Rand(), "cer": t.CER(), "ari": t.ARI(), "nvi": t.NVI(),
		"majority": t.MajorityError(), "purity": t.Purity(),
	}
	for _, n := range score.Norms() {
		m["nmi "+string(n)] = t.NMI(n)
	}
	return m
}

func TestPairsEqualThoseCountedOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLabeling(t, -1)
		want, got := l.count(), l.table().Pairs()
		if got != want {
			t.Fatalf("pairs %+v, counted %+v", got, want)
		}
	})
}

func TestPairScoresFollowFromCountedPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLabeling(t, -1)
		p, tb := l.count(), l.table()
		all := float64(p.TP + p.FP + p.FN + p.TN)
		if all == 0 {
			return
		}
		near(t, "rand", tb.Rand(), float64(p.TP+p.TN)/all)
		near(t, "cer", tb.CER(), float64(p.FP+p.FN)/all)
		a, b := float64(p.TP+p.FN), float64(p.TP+p.FP)
		expected := a * b / all
		if most := (a + b) / 2; most != expected {
			near(t, "ari", tb.ARI(), (float64(p.TP)-expected)/(most-expected))
		} else {
			near(t, "ari of trivial partitions", tb.ARI(), 1)
		}
		if p.TP > 0 {
			precision, recall := float64(p.TP)/b, float64(p.TP)/a
			near(t, "f", tb.PairwiseF(), 2*precision*recall/(precision+recall))
		} else {
			near(t, "f", tb.PairwiseF(), 0)
		}
	})
}

func near(t *rapid.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-12) {
		t.Fatalf("%s is %v; it should be %v", what, got, want)
	}
}

func TestARIOfAllPermutationsAveragesToZero(t *testing.T) {
	classes, labels := []int32{0, 0, 0, 1, 1, 2}, []int32{0, 0, 1, 1, 2, 2}
	sum, count := 0.0, 0
	permute(labels, 0, func() {
		sum, count = sum+score.NewTable(classes, labels).ARI(), count+1
	})
	if count != 720 || math.Abs(sum) > 1e-9 {
		t.Errorf("the sum over %d permutations is %v", count, sum)
	}
}

func permute(v []int32, from int, do func()) {
	if from == len(v) {
		do()
	}
	for i := from; i < len(v); i++ {
		v[from], v[i] = v[i], v[from]
		permute(v, from+1, do)
		v[from], v[i] = v[i], v[from]
	}
}

func TestNMIIsSharedInformationPerEntropy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLabeling(t, 0)
		if len(l.labels) == 0 {
			return
		}
		n := float64(len(l.labels))
		u, v, joint := map[int32]float64{}, map[int32]float64{}, map[[2]int32]float64{}
		for i, a := range l.classes {
			u[a]++
			v[l.labels[i]]++
			joint[[2]int32{a, l.labels[i]}]++
		}
		var hu, hv, information, huv float64
		for _, m := range u {
			hu -= m / n * math.Log(m/n)
		}
		for _, m := range v {
			hv -= m / n * math.Log(m/n)
		}
		for at, m := range joint {
			huv -= m / n * math.Log(m/n)
			information += m / n * math.Log(m*n/(u[at[0]]*v[at[1]]))
		}
		tb := l.table()
		if len(joint) == 1 {
			near(t, "nvi", tb.NVI(), 0)
			near(t, "nmi", tb.NMI(score.Max), 1)
			return
		}
		near(t, "nvi", tb.NVI(), 1-information/huv)
		if len(u) == 1 || len(v) == 1 {
			near(t, "nmi", tb.NMI(score.Min), 0)
			return
		}
		near(t, "max", tb.NMI(score.Max), information/math.Max(hu, hv))
		near(t, "arithmetic", tb.NMI(score.Arithmetic), 2*information/(hu+hv))
		near(t, "geometric", tb.NMI(score.Geometric), information/math.Sqrt(hu*hv))
		near(t, "min", tb.NMI(score.Min), information/math.Min(hu, hv))
	})
}

func TestScoresDoNotDependOnNumbersNorOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLabeling(t, 0)
		other := labeling{slices.Clone(l.classes), slices.Clone(l.labels)}
		for i := range l.labels {
			other.classes[i], other.labels[i] = 100-7*l.classes[i], 3*l.labels[i]+1
		}
		slices.Reverse(other.classes)
		slices.Reverse(other.labels)
		same(t, l.table(), other.table())
	})
}

func TestUnlabelledRowsAreLeftOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLabeling(t, -1)
		var kept labeling
		for i, a := range l.classes {
			if a >= 0 && l.labels[i] >= 0 {
				kept.classes, kept.labels = append(kept.classes, a), append(kept.labels, l.labels[i])
			}
		}
		same(t, l.table(), kept.table())
	})
}

func same(t *rapid.T, a, b score.Table) {
	t.Helper()
	other := scores(b)
	for name, v := range scores(a) {
		if w := other[name]; math.Abs(v-w) > 1e-12 || (v != v) != (w != w) {
			t.Fatalf("%s is %v and %v", name, v, w)
		}
	}
}

func TestSwappingClassesAndClustersChangesNoSymmetricScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLabeling(t, -1)
		a, b := scores(l.table()), scores(labeling{l.labels, l.classes}.table())
		for _, name := range []string{"f", "rand", "cer", "ari", "nvi", "nmi max", "nmi min", "nmi arithmetic", "nmi geometric"} {
			near(t, name, a[name], b[name])
		}
	})
}

func TestClassesAsClustersArePerfect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLabeling(t, 0)
		if len(l.classes) == 0 {
			return
		}
		l.labels = l.classes
		tb := l.table()
		for name, v := range scores(tb) {
			want := 1.0
			switch {
			case name == "cer" || name == "nvi" || name == "majority":
				want = 0
			case name == "f" && tb.Pairs().TP == 0:
				want = 0
			}
			near(t, name, v, want)
		}
		if clusters, rows := tb.Mixed(); clusters != 0 || rows != 0 {
			t.Fatalf("%d clusters and %d rows are mixed", clusters, rows)
		}
	})
}

func TestMajorityAndMixedByHand(t *testing.T) {
	// Cluster 0: classes 0 0 1; cluster 1: 1 1; cluster 2: 0 2 (a tie).
	tb := score.NewTable([]int32{0, 0, 1, 1, 1, 0, 2, -1}, []int32{0, 0, 0, 1, 1, 2, 2, 2})
	if got, want := tb.MajorityError(), 2.0/7; math.Abs(got-want) > 1e-15 {
		t.Errorf("majority error %v; it is %v", got, want)
	}
	if clusters, rows := tb.Mixed(); clusters != 2 || rows != 5 {
		t.Errorf("%d clusters and %d rows are mixed; it is 2 and 5", clusters, rows)
	}
	if tb.Rows() != 7 || tb.Classes() != 3 || tb.Clusters() != 3 {
		t.Errorf("%d rows, %d classes, %d clusters", tb.Rows(), tb.Classes(), tb.Clusters())
	}
}

func TestPairwiseFEqualsTheReferences(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/fscore.json"))(t)
	var all []struct {
		Truth, Pred []int32
		F           float64
		TP, FP, FN  int64
	}
	must.Do(t, json.Unmarshal(text, &all))
	if len(all) != 8 {
		t.Fatalf("%d references", len(all))
	}
	for i, want := range all {
		for r, b := range want.Pred { // the reference leaves out such clusters
			if !slices.Contains(want.Truth, b) {
				want.Pred[r] = -1
			}
		}
		got := score.NewTable(want.Truth, want.Pred)
		if p := got.Pairs(); p.TP != want.TP || p.FP != want.FP || p.FN != want.FN {
			t.Errorf("reference %d: pairs %+v instead of %+v", i, p, want)
		}
		if f := got.PairwiseF(); math.Abs(f-want.F) > 1e-12 {
			t.Errorf("reference %d: F is %v instead of %v", i, f, want.F)
		}
	}
}
