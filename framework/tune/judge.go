package tune

import (
	"context"
	"iter"
	"math"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
)

// Judge judges the trials of the study, of which some may be missing.
func (s *Study) Judge(ctx context.Context, rows *matrix.Data) ([]Judgement, error) {
	if len(s.Drawn) == 0 {
		return nil, nil
	}
	all := make([]Judgement, 0, len(s.Methods))
	for _, m := range s.Methods {
		own, draws := s.of(m.kind())
		j := Judgement{Method: m, Values: valuesOf(own), Best: -1, OneSE: -1, P: math.NaN()}
		switch m {
		case MethodGap:
			s.gap(&j, own, draws)
		case MethodGapAxes:
			s.gapAxes(&j, own, draws)
		case MethodStable:
			s.stable(&j, own, draws)
		default:
			if err := s.index(ctx, &j, rows, own); err != nil {
				return nil, err
			}
		}
		all = append(all, j)
	}
	return all, nil
}

// valuesOf returns what the fits of the rows say of each candidate, without a score.
func valuesOf(own []*Trial) []Value {
	values := make([]Value, len(own))
	for i, t := range own {
		v := Value{Point: i, Status: Incomplete, Score: math.NaN(), Error: math.NaN(), Selected: math.NaN()}
		if t != nil {
			v.Status, v.Err, v.Converged, v.Fits = t.Status(), t.Err, t.Converged, 1
			if t.Err == nil {
				v.Selected = float64(t.Selected)
			}
		}
		values[i] = v
	}
	return values
}

// numbers returns a number of each trial, NaN where there is none.
func numbers(trials []*Trial, of func(*Trial) float64) []float64 {
	all := make([]float64, len(trials))
	for i, t := range trials {
		if all[i] = math.NaN(); t != nil && t.Err == nil {
			all[i] = of(t)
		}
	}
	return all
}

// curve compares the rows with the draws.
func curve(own []*Trial, draws [][]*Trial, of func(*Trial) float64) GapCurve {
	drawn := make([][]float64, len(draws))
	for b, trials := range draws {
		drawn[b] = numbers(trials, of)
	}
	return Gaps(numbers(own, of), drawn)
}

// gap compares what clusters explain with what they explain of permuted rows. One
// cluster explains nothing.
func (s *Study) gap(j *Judgement, own []*Trial, draws [][]*Trial) {
	c := curve(own, draws, func(t *Trial) float64 {
		if s.Candidates[t.Candidate].K < 2 {
			return math.NaN()
		}
		return t.Explained
	})
	j.P = c.P
	for i := range j.Values {
		j.Values[i].Score, j.Values[i].Error = c.Gap[i], c.Error[i]
		j.Values[i].Fits = len(draws)
	}
	j.Best = bestOf(j.Values)
	j.OneSE = s.oneSE(j.Values)
}

// bestOf returns the first of the highest scores.
func bestOf(values []Value) int {
	best := -1
	for i, v := range values {
		if v.Score == v.Score && (best < 0 || v.Score > values[best].Score) {
			best = i
		}
	}
	return best
}

// oneSE returns the choice of the one-standard-error rule. For each number of
// clusters, it is the sparsest candidate within one standard error of the best with
// that number; of the numbers, the smallest whose best candidate is within one
// standard error of the best of all.
func (s *Study) oneSE(values []Value) int {
	best := bestOf(values)
	if best < 0 {
		return -1
	}
	for from, to := range s.byK() {
		of := bestOf(values[from:to])
		if of < 0 || !within(values[from+of], values[best]) {
			continue
		}
		for i := from; ; i++ {
			if within(values[i], values[from+of]) {
				return i
			}
		}
	}
	return best
}

// within reports whether a value is within one standard error of a better one.
func within(v, best Value) bool {
	e := best.Error
	if e != e {
		e = 0
	}
	return v.Score >= best.Score-e
}

// gapAxes compares the objective with that of rows without clusters, for one candidate
// of each number of clusters. The best is the first whose gap is larger than that of
// the next; the choice is the smallest within one standard error of it (firstSEmax of
// the R package cluster). That may be one cluster: there is no structure. Where k
// clusters leave nothing to explain, since there are no more different rows, the gap
// is infinite, and nothing after it is better.
//
// Source: Tibshirani, Walther and Hastie (2001), https://doi.org/10.1111/1467-9868.00293.
func (s *Study) gapAxes(j *Judgement, own []*Trial, draws [][]*Trial) {
	c := curve(own, draws, func(t *Trial) float64 { return t.Objective })
	var line []int
	for i, objective := range numbers(own, func(t *Trial) float64 { return t.Objective }) {
		j.Values[i].Score, j.Values[i].Error = -c.Gap[i], c.Error[i]
		if objective == 0 && c.Error[i] == c.Error[i] { // of each draw it is above 0
			j.Values[i].Score = math.Inf(1)
		}
		if v := j.Values[i].Score; v == v {
			line = append(line, i)
			j.Values[i].Fits = len(draws)
		}
	}
	for i, at := range line {
		if j.Best = at; i+1 == len(line) || j.Values[line[i+1]].Score < j.Values[at].Score || math.IsInf(j.Values[at].Score, 1) {
			break
		}
	}
	for _, at := range line {
		if within(j.Values[at], j.Values[j.Best]) {
			j.OneSE = at
			break
		}
	}
}

// byK yields the candidates of each number of clusters: from, and one after the last.
func (s *Study) byK() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for from := 0; from < len(s.Candidates); {
			to := from
			for to < len(s.Candidates) && s.Candidates[to].K == s.Candidates[from].K {
				to++
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// index computes a score of the labels.
func (s *Study) index(ctx context.Context, j *Judgement, rows *matrix.Data, own []*Trial) error {
	for i, t := range own {
		if t == nil || t.Labels == nil {
			continue
		}
		v := &j.Values[i]
		var err error
		switch j.Method {
		case MethodSilhouette:
			v.Score, err = s.silhouette(ctx, rows, t.Labels, s.Candidates[i].K)
		case MethodCalinskiHarabasz:
			v.Score = score.CalinskiHarabasz(rows, t.Labels)
		case MethodDaviesBouldin:
			v.Score = -score.DaviesBouldin(rows, t.Labels)
		}
		if err != nil {
			return err
		}
	}
	for _, at := range s.line() {
		if v := j.Values[at]; v.Score == v.Score && (j.Best < 0 || v.Score > j.Values[j.Best].Score) {
			j.Best = at
		}
	}
	j.OneSE = j.Best
	return nil
}

// measured is how many rows a silhouette is the mean of, where there are more.
const measured = 2000

func (s *Study) silhouette(ctx context.Context, rows *matrix.Data, labels []int32, k int) (float64, error) {
	o := score.SilhouetteOptions{Sample: measured, Seed: s.Seed, Threads: s.Threads}
	if n := rows.Len(); n > measured {
		o.Reference = score.Reference(measured, n, rows.Block(0).X.Cols, k)
	}
	return score.Silhouette(ctx, rows, labels, o)
}

// stable says how well the worst cluster is found again in half of the rows. The best
// number of clusters is the largest with which all are.
func (s *Study) stable(j *Judgement, own []*Trial, draws [][]*Trial) {
	for i, t := range own {
		if t == nil || t.Err != nil || s.Candidates[i].K < 2 {
			continue
		}
		v := &j.Values[i]
		v.Score, v.Error, v.Fits = worst(s.Candidates[i].K, t.Labels, i, draws)
	}
	for _, at := range s.line() {
		if j.Values[at].Score >= recovered {
			j.Best = at
		}
	}
	j.OneSE = j.Best
}

// worst returns the smallest mean Jaccard coefficient of a cluster over the draws,
// its standard error, and the number of draws.
func worst(k int, labels []int32, candidate int, draws [][]*Trial) (mean, err float64, n int) {
	of := make([][]float64, k) // by cluster
	for _, trials := range draws {
		t := trials[candidate]
		if t == nil || t.Err != nil {
			continue
		}
		n++
		found, _ := Jaccards(k, labels, t.Rows, t.Labels)
		for c, v := range found {
			if v == v {
				of[c] = append(of[c], v)
			}
		}
	}
	mean, err = math.NaN(), math.NaN()
	for _, values := range of {
		if r := recoveryOf(values); r.Jaccard == r.Jaccard && !(r.Jaccard >= mean) {
			mean, err = r.Jaccard, r.Error
		}
	}
	return mean, err, n
}

// meanAndDeviation returns the mean and the standard deviation (divisor n − 1); NaN
// where there are too few values.
func meanAndDeviation(values []float64) (mean, sd float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v
	}
	mean /= n
	for _, v := range values {
		sd += float64((v - mean) * (v - mean))
	}
	return mean, math.Sqrt(sd / (n - 1))
}
