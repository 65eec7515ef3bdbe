package job

import (
	"fmt"
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// wide is a job of k clusters and p features f0, f1, …, whose scale is 2 and whose mean is
// 1, and a fit of it with the given centers in original units; others are 0.
func wide(k, p int, centers map[[2]int]float64) (*Job, *Fitted) {
	b := &Job{Problem: framework.Problem{K: k, P: p}}
	f := &Fitted{Result: &fit.Result{Model: &framework.Model{Centers: framework.NewMatrix(k, p)}}}
	for l := range p {
		b.Recipe.Features = append(b.Recipe.Features, matrix.Feature{Name: fmt.Sprintf("f%d", l), Location: 1, Scale: 2})
		b.Problem.Columns = append(b.Problem.Columns, framework.Column{Mass: 1})
		for j := range k {
			f.Model.Centers.Row(j)[l] = b.Recipe.Fitted(l, centers[[2]int{j, l}])
		}
	}
	return b, f
}

func TestTopFeaturesAreFurthestAboveTheMeanWithTheirWeight(t *testing.T) {
	b, f := wide(3, 60, map[[2]int]float64{{0, 7}: 4, {0, 3}: 5, {0, 20}: 3, {0, 30}: 9, {1, 1}: 1.5})
	must.Equal(t, [][]string{{"f30", "f3", "f7", "f20"}, {"f1"}, {}}, b.topFeatures(f))

	for l := range 60 {
		f.features = append(f.features, framework.Feature{Column: l, Cluster: -1, Selected: l != 30, Rank: l + 1, Weight: 1})
	}
	f.features[20].Weight = 3
	must.Equal(t, [][]string{{"f20", "f3", "f7"}, {"f1"}, {}}, b.topFeatures(f))

	f.Stop = framework.AllZero
	must.Equal(t, [][]string(nil), b.topFeatures(f))
}

func TestTopFeaturesOfAClusterAreSelectedForIt(t *testing.T) {
	b, f := wide(2, 60, map[[2]int]float64{{0, 7}: 4, {0, 3}: 5, {1, 7}: 4, {1, 3}: 5})
	for i := range 120 {
		f.features = append(f.features, framework.Feature{Column: i % 60, Cluster: i / 60, Selected: i != 7 && i != 63, Rank: i%60 + 1,
			Weight: math.NaN()})
	}
	must.Equal(t, [][]string{{"f3"}, {"f7"}}, b.topFeatures(f))
}

func TestThereAreEightTopFeaturesAtMostAndTheFirstOfEqualOnes(t *testing.T) {
	centers := map[[2]int]float64{{0, 59}: 3}
	for l := range 59 {
		centers[[2]int{0, l}] = 2
	}
	b, f := wide(1, 60, centers)
	must.Equal(t, [][]string{{"f59", "f0", "f1", "f2", "f3", "f4", "f5", "f6"}}, b.topFeatures(f))

	few, f := wide(1, ManyFeatures, centers)
	must.Equal(t, [][]string(nil), few.topFeatures(f))
}

func TestCentersThatAreLeftOutAreZeroOrNotSelected(t *testing.T) {
	b, f := wide(3, 4, map[[2]int]float64{{0, 1}: 5, {0, 2}: -1, {1, 3}: 2, {1, 2}: 7})
	for l := range 4 {
		f.features = append(f.features, framework.Feature{Column: l, Cluster: -1, Selected: l != 3, Rank: l + 1})
	}
	all, left := b.centers(f)
	if len(all) != 12 || left != 0 {
		t.Errorf("%d rows, %d left out", len(all), left)
	}
	b.Settings.CenterRows = settings.NonzeroCenters
	rows, left := b.centers(f)
	want := []result.Center{all[1], all[2], all[6], all[8]} // the last stands for a cluster without others
	must.Equal(t, want, rows)
	must.Equal(t, 8, left)
}

func TestCentersHaveARowForEachEntryWhileTheseAreFew(t *testing.T) {
	for _, c := range []struct {
		rows    string
		entries int
		want    bool
	}{{"auto", settings.ManyCenters, false}, {"auto", settings.ManyCenters + 1, true}, {"all", 1 << 40, false}, {"nonzero", 1, true}} {
		if got := (&settings.Settings{CenterRows: c.rows}).OnlyNonzero(c.entries); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
