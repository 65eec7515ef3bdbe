package tune

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/score"
)

// A Method judges candidates without classes. See the package comment.
type Method string

// The methods. All but MethodGap choose numbers of clusters only; MethodGapAxes looks
// at the candidates that MethodGap finds best, if both are asked for.
const (
	MethodGap              Method = "gap"
	MethodGapAxes          Method = "gap-axes"
	MethodSilhouette       Method = "silhouette"
	MethodCalinskiHarabasz Method = "calinski-harabasz"
	MethodDaviesBouldin    Method = "davies-bouldin"
	MethodStable           Method = "stability"
)

// Methods lists them.
func Methods() []Method {
	return []Method{MethodGap, MethodGapAxes, MethodSilhouette, MethodCalinskiHarabasz, MethodDaviesBouldin, MethodStable}
}

// A Study judges candidates by some methods.
type Study struct {
	Candidates []Candidate // of fewer clusters first, and of these the sparser first: of equals, the first is chosen
	Methods    []Method    // MethodGap before MethodGapAxes
	Draws      int         // data sets of each kind that methods draw

	Seed    uint64 // of samples of rows
	Threads int    // change no result
}

// A Judgement is what a method says.
type Judgement struct {
	Method Method
	Values []Value // by candidate
	Best   int     // place of the best value; −1: none
	OneSE  int     // place of the simplest value within one standard error of it, by the method's rule; −1: none
	P      float64 // of the hypothesis that there is no structure; NaN: the method does not test it
}

// Kinds returns what a method draws, besides the rows themselves.
func (m Method) Kinds() []Kind {
	switch m {
	case MethodGap:
		return []Kind{Permuted}
	case MethodGapAxes:
		return []Kind{Uniform}
	case MethodStable:
		return []Kind{Half}
	}
	return nil
}

// Sweep returns the fits that the study needs: those of the rows first, then those of
// draw after draw. The settings are left to the caller.
func (s Study) Sweep() Sweep {
	sweep := Sweep{Candidates: s.Candidates, Draws: []Draw{{}}, Labels: true}
	for b := range s.Draws {
		var kinds []Kind
		for _, m := range s.Methods {
			for _, kind := range m.Kinds() {
				if !slices.Contains(kinds, kind) {
					kinds = append(kinds, kind)
					sweep.Draws = append(sweep.Draws, Draw{kind, b})
				}
			}
		}
	}
	return sweep
}

// Judge judges the trials of the study's sweep, of whose draws some may be missing.
func (s Study) Judge(ctx context.Context, rows *matrix.Data, sweep Sweep, trials []Trial) ([]Judgement, error) {
	byKind := map[Kind]map[int][]*Trial{} // and by draw; nil where a trial is missing
	for i := range trials {
		t := &trials[i]
		kind := sweep.Draws[t.Draw].Kind
		if byKind[kind] == nil {
			byKind[kind] = map[int][]*Trial{}
		}
		if byKind[kind][t.Draw] == nil {
			byKind[kind][t.Draw] = make([]*Trial, len(s.Candidates))
		}
		byKind[kind][t.Draw][t.Candidate] = t
	}
	own := byKind[Rows][0]
	if own == nil {
		own = make([]*Trial, len(s.Candidates))
	}
	all := make([]Judgement, 0, len(s.Methods))
	for _, m := range s.Methods {
		j := Judgement{Method: m, Values: valuesOf(own), P: math.NaN()}
		var draws [][]*Trial
		for _, kind := range m.Kinds() {
			for d := range sweep.Draws { // in their order
				if of := byKind[kind][d]; of != nil {
					draws = append(draws, of)
				}
			}
		}
		switch m {
		case MethodGap:
			s.gap(&j, own, draws)
		case MethodGapAxes:
			var sparsest *Judgement
			if i := slices.IndexFunc(all, func(j Judgement) bool { return j.Method == MethodGap }); i >= 0 {
				sparsest = &all[i]
			}
			s.gapAxes(&j, own, draws, sparsest)
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
func (s Study) gap(j *Judgement, own []*Trial, draws [][]*Trial) {
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
func (s Study) oneSE(values []Value) int {
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

// gapAxes compares the objective with that of rows without clusters. Of each number
// of clusters, it looks at the candidate that the permutations found best, sparsest
// being the judgement of MethodGap; without one, at the first. Of these, the best is
// the first whose gap is larger than that of the next; the choice is the smallest
// within one standard error of it (firstSEmax of the R package cluster). That may be
// one cluster: there is no structure.
//
// Source: Tibshirani, Walther and Hastie (2001), https://doi.org/10.1111/1467-9868.00293.
func (s Study) gapAxes(j *Judgement, own []*Trial, draws [][]*Trial, sparsest *Judgement) {
	c := curve(own, draws, func(t *Trial) float64 { return t.Objective })
	for i := range j.Values {
		j.Values[i].Score, j.Values[i].Error, j.Values[i].Fits = -c.Gap[i], c.Error[i], len(draws)
	}
	var line []int // places
	for from, to := range s.byK() {
		at := from
		if sparsest != nil {
			if best := bestOf(sparsest.Values[from:to]); best >= 0 {
				at = from + best
			}
		}
		if j.Values[at].Score == j.Values[at].Score {
			line = append(line, at)
		}
	}
	j.Best, j.OneSE = -1, -1
	for i, at := range line {
		if j.Best = at; i+1 == len(line) || j.Values[line[i+1]].Score < j.Values[at].Score {
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
func (s Study) byK() iter.Seq2[int, int] {
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
func (s Study) index(ctx context.Context, j *Judgement, rows *matrix.Data, own []*Trial) error {
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
	j.Best = bestOf(j.Values)
	j.OneSE = j.Best
	return nil
}

// measured is how many rows a silhouette is the mean of, where there are more.
const measured = 2000

func (s Study) silhouette(ctx context.Context, rows *matrix.Data, labels []int32, k int) (float64, error) {
	o := score.SilhouetteOptions{Sample: measured, Seed: s.Seed, Threads: s.Threads}
	if n := rows.Len(); n > measured {
		o.Reference = score.Reference(measured, n, rows.Block(0).X.Cols, k)
	}
	return score.Silhouette(ctx, rows, labels, o)
}

// recovered is the mean Jaccard coefficient from which a cluster counts as found
// again. Source: Hennig (2007), section 6; fpc::clusterboot in R.
const recovered = 0.75

// stable says how well the worst cluster is found again in half of the rows. The best
// number of clusters is the largest with which all are.
func (s Study) stable(j *Judgement, own []*Trial, draws [][]*Trial) {
	j.Best, j.OneSE = -1, -1
	for i, t := range own {
		if t == nil || t.Err != nil || s.Candidates[i].K < 2 {
			continue
		}
		v := &j.Values[i]
		v.Score, v.Error, v.Fits = worst(s.Candidates[i].K, t.Labels, i, draws)
		if v.Score >= recovered && (j.Best < 0 || s.Candidates[i].K > s.Candidates[j.Best].K || v.Score > j.Values[j.Best].Score) {
			j.Best = i
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
		for c, v := range Jaccards(k, labels, t.Rows, t.Labels) {
			if v == v {
				of[c] = append(of[c], v)
			}
		}
	}
	mean, err = math.NaN(), math.NaN()
	for _, values := range of {
		m, sd := meanAndDeviation(values)
		if m == m && !(m >= mean) {
			mean, err = m, sd/math.Sqrt(float64(len(values)))
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
