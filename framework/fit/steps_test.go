package fit_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestCountedStepsAreTheSameStepsAndAllOfThemEnd(t *testing.T) {
	rows := line(noise(300))
	p := rows.problem(4)
	s := settings()
	s.Init, s.Threads = "kmeans++", 2
	var steps fit.Steps
	c := toy{Lloyd: means.NewLloyd(p, means.Squared), weight: 1}
	results := map[bool]*fit.Result{}
	for _, count := range []bool{false, true} {
		var from framework.Clusterer = c
		if count {
			from = steps.Count(c)
		}
		res := must.Get(fit.Run(context.Background(), from, p, rows, fit.Start{}, s, nil))(t)
		res.Model.Cache, res.Seconds, res.BlocksByWorker = nil, fit.Seconds{}, nil
		results[count] = res
	}
	if diff := cmp.Diff(results[false], results[true]); diff != "" {
		t.Errorf("counting changes the fit (-without +with):\n%s", diff)
	}
	// At least an Assign, an Update and a Project an iteration.
	if begun, ended := steps.Counts(); begun != ended || begun < 3*uint64(results[true].Iterations) {
		t.Errorf("%d steps began and %d ended in %d iterations", begun, ended, results[true].Iterations)
	}
}

func TestAStepThatDoesNotEndHasBegun(t *testing.T) {
	within, on := make(chan struct{}), make(chan struct{})
	p := twoGroups.problem(2)
	var steps fit.Steps
	c := steps.Count(toy{Lloyd: means.NewLloyd(p, means.Squared), onAssign: func(b framework.Block) {
		if b.Index == 0 {
			within <- struct{}{}
			<-on
		}
	}})
	done := make(chan error, 1)
	s := settings()
	s.MaxIter, s.Threads = 1, 1
	go func() {
		_, err := fit.Run(context.Background(), c, p, twoGroups, labels(0, 0, 1, 0, 1, 1), s, nil)
		done <- err
	}()
	<-within
	if begun, ended := steps.Counts(); begun != ended+1 {
		t.Errorf("%d steps began and %d ended while one is under way", begun, ended)
	}
	close(on)
	for {
		select {
		case <-within: // of later passes
		case err := <-done:
			must.Do(t, err)
			return
		}
	}
}

// linking is a toy with links and hooks for what is optional.
type linking struct {
	toy
	called map[string]int
}

func (c linking) Prepare(m *framework.Model) {
	c.called["prepare"]++
	c.toy.Prepare(m)
}

func (c linking) Foresee(int) { c.called["foresee"]++ }

func (c linking) AssignLinked(context.Context, *framework.Model, framework.Rows, []int32) error {
	c.called["assign_linked"]++
	return nil
}

func (c linking) LinkCosts(context.Context, *framework.Model, framework.Rows, []int32) ([]float64, error) {
	c.called["link_costs"]++
	return nil, nil
}

func TestOptionalStepsAreCountedWhereThereAreAny(t *testing.T) {
	var steps fit.Steps
	p := twoGroups.problem(2)
	own := linking{toy{Lloyd: means.NewLloyd(p, means.Squared)}, map[string]int{}}
	c := steps.Count(own)
	m := c.Begin()
	c.(framework.Preparer).Prepare(m)
	c.(framework.Foreseer).Foresee(1) // which computes nothing
	l := c.(framework.Linker)
	must.Do(t, l.AssignLinked(t.Context(), m, twoGroups, nil))
	must.Get(l.LinkCosts(t.Context(), m, twoGroups, nil))(t)
	c.Scratch(1)
	if diff := cmp.Diff(map[string]int{"prepare": 1, "foresee": 1, "assign_linked": 1, "link_costs": 1}, own.called); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if begun, ended := steps.Counts(); begun != 5 || ended != 5 { // those three, Begin and Scratch
		t.Errorf("%d steps began and %d ended", begun, ended)
	}
	if _, ok := steps.Count(own.toy).(framework.Linker); ok {
		t.Error("an algorithm without links has become a Linker")
	}
}
