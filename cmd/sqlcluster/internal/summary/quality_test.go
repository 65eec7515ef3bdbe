package summary

import (
	"math"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/job"
)

func TestTheQualityOfAFitIsToldInTwoLines(t *testing.T) {
	const far = ": 1 is compact and far apart, 0 is overlapping\n"
	none := math.NaN()
	for name, c := range map[string]struct {
		k    int
		q    job.Quality
		want string
	}{
		"all features": {3, job.Quality{Explained: 0.4477, Selected: 13, OfSelected: 0.4477, Silhouette: 0.2849},
			"explained variance: 45% of 13 features (one cluster: 0%)\nsilhouette 0.28" + far},
		"some selected": {3, job.Quality{Explained: 0.0218, Selected: 6, OfSelected: 0.65, Silhouette: -0.1},
			"explained variance: 65% of 6 selected features, 2.2% of all 13 (one cluster: 0%)\n" +
				"silhouette -0.1" + far},
		"weights": {2, job.Quality{Explained: 0.5, Selected: 8, OfSelected: 0.9999, Weighted: true, Silhouette: 1},
			"explained variance: 100% of 8 features by weight, 50% of all 13 (one cluster: 0%)\n" +
				"silhouette 1" + far},
		"a sample": {2, job.Quality{Explained: 0.5, Selected: 13, OfSelected: 0.5, Sampled: 13107, Silhouette: 0.2, Measured: 1500},
			"explained variance (of 13107 random rows): 50% of 13 features (one cluster: 0%)\n" +
				"silhouette 0.2 (of 1500 random rows)" + far},
		"one cluster":    {1, job.Quality{Selected: 13, Silhouette: none}, ""},
		"rows are equal": {2, job.Quality{Explained: none, Selected: 13, OfSelected: none, Silhouette: none}, ""},
	} {
		var out strings.Builder
		w := &Writer{Out: &out}
		w.quality(&job.Job{Problem: framework.Problem{K: c.k, P: 13}}, &c.q)
		if out.String() != c.want {
			t.Errorf("%s: got\n%swant\n%s", name, out.String(), c.want)
		}
	}
}
