package zoo

import (
	"errors"
	"math"
	"os"
	"runtime"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

// Total is a kind of sets: in each center the sum of coef times the feature, in
// original units, is at most hi. The fields say what it does wrong.
type Total struct {
	raw     bool // it forgets the locations of columns
	evenly  bool // it takes the excess from all features alike
	light   bool // it forgets the masses of columns
	shared  bool // all sets have the limit of the last one
	process bool // the limit depends on the process
	cone    bool // it claims to be a cone
	panics  bool // it panics when there is nothing to do
	nothing bool // it writes NaN if no row has mass
	strict  bool // Violation demands a little more than Project delivers
	first   bool // rows without a cluster are about cluster 0
	eight   bool // it has room for 8 clusters
	leading bool // the limit is that of the first row
	loose   bool // its Example moves no center
	more    bool // it says that it uses a column of which its Example has no value
	careful bool // it refuses NULL by a panic
	vague   bool // it refuses NULL by an error that is no Fault
	bits    bool // it keeps columns as the bits of a word
	flat    bool // it claims to be a cone where the limit is 0 in original units
	room    bool // goroutines share its room
	nobody  bool // columns of mass 0 count as those of mass 1
}

var lastLimit float64

// Describe implements framework.SetKind.
func (k Total) Describe() framework.SetDescription {
	d := framework.SetDescription{
		Kind: "total", Version: "1", Summary: "a sum of features has a limit", Source: "by hand", Uses: []string{"feature", "coef", "hi"},
		Example: []framework.ConstraintRow{
			{Kind: "total", Feature: new("f1"), Coef: new(1.0), Hi: new(0.5)},
			{Kind: "total", Feature: new("f3"), Coef: new(2.0)}, {Kind: "total", Feature: new("f4"), Coef: new(-0.5)},
		},
	}
	switch {
	case k.loose:
		d.Example[0].Hi = new(1e12)
	case k.flat:
		d.Example[0].Hi = new(0.0)
	case k.more:
		d.Uses = append(d.Uses, "lo")
	}
	return d
}

// Make implements framework.SetKind.
func (k Total) Make(rows []framework.ConstraintRow, _ int, columns []framework.Column) (framework.Set, error) {
	a, limit, moved := make([]float64, len(columns)), math.Inf(1), 0.0
	for i, r := range rows {
		if r.Hi != nil && (i == 0 || !k.leading) {
			limit = *r.Hi
		}
		for l, c := range columns {
			if r.Feature != nil && c.Name != *r.Feature {
				continue
			}
			switch {
			case r.Coef != nil:
			case k.careful:
				panic("coef is NULL")
			case k.vague:
				return nil, errors.New("coef is NULL")
			default:
				return nil, framework.Faultf(framework.Data, "no-coef", "coef is NULL in a row")
			}
			if k.bits && l >= 64 {
				continue
			}
			a[l] += *r.Coef * c.Scale
			if !k.raw {
				moved += *r.Coef * c.Location
			}
		}
	}
	if math.IsInf(limit, 1) && !k.leading {
		return nil, framework.Faultf(framework.Data, "no-limit", "hi is NULL in all rows")
	}
	if limit -= moved; k.leading && math.IsInf(limit, 1) {
		limit = 0
	}
	k.cone = k.cone || k.flat && limit+moved == 0
	if k.process {
		limit += 1e-9 * float64(os.Getpid())
	}
	lastLimit = limit
	return k.set(a, limit), nil
}

func (k Total) set(a []float64, limit float64) framework.Set {
	over := func(y []float64) float64 {
		bound := limit
		if k.shared {
			bound = lastLimit
		}
		sum := -bound
		for l, v := range y {
			sum += a[l] * v
		}
		return sum
	}
	s := byRow("total", framework.Properties{Convex: true, Cone: k.cone}, func(dst, x, m []float64) {
		if k.room {
			x = room(x)
		}
		copy(dst, x)
		much, by := over(x), 0.0
		if much <= 0 {
			if k.panics {
				panic("the zoo is closed")
			}
			return
		}
		step := make([]float64, len(x))
		if k.nobody {
			m = slices.Clone(m)
			for l := range m {
				if m[l] <= negligible*slices.Max(m) {
					m[l] = 1
				}
			}
		}
		for l := range x {
			switch step[l] = a[l] / m[l]; {
			case k.evenly && a[l] != 0:
				step[l] = math.Copysign(1, a[l])
			case k.light:
				step[l] = a[l]
			}
			by += a[l] * step[l]
		}
		for l := range x {
			dst[l] -= much / by * step[l]
		}
	}, func(y []float64) float64 {
		much, size := over(y), math.Abs(limit)
		for l, v := range y {
			size += math.Abs(a[l] * v)
		}
		if k.strict {
			much += 0.01
		}
		if much <= 1e-14*size {
			return 0
		}
		return much
	})
	if k.first || k.eight {
		restrict(&s, map[bool]int{true: 1, false: 8}[k.first])
	}
	if k.nothing {
		right := s.Op
		s.Op = func(dst framework.Matrix, at framework.Point) {
			right(dst, at)
			for j, n := range at.RowMass {
				dst.Row(j)[0] *= n / n
			}
		}
	}
	return s
}

// shared is room that all sets and goroutines have.
var shared []float64

// room copies a row to it, with a pause in which another goroutine may do so too.
func room(x []float64) []float64 {
	if len(shared) < len(x) {
		shared = make([]float64, len(x))
	}
	mine := shared[:len(x)]
	copy(mine, x)
	runtime.Gosched()
	return mine
}

// restrict makes a set one that restricts the first clusters alone.
func restrict(s *Set, clusters int) {
	op, measure := s.Op, s.Measure
	s.Op = func(dst framework.Matrix, at framework.Point) {
		x := at.X.Clone()
		op(dst, at)
		for j := clusters; j < x.Rows; j++ {
			copy(dst.Row(j), x.Row(j))
		}
	}
	s.Measure = func(y framework.Matrix) float64 { return measure(y.Slice(0, min(clusters, y.Rows))) }
	s.Declared.RowWise = false
}

// Band is a kind of sets: each named feature is between lo and hi, in original units.
type Band struct {
	middle   bool // it keeps the middle of the limits, which there must be
	infinite bool // it computes with infinite limits
}

// Describe implements framework.SetKind.
func (Band) Describe() framework.SetDescription {
	return framework.SetDescription{
		Kind: "band", Version: "1", Summary: "features have limits", Source: "by hand", Uses: []string{"cluster", "feature", "lo", "hi"},
		Example: []framework.ConstraintRow{
			{Kind: "band", Feature: new("f2"), Lo: new(-0.5), Hi: new(0.5)}, {Kind: "band", Feature: new("f5"), Hi: new(0.25)},
		},
		More: [][]framework.ConstraintRow{{{Kind: "band", Cluster: new(1), Feature: new("f1"), Lo: new(0.5)}}},
	}
}

// Make implements framework.SetKind.
func (k Band) Make(rows []framework.ConstraintRow, clusters int, columns []framework.Column) (framework.Set, error) {
	low, high := framework.NewMatrix(clusters, len(columns)), framework.NewMatrix(clusters, len(columns))
	for i := range low.Data {
		low.Data[i], high.Data[i] = math.Inf(-1), math.Inf(1)
	}
	for _, r := range rows {
		lo, hi := math.Inf(-1), math.Inf(1)
		if r.Lo != nil {
			lo = *r.Lo
		}
		if r.Hi != nil {
			hi = *r.Hi
		}
		if k.middle && (math.IsInf(lo, 0) || math.IsInf(hi, 0)) {
			lo, hi = math.Inf(-1), math.Inf(1)
		}
		if k.infinite && r.Lo != nil && r.Hi != nil {
			lo, hi = (lo+hi)/2-(hi-lo)/2, (lo+hi)/2+(hi-lo)/2
		}
		for j := range clusters {
			for l, c := range columns {
				if (r.Cluster == nil || *r.Cluster == j) && (r.Feature == nil || *r.Feature == c.Name) {
					low.Row(j)[l] = max(low.Row(j)[l], (lo-c.Location)/c.Scale)
					high.Row(j)[l] = min(high.Row(j)[l], (hi-c.Location)/c.Scale)
				}
			}
		}
	}
	for i := range low.Data {
		if low.Data[i] > high.Data[i] {
			return nil, framework.Faultf(framework.Data, "empty", "lo is above hi")
		}
	}
	return Set{Name: "band", Declared: framework.Properties{Kind: "band", Convex: true, RowWise: true, Separable: true},
		Op: func(dst framework.Matrix, at framework.Point) {
			for i, v := range at.X.Data {
				dst.Data[i] = min(max(v, low.Data[i]), high.Data[i])
			}
		},
		Measure: func(y framework.Matrix) (most float64) {
			for i, v := range y.Data {
				most = max(most, low.Data[i]-v, v-high.Data[i])
			}
			return most
		}}, nil
}

// A Kind is a wrong kind of sets.
type Kind struct {
	What string // what is wrong with it
	Law  string // the law that catches it, in this process and in another
	Says string // part of the message
	framework.SetKind
}

// Kinds returns the wrong kinds of sets that laws of sets catch.
func Kinds() []Kind {
	return []Kind{
		{"has sets that project at a slant", "set/closest-made", "is not the nearest point", Total{evenly: true}},
		{"has sets that forget the masses of columns", "set/obtuse-angle", "at most", Total{light: true}},
		{"has sets that are no cones but say so", "set/cone-scaling", "the projection of", Total{cone: true}},
		{"has sets that divide by masses", "set/zero-mass", "NaN", Total{nothing: true}},
		{"has sets that measure by another limit", "set/feasible", "violates the set", Total{strict: true}},
		{"has sets that panic", "set/deterministic", "the zoo is closed", Total{panics: true}},
		{"takes NULL for cluster 0", "kind/every-cluster", "no row names a cluster", Total{first: true}},
		{"has room for 8 clusters", "kind/every-cluster", "no row names a cluster", Total{eight: true}},
		{"takes the limit of the first row", "kind/equal-rows", "in another order", Total{leading: true}},
		{"has an example that moves no center", "kind/examples", "must restrict some", Total{loose: true}},
		{"has a column that no example shows", "kind/examples", "Uses names lo", Total{more: true}},
		{"panics where a coefficient is NULL", "kind/any-rows", "coef is NULL", Total{careful: true}},
		{"refuses by an error that is no Fault", "kind/any-rows", "is no Fault", Total{vague: true}},
		{"keeps columns as the bits of a word", "kind/names", "are called", Total{bits: true}},
		{"has cones whatever the locations of columns are", "set/cone-scaling", "the projection of", Total{flat: true}},
		{"has sets that share their room", "set/concurrent", "while others project", Total{room: true}},
		{"has sets that take a mass of 0 for 1", "set/closest-made", "is not the nearest point", Total{nobody: true}},
		{"forgets both limits where one is NULL", "kind/limits", "keeps the lower limits alone", Band{middle: true}},
		{"computes with infinite limits", "kind/limits", "NaN", Band{infinite: true}},
		{"forgets the location of columns", "kind/units", "from the set", Total{raw: true}},
	}
}

// kinds returns programs that serve a wrong kind of sets.
func kinds() []Process {
	made := func(k framework.SetKind) func() { return func() { plugin.Serve(nil, k) } }
	var all []Process
	for _, k := range Kinds() {
		all = append(all, Process{What: k.What, Law: k.Law, Says: k.Says, Main: made(k)})
	}
	return append(all,
		Process{What: "has one limit for all sets", Law: "process/sets", Says: "with another set open", Main: made(Total{shared: true})},
		Process{What: "has sets that depend on its process id", Law: "process/set-bits", Says: "in another",
			Main: made(Total{process: true})})
}
