package zoo

import (
	"math"
	"os"

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
}

var lastLimit float64

// Describe implements framework.SetKind.
func (Total) Describe() framework.SetDescription {
	return framework.SetDescription{
		Kind: "total", Version: "1", Summary: "a sum of features has a limit", Source: "by hand", Uses: []string{"feature", "coef", "hi"},
		Example: []framework.ConstraintRow{
			{Kind: "total", Feature: new("f1"), Coef: new(1.0), Hi: new(0.5)},
			{Kind: "total", Feature: new("f3"), Coef: new(2.0)}, {Kind: "total", Feature: new("f4"), Coef: new(-0.5)},
		},
	}
}

// Make implements framework.SetKind.
func (k Total) Make(rows []framework.ConstraintRow, _ int, columns []framework.Column) (framework.Set, error) {
	a, limit := make([]float64, len(columns)), math.Inf(1)
	for _, r := range rows {
		if r.Hi != nil {
			limit = *r.Hi
		}
		for l, c := range columns {
			if r.Feature != nil && c.Name != *r.Feature {
				continue
			}
			if r.Coef == nil {
				return nil, framework.Faultf(framework.Data, "no-coef", "coef is NULL in a row")
			}
			a[l] += *r.Coef * c.Scale
			if !k.raw {
				limit -= *r.Coef * c.Location
			}
		}
	}
	if math.IsInf(limit, 1) {
		return nil, framework.Faultf(framework.Data, "no-limit", "hi is NULL in all rows")
	}
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
		copy(dst, x)
		much, by := over(x), 0.0
		if much <= 0 {
			if k.panics {
				panic("the zoo is closed")
			}
			return
		}
		step := make([]float64, len(x))
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
		{"has sets that are no cones but say so", "set/cone-scaling", "the projection of 0.25·x", Total{cone: true}},
		{"has sets that divide by masses", "set/zero-mass", "NaN", Total{nothing: true}},
		{"has sets that measure by another limit", "set/feasible", "violates the set", Total{strict: true}},
		{"has sets that panic", "set/deterministic", "the zoo is closed", Total{panics: true}},
	}
}

// kinds returns programs that serve a wrong kind of sets.
func kinds() []Process {
	serving := func(k framework.SetKind) func() { return func() { plugin.Serve(nil, k) } }
	var all []Process
	for _, k := range Kinds() {
		all = append(all, Process{What: k.What, Law: k.Law, Says: k.Says, Main: serving(k)})
	}
	return append(all,
		Process{What: "has a kind of sets that forgets the location of columns", Law: "process/set-units", Says: "from the set",
			Main: serving(Total{raw: true})},
		Process{What: "has one limit for all sets", Law: "process/sets", Says: "with another set open", Main: serving(Total{shared: true})},
		Process{What: "has sets that depend on its process id", Law: "process/set-bits", Says: "in another",
			Main: serving(Total{process: true})})
}
