package suggest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/links"
	"github.com/sqlcluster/sqlcluster/framework/seeding"
)

// The methods.
const (
	Consolidate = "consolidate"
	MinMax      = "minmax"
)

// Methods returns the names of the methods, the default first.
func Methods() []string { return []string{Consolidate, MinMax} }

// CheckMethod returns a Fault (bad-flag) if there is no method of that name.
func CheckMethod(name string) error {
	if slices.Contains(Methods(), name) {
		return nil
	}
	f := framework.Faultf(framework.Usage, "bad-flag", "there is no method %q", name).
		At("method").WithHint("the methods are %s", strings.Join(Methods(), ", "))
	f.Similar = framework.Closest(name, Methods())
	return f
}

// Options say what is known, and what is asked for.
type Options struct {
	K       int    // clusters, ≥ 2
	Count   int    // pairs, at most
	Method  string // one of Methods
	Seed    uint64
	Threads int
	Links   []framework.Link // that are known; they may not contradict each other
}

// A Reason says why a row is asked about.
type Reason int

// The reasons.
const (
	Open     Reason = iota // its unit is in no neighbourhood yet
	Farthest               // it is the farthest from all rows with links, or asked about
	Random                 // it was drawn
)

// A Pair is a question: do rows A and B belong together?
type Pair struct {
	A, B   int // A is asked about, B is of a neighbourhood
	Reason Reason
	Rank   int  // how many of the neighbourhoods that A is compared with are nearer than B's
	Known  bool // it is a neighbourhood; otherwise it may be one: see the package comment
}

// Pairs returns up to o.Count pairs of rows to ask about, in the order in which
// they should be asked: whether they belong together is not known. There are
// fewer if nothing is left to ask.
//
// It returns a Fault for an unknown method (bad-flag), for links of rows that do
// not exist (bad-link) or that contradict each other (contradicting-links), and
// when distances exceed the range of a float64 (values-too-large); and ctx's error
// when ctx is done.
func Pairs(ctx context.Context, rows framework.Rows, o Options) ([]Pair, error) {
	if err := CheckMethod(o.Method); err != nil {
		return nil, err
	}
	if err := framework.CheckLinks(o.Links, rows.Len()); err != nil {
		return nil, err
	}
	s, err := newSearch(ctx, rows, o)
	if err != nil {
		return nil, err
	}
	if err := s.begin(); err != nil {
		return nil, err
	}
	for _, u := range s.open {
		if s.full() {
			return s.pairs, nil
		}
		s.ask(u, Open)
	}
	for !s.full() {
		i, reason, err := s.next()
		if err != nil || i < 0 {
			return s.pairs, err
		}
		if err := s.walk.Choose(i); err != nil {
			return nil, err
		}
		s.ask(&unit{rows: []int{i}, mean: framework.Cells(rows, i), graph: -1}, reason)
	}
	return s.pairs, nil
}

// A unit is rows that belong together.
type unit struct {
	rows  []int
	mean  []float64 // of the observed cells; NaN where there is none; nil: not needed yet
	graph int32     // its number in the graph; −1: no link is known
}

// A search is what is known, and what has been asked.
type search struct {
	ctx   context.Context
	rows  framework.Rows
	o     Options
	graph *links.Graph
	walk  *seeding.Traversal
	known []*unit // neighbourhoods
	maybe []*unit // what may be one, while exploring
	open  []*unit
	drawn []int // rows in the order in which they are taken at random
	pairs []Pair
}

func newSearch(ctx context.Context, rows framework.Rows, o Options) (*search, error) {
	s := &search{ctx: ctx, rows: rows, o: o, walk: seeding.NewTraversal(ctx, rows, nil, o.Threads)}
	hard := slices.Clone(o.Links) // in the graph of these, must-links of any weight join
	for i := range hard {
		hard[i].Weight = math.Inf(1)
	}
	s.graph = links.NewGraph(hard, rows.Len())
	all := make([]*unit, len(s.graph.Units))
	for g, members := range s.graph.Units {
		if s.apart(int32(g), int32(g)) {
			return nil, framework.Faultf(framework.Data, "contradicting-links",
				"rows that must-links join must also be apart: row %d and others", members[0])
		}
		u := &unit{graph: int32(g)}
		for _, i := range members {
			u.rows = append(u.rows, int(i))
		}
		all[g] = u
	}
	bySize := slices.Clone(all)
	slices.SortStableFunc(bySize, func(a, b *unit) int { return cmp.Compare(len(b.rows), len(a.rows)) })
	found := make([]bool, len(all))
	for _, u := range bySize {
		if !slices.ContainsFunc(s.known, func(v *unit) bool { return !s.apart(u.graph, v.graph) }) {
			u.mean = seeding.Mean(rows, u.rows, false)
			s.known, found[u.graph] = append(s.known, u), true
		}
	}
	for g, u := range all {
		if !found[g] {
			s.open = append(s.open, u)
		}
	}
	return s, nil
}

// begin chooses the rows that have a link or, where there are none, the first.
func (s *search) begin() error {
	var linked []int
	for _, members := range s.graph.Units {
		for _, i := range members {
			linked = append(linked, int(i))
		}
	}
	if linked == nil {
		first := s.outermost()
		if first < 0 {
			return nil
		}
		linked = []int{first}
		s.known = []*unit{{rows: linked, mean: framework.Cells(s.rows, first), graph: -1}}
	}
	slices.Sort(linked)
	if err := s.walk.Choose(linked...); err != nil {
		return err
	}
	if s.o.Method == Consolidate && !s.exploring() {
		s.drawn = s.walk.Left()
		framework.Rand(s.o.Seed, "consolidate", uint64(len(linked))).Shuffle(len(s.drawn), func(i, j int) {
			s.drawn[i], s.drawn[j] = s.drawn[j], s.drawn[i]
		})
	}
	return nil
}

// exploring reports whether there may be more neighbourhoods.
func (s *search) exploring() bool { return len(s.known) < s.o.K }

func (s *search) full() bool { return len(s.pairs) >= s.o.Count }

// next returns the next new row, −1 if there is none.
func (s *search) next() (int, Reason, error) {
	if s.o.Method == Consolidate && !s.exploring() {
		if len(s.drawn) == 0 {
			return -1, Random, s.ctx.Err()
		}
		i := s.drawn[0]
		s.drawn = s.drawn[1:]
		return i, Random, s.ctx.Err()
	}
	if len(s.known) == 0 { // of no row
		return -1, Farthest, nil
	}
	i, err := s.walk.Farthest()
	return i, Farthest, err
}

// ask compares a unit with neighbourhoods.
func (s *search) ask(u *unit, reason Reason) {
	if u.mean == nil { // it may be one of many, all of whose means are more than memory holds
		u.mean = seeding.Mean(s.rows, u.rows, false)
	}
	left := max(1, max(s.o.K, len(s.known))-1)
	rank := 0
	compare := func(with []*unit, known bool) {
		with = slices.DeleteFunc(slices.Clone(with), func(v *unit) bool {
			apart := s.apart(u.graph, v.graph)
			if apart {
				left--
			}
			return apart
		})
		s.byDistance(u, with)
		for _, v := range with {
			if left <= 0 || s.full() {
				return
			}
			a := s.nearest(u.rows, u.mean)
			s.pairs = append(s.pairs, Pair{A: a, B: s.nearest(v.rows, framework.Cells(s.rows, a)), Reason: reason, Rank: rank, Known: known})
			rank++
			left--
		}
	}
	compare(s.known, true)
	if s.exploring() {
		compare(s.maybe, false)
		s.maybe = append(s.maybe, u)
	}
}

// apart reports whether units of the graph are known to be apart.
func (s *search) apart(a, b int32) bool {
	if a < 0 || b < 0 {
		return false
	}
	_, ok := slices.BinarySearch(s.graph.Apart[a], b)
	return ok
}

// byDistance puts the nearest first.
func (s *search) byDistance(u *unit, all []*unit) {
	away := make(map[*unit]float64, len(all))
	for _, v := range all {
		to := v.mean
		if s.o.Method == MinMax {
			to = framework.Cells(s.rows, s.nearest(v.rows, u.mean))
		}
		away[v] = seeding.Square(u.mean, to, nil)
	}
	slices.SortStableFunc(all, func(a, b *unit) int { return cmp.Compare(away[a], away[b]) })
}

// nearest returns the row that is nearest to a point, the lowest of equals.
func (s *search) nearest(rows []int, point []float64) int {
	best, least := rows[0], math.Inf(1)
	for t, d := range seeding.Squares(s.rows, rows, point, nil) {
		if d < least {
			best, least = rows[t], d
		}
	}
	return best
}

// outermost returns the row of positive weight that is farthest from the mean of
// all of them, the lowest of equals; −1 if there is none.
func (s *search) outermost() int {
	all := s.walk.Left()
	if len(all) == 0 {
		return -1
	}
	best, most := -1, -1.0
	for t, d := range seeding.Squares(s.rows, all, seeding.Mean(s.rows, all, false), nil) {
		if d > most {
			best, most = all[t], d
		}
	}
	return best
}
