package job

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework/tune"
)

// Beyond returns the place of a point that the rule of gap-axes does not get to where it finds no structure: the first whose gap
// is larger than that of the next number of clusters, and than that of one cluster by more than a standard error; −1: none.
func (t *Tuning) Beyond() int {
	if len(t.Judged) == 0 || t.Judged[0].Method != string(tune.MethodGapAxes) || t.Chosen() >= 0 {
		return -1
	}
	values, one, before := t.Judged[0].Values, math.NaN(), -1
	larger := func(at int) bool { return at >= 0 && values[at].Score-values[at].Error > one }
	for i, v := range values {
		switch {
		case v.Score != v.Score:
			continue
		case t.Points[v.Point].K == 1:
			one = v.Score
			continue
		case larger(before) && (v.Score < values[before].Score || math.IsInf(values[before].Score, 1)):
			return before
		}
		before = i
	}
	if larger(before) {
		return before
	}
	return -1
}
