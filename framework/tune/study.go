package tune

import (
	"slices"
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

	Drawn  []Draw  // after Run: the rows, and what was drawn
	Trials []Trial // of Drawn

	// Known are trials of permuted or uniform data sets that an earlier Run of this
	// study has made. They take the place of fits.
	Known map[Draw][]Trial
}

// A Judgement is what a method says.
type Judgement struct {
	Method Method
	Values []Value // by candidate
	Best   int     // place of the best value; −1: none
	OneSE  int     // place of the simplest value within one standard error of it, by the method's rule; −1: none
	P      float64 // of the hypothesis that there is no structure; NaN: the method does not test it
}

// kind returns what a method draws, besides the rows themselves; Rows: nothing.
func (m Method) kind() Kind {
	return map[Method]Kind{MethodGap: Permuted, MethodGapAxes: Uniform, MethodStable: Half}[m]
}

// Run makes the fits of the study: fits runs a sweep, whose settings it completes.
// each, if not nil, is called with each trial, whose Draw is a place in Drawn, and how
// many trials of how many have ended. After an error, Trials has those that have ended.
//
// The draws of MethodGapAxes come last: only what the permutations found best of each
// number of clusters is fitted to them.
func (s *Study) Run(fits func(s Sweep, each func(Trial) error) error, each func(t Trial, ended, of int) error) error {
	first := Sweep{Candidates: s.Candidates, Draws: s.draws(Permuted, Half), Labels: true}
	second := Sweep{Draws: s.draws(Uniform)[1:]}
	of := s.Fits()
	s.Drawn = slices.Concat(first.Draws, second.Draws)
	s.Trials = nil
	add := func(t Trial) error {
		s.Trials = append(s.Trials, t)
		if each == nil {
			return nil
		}
		return each(t, len(s.Trials), of)
	}
	if err := s.sweep(fits, first, 0, add); err != nil || len(second.Draws) == 0 {
		return err
	}
	line := s.line()
	for _, at := range line {
		second.Candidates = append(second.Candidates, s.Candidates[at])
	}
	return s.sweep(fits, second, len(first.Draws), func(t Trial) error {
		t.Candidate = line[t.Candidate]
		return add(t)
	})
}

// sweep makes the fits of a sweep that are not known. Its draws are those of Drawn from
// a place on.
func (s *Study) sweep(fits func(s Sweep, each func(Trial) error) error, sweep Sweep, from int, add func(Trial) error) error {
	var places []int
	var unknown []Draw
	for i, d := range sweep.Draws {
		known := s.Known[d]
		if (d.Kind != Permuted && d.Kind != Uniform) || len(known) != len(sweep.Candidates) {
			places, unknown = append(places, from+i), append(unknown, d)
			continue
		}
		for c, t := range known {
			t.Draw, t.Candidate = from+i, c
			if err := add(t); err != nil {
				return err
			}
		}
	}
	if sweep.Draws = unknown; len(unknown) == 0 {
		return nil
	}
	return fits(sweep, func(t Trial) error {
		t.Draw = places[t.Draw]
		return add(t)
	})
}

// Fits returns how many fits the study makes.
func (s *Study) Fits() int {
	return len(s.draws(Permuted, Half))*len(s.Candidates) + len(s.draws(Uniform)[1:])*s.Numbers()
}

// Numbers returns how many numbers of clusters there are.
func (s *Study) Numbers() (n int) {
	for range s.byK() {
		n++
	}
	return n
}

// draws returns the rows, and the draws that the methods need of some kinds.
func (s *Study) draws(kinds ...Kind) []Draw {
	all := []Draw{{}}
	for b := range s.Draws {
		for _, kind := range kinds {
			if slices.ContainsFunc(s.Methods, func(m Method) bool { return m.kind() == kind }) {
				all = append(all, Draw{kind, b})
			}
		}
	}
	return all
}

// line returns of each number of clusters the candidate that the permutations found
// best; without permutations, the first.
func (s *Study) line() []int {
	own, draws := s.of(Permuted)
	j := Judgement{Values: valuesOf(own)}
	if len(draws) > 0 {
		s.gap(&j, own, draws)
	}
	var line []int
	for from, to := range s.byK() {
		line = append(line, from+max(0, bestOf(j.Values[from:to])))
	}
	return line
}

// of returns the trials of the rows, and those of each draw of a kind, by candidate;
// nil where one is missing.
func (s *Study) of(kind Kind) (own []*Trial, draws [][]*Trial) {
	byDraw := make([][]*Trial, len(s.Drawn))
	for i := range s.Trials {
		t := &s.Trials[i]
		if byDraw[t.Draw] == nil {
			byDraw[t.Draw] = make([]*Trial, len(s.Candidates))
		}
		byDraw[t.Draw][t.Candidate] = t
	}
	if own = byDraw[0]; own == nil {
		own = make([]*Trial, len(s.Candidates))
	}
	for d, of := range byDraw[1:] {
		if of != nil && s.Drawn[d+1].Kind == kind {
			draws = append(draws, of)
		}
	}
	return own, draws
}
