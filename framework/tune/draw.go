package tune

import (
	"math/rand/v2"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A Kind says how data sets are drawn from the rows of a fit.
type Kind string

// The kinds. Each draws from (seed, kind, number of the draw). Half and Bootstrap draw the
// same rows whether these are sparse or not; permutations of sparse rows are others, and as
// likely as any.
const (
	Rows      Kind = ""          // the rows themselves
	Permuted  Kind = "permuted"  // the cells of each feature change places, those of each group of features together
	Uniform   Kind = "uniform"   // rows that are uniform in the box along the principal axes of the rows
	Normal    Kind = "normal"    // rows of one normal distribution with the mean and the covariances of the rows
	Half      Kind = "half"      // half of the rows, without replacement
	Bootstrap Kind = "bootstrap" // as many rows with replacement, each of them once
)

// A Draw is one data set.
type Draw struct {
	Kind   Kind
	Number int
}

// A dataset is rows with the problem that they are to be fitted for. Its Labels are those of all rows: see labels.
type dataset struct {
	rows    *matrix.Data
	problem framework.Problem
	from    []int32 // the row of the fit that each is; nil: it is all of them, or none is one
}

// labels returns the set of labels of a fit of k clusters; nil: there is none. Rows that have been drawn
// cell by cell take the places of those of the fit, and with them what limits and known labels say of these.
func (s *dataset) labels(k int) (framework.LabelSet, error) {
	if s.problem.Labels == nil {
		return nil, nil
	}
	scaler, ok := s.problem.Labels.(framework.LabelScaler)
	if !ok {
		return nil, framework.Faultf(framework.Data, "limits-not-scaled", "limits of kind %s are those of all rows, and of none that are drawn",
			s.problem.Labels.Properties().Kind).At("constraints")
	}
	return scaler.Scale(s.from, k)
}

// Sample draws up to so many of the rows, without replacement and by the seed of the
// problem, and returns them, the problem of fitting them, and which rows they are.
func Sample(rows *matrix.Data, p framework.Problem, size int) (*matrix.Data, framework.Problem, []int32, error) {
	d := drawer{rows: rows, problem: p}
	var room []float64
	s := d.some(framework.Rand(p.Seed, "sample"), &room, func(all []int32, random *rand.Rand) []int32 { return sampled(all, random, size) })
	var err error
	if s.problem.Labels, err = s.labels(p.K); err != nil {
		_ = s.rows.Close() // in memory: nothing can be lost
		return nil, p, nil, err
	}
	return s.rows, s.problem, s.from, nil
}

// A drawer draws data sets. Several goroutines may use it.
type drawer struct {
	rows    *matrix.Data
	problem framework.Problem
	axes    *axes         // of Uniform and Normal; nil if there are none of these
	norm    matrix.Recipe // what rows are that are drawn cell by cell: of a norm, or as they are
}

// newDrawer prepares the draws of some kinds.
func newDrawer(rows *matrix.Data, p framework.Problem, draws []Draw) (*drawer, error) {
	d := &drawer{rows: rows, problem: p}
	for _, of := range draws {
		switch of.Kind {
		case Rows, Permuted, Half, Bootstrap:
		case Uniform, Normal:
			if d.axes != nil {
				break
			}
			if rows.IsSparse() && p.N*p.P > mostDense {
				return nil, tooDense(p)
			}
			var err error
			if d.axes, err = newAxes(rows, p); err != nil {
				return nil, err
			}
		default:
			return nil, framework.Faultf(framework.Internal, "bad-draw", "there are no draws of kind %q", of.Kind)
		}
	}
	return d, nil
}

// draw makes a data set. room is the memory for its cells, which a call may replace
// by more of it; nobody may use an earlier data set of the same room any more.
func (d *drawer) draw(of Draw, room *[]float64) dataset {
	random := func(index ...uint64) *rand.Rand {
		return framework.Rand(d.problem.Seed, string(of.Kind), append([]uint64{uint64(of.Number)}, index...)...)
	}
	switch of.Kind {
	case Permuted:
		if d.rows.IsSparse() {
			return d.permutedSparse(random)
		}
		return d.permuted(random, room)
	case Uniform, Normal:
		x := d.axes.draw(of.Kind, random(), d.matrix(room, d.rows.Len()))
		at := cellsOf(d.rows)
		for i := range x.Rows {
			for l, v := range at(i) { // the same cells are missing
				if v != v {
					x.Row(i)[l] = v
				}
			}
		}
		d.normalise(x)
		return d.derived(x, d.rows.Weights(), nil)
	case Half:
		return d.some(random(), room, func(all []int32, r *rand.Rand) []int32 { return sampled(all, r, (len(all)+1)/2) })
	case Bootstrap:
		return d.some(random(), room, func(all []int32, r *rand.Rand) []int32 {
			from := make([]int32, len(all))
			for t := range from {
				from[t] = all[r.IntN(len(all))]
			}
			return from
		})
	}
	return dataset{rows: d.rows, problem: d.problem}
}

// matrix returns a matrix of so many rows, in the room.
func (d *drawer) matrix(room *[]float64, rows int) framework.Matrix {
	need := rows * d.problem.P
	if len(*room) < need {
		*room = make([]float64, need)
	}
	return framework.Matrix{Rows: rows, Cols: d.problem.P, Data: (*room)[:need:need]}
}

// derived makes a data set of rows.
func (d *drawer) derived(x framework.Matrix, weights []float64, from []int32) dataset {
	rows, columns := matrix.Derive(d.problem.Columns, x, weights)
	return d.dataset(rows, columns, from)
}

// derivedSparse is derived of sparse rows.
func (d *drawer) derivedSparse(rows *framework.Sparse, weights []float64, from []int32) dataset {
	data, columns := matrix.DeriveSparse(d.problem.Columns, rows, weights)
	return d.dataset(data, columns, from)
}

func (d *drawer) dataset(rows *matrix.Data, columns []framework.Column, from []int32) dataset {
	s := dataset{rows: rows, problem: d.problem, from: from}
	s.problem.Links = linksAmong(from, d.problem.Links)
	s.problem.Columns, s.problem.Sparse = columns, rows.IsSparse()
	s.problem.N, s.problem.Mass = rows.Len(), float64(rows.Len())
	if weights := rows.Weights(); weights != nil {
		s.problem.Mass = 0
		for _, w := range weights {
			s.problem.Mass += w
		}
	}
	return s
}

// linksAmong returns the links between rows of a draw, by their numbers there.
func linksAmong(from []int32, links []framework.Link) (among []framework.Link) {
	for _, l := range links {
		a, hasA := slices.BinarySearch(from, l.A)
		b, hasB := slices.BinarySearch(from, l.B)
		if hasA && hasB {
			l.A, l.B = int32(a), int32(b)
			among = append(among, l)
		}
	}
	return among
}

// together is how many features are permuted at a time: those of a cache line.
const together = 8

// permuted draws a permutation for each group of features. Where rows have weights,
// the mass of the rows is what is permuted: see places.
func (d *drawer) permuted(random func(...uint64) *rand.Rand, room *[]float64) dataset {
	n, p := d.rows.Len(), d.problem.P
	from, to := d.rows.Matrix(), d.matrix(room, n)
	places := newPlaces(n, d.rows.Weights())
	var drawn [together][]int32
	for t := range drawn {
		drawn[t] = make([]int32, n)
	}
	for first := 0; first < p; first += together {
		columns := d.problem.Columns[first:min(first+together, p)]
		for t, c := range columns {
			if t > 0 && c.Group == columns[t-1].Group {
				copy(drawn[t], drawn[t-1])
				continue
			}
			places.draw(random(uint64(c.Group)), drawn[t])
		}
		for i := range n {
			cells := to.Row(i)[first : first+len(columns)]
			for t := range cells {
				cells[t] = from.Data[int(drawn[t][i])*p+first+t]
			}
		}
	}
	d.normalise(to)
	if weights := d.rows.Weights(); weights != nil || d.norm.Scaling.Norm != "" {
		return d.derived(to, weights, nil)
	}
	s := dataset{rows: matrix.FromMatrix(to, nil, 0), problem: d.problem} // columns are what they were
	s.problem.Links = nil
	return s
}

// normalise divides rows that are drawn cell by cell by their length, if the rows are.
func (d *drawer) normalise(x framework.Matrix) {
	for i := range x.Rows {
		d.norm.Normalise(x.Row(i))
	}
}

// sampled draws some of the rows without replacement.
func sampled(all []int32, random *rand.Rand, size int) []int32 {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(size, len(all))]
}

// some draws some of the rows, in their order. Rows of weight 0 are not drawn.
func (d *drawer) some(random *rand.Rand, room *[]float64, choose func(all []int32, random *rand.Rand) []int32) dataset {
	weights := d.rows.Weights()
	var all []int32
	for i := range d.rows.Len() {
		if weights == nil || weights[i] > 0 {
			all = append(all, int32(i))
		}
	}
	from := choose(all, random)
	slices.Sort(from)
	from = slices.Compact(from)
	return d.taken(from, room)
}

// taken makes a data set of the rows with these numbers, which ascend.
func (d *drawer) taken(from []int32, room *[]float64) dataset {
	var w []float64
	if weights := d.rows.Weights(); weights != nil {
		for _, i := range from {
			w = append(w, weights[i])
		}
	}
	if all := d.rows.Sparse(); all != nil {
		return d.derivedSparse(someOf(all, from), w, from)
	}
	x := d.matrix(room, len(from))
	for t, i := range from {
		copy(x.Row(t), d.rows.Matrix().Row(int(i)))
	}
	return d.derived(x, w, from)
}

// places draws permutations of mass. Rows lie end to end along a line, each as long
// as it is heavy: once in their order, and once in an order that is drawn. Each row
// gets the cell of the drawn row that lies at its middle. With equal weights that is
// a permutation of the rows; with others, a cell is as likely as its row is heavy.
type places struct {
	order  []int32
	weight []float64 // nil: all equal
}

func newPlaces(n int, weights []float64) *places {
	p := &places{order: make([]int32, n)}
	if differ(weights) {
		p.weight = weights
	}
	return p
}

func differ(weights []float64) bool {
	return slices.ContainsFunc(weights, func(w float64) bool { return w != weights[0] })
}

// draw fills in which row each row gets its cell from.
func (p *places) draw(random *rand.Rand, to []int32) {
	for i := range p.order {
		p.order[i] = int32(i)
	}
	random.Shuffle(len(p.order), func(i, j int) { p.order[i], p.order[j] = p.order[j], p.order[i] })
	if p.weight == nil {
		copy(to, p.order)
		return
	}
	at, end := 0, p.weight[p.order[0]]
	begins := 0.0
	for i, w := range p.weight {
		for middle := begins + w/2; end <= middle && at+1 < len(p.order); {
			at++
			end += p.weight[p.order[at]]
		}
		to[i] = p.order[at]
		begins += w
	}
}
