package wire

import (
	"math"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestASetOfCentersArrivesAsTheSameSet(t *testing.T) {
	problem := framework.Problem{
		N: 4, P: 2, K: 2, Params: framework.Params{},
		Columns: []framework.Column{{Name: "a", Location: 1, Scale: 3}, {Name: "b", Location: 0.1, Scale: 0.7}},
	}
	rows := []framework.ConstraintRow{ // every field, and NULL in each
		{Kind: "box", Name: "limits", Cluster: new(0), Feature: new("a"), Lo: new(-0.3)},
		{Kind: "box", Name: "limits", Hi: new(2.5)},
		{Kind: "halfspace", Feature: new("a"), Coef: new(1.1), Hi: new(0.2)},
		{Kind: "halfspace", Feature: new("b"), Coef: new(math.Copysign(0, -1))},
		{Kind: "fixed", Cluster: new(1), Feature: new("b"), Value: new(0.0)},
	}
	set := must.Get(declare.Rows(rows, problem))(t)
	got := sentAndRead(t, problem, set)
	must.Equal(t, set.Rows, got.Centers.(*declare.Set).Rows)
	x := framework.Point{X: framework.Matrix{Rows: 2, Cols: 2, Data: []float64{5, -2, 0.3, 9}}}
	want, back := framework.NewMatrix(2, 2), framework.NewMatrix(2, 2)
	must.Do(t, set.Project(want, x))
	must.Do(t, got.Centers.Project(back, x))
	must.Equal(t, want, back)
}

// sentAndRead returns the problem with the set of centers as it arrives.
func sentAndRead(t *testing.T, problem framework.Problem, set *declare.Set) framework.Problem {
	t.Helper()
	problem.Centers = set
	return must.Get(ReadProblem(arrived(t, must.Get(Problem(problem))(t))))(t)
}

func TestASparsityOfGroupsArrivesAsOne(t *testing.T) {
	problem := framework.Problem{N: 4, P: 3, K: 1, Params: framework.Params{}, Groups: []framework.Group{{Name: "a"}, {Name: "b"}},
		Columns: []framework.Column{{Name: "x", Scale: 1}, {Name: "y", Group: 1, Scale: 1}, {Name: "z", Scale: 1}}}
	set := must.Get(declare.Rows([]framework.ConstraintRow{{Kind: "sparsity", Value: new(1.0)}}, problem))(t)
	got := sentAndRead(t, problem, set).Centers.(*declare.Set)
	must.Equal(t, constraint.Sparsity{S: 1, Groups: []int{0, 1, 0}}, got.Set)
}

func TestASetWithoutRowsIsNotSent(t *testing.T) {
	_, err := Problem(framework.Problem{P: 1, K: 1, Columns: make([]framework.Column, 1), Centers: constraint.NonNegative{}})
	must.Fault(t, err, "bad-set")
}

func TestNoConstraintsArriveAsNoSet(t *testing.T) {
	p, err := ReadProblem(&pb.Problem{K: 1})
	if err != nil || p.Centers != nil {
		t.Errorf("got %v, %v", p.Centers, err)
	}
}
