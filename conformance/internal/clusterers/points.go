package clusterers

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
)

// points looks at what Update says of the points to project, on which the sets of
// users and of other plugins rely.
func points(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	m := b.Model(b.Labels)
	step := b.Update(m, b.Labels)
	for t, rows := range []int{b.K, 1} {
		at := step.At[t]
		if at == nil {
			continue
		}
		if at.X.Rows != rows || at.X.Cols != b.P {
			c.Failf("point %d of the step is %d × %d; it must be %d × %d", t, at.X.Rows, at.X.Cols, rows, b.P)
		}
		if err := at.Check(); err != nil {
			c.Failf("point %d of the step is wrong: %v", t, err)
		}
	}
	at := step.At[framework.Centers]
	if at == nil || !b.Plan.Squared {
		return
	}
	for j, n := range step.Mass {
		got := 1.0
		if at.RowMass != nil {
			got = at.RowMass[j]
		}
		if math.Abs(got-n) > 1e-12*b.Mass {
			c.Failf("the rows of cluster %d weigh %v, but RowMass has %v, by which sets weigh centers", j, n, got)
		}
	}
	gains(b, m, *at, lightest(step.Mass))
}

// lightest returns the cluster of least mass above 0.
func lightest(mass []float64) (least int) {
	for j, n := range mass {
		if n > 0 && (n < mass[least] || mass[least] == 0) {
			least = j
		}
	}
	return least
}

// gains compares the gain of one entry of center j with what the rows lose when
// the entry is 0.
func gains(b *testbed.Bed, m *framework.Model, at framework.Point, j int) {
	if !b.Description.Trims || b.Plan.Maximize || len(m.Aux) > 0 {
		return // the objective is more than distances, or missing cells are filled
	}
	full := m.Clone()
	full.Centers.CopyFrom(at.X)
	for l := range full.Selected {
		full.Selected[l] = true
	}
	dropped := full.Clone()
	l := b.Rand.IntN(b.P)
	dropped.Centers.Row(j)[l] = 0
	want := inertia(b, dropped, b.Labels) - inertia(b, full, b.Labels)
	if got := at.GainAt(j, l); !(math.Abs(got-want) <= 1e-9*b.Total()) {
		b.Failf("the point says that entry %d of center %d gains %v; the distances of the rows grow by %v when it is 0 "+
			"(RowMass %v, ColMass %v, Gain %v)", l, j, got, want, at.RowMass, at.ColMass, at.Gain)
	}
}

// stepsLast looks at a step after everything that may happen before it is projected.
func stepsLast(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	others := b.Start()
	c.Given("the labels of a second model %v", others)
	first, second := b.Model(b.Labels), b.Model(others)
	stats := b.Collect(b.Labels)
	step := b.UpdateFrom(first, stats, b.Labels)
	kept := copied(step)
	sameStep(b, step, kept, "a step changes by itself")
	b.Update(second, others)
	sameStep(b, step, kept, "a step is changed by an update of another model")
	b.Distances(second)
	stats.Zero()
	sameStep(b, step, kept, "a step changes with the statistics that it was made from")
	b.Project(first, step)
	after := first.Clone()
	for _, at := range step.At {
		if at != nil {
			copy(at.X.Data, guarded(len(at.X.Data)))
		}
	}
	b.SameModel(after, first, "the model changes with the point that was projected")
}

// copied returns a copy of a step that shares nothing with it.
func copied(step framework.Step) framework.Step {
	step.Mass = slices.Clone(step.Mass)
	for t, at := range step.At {
		if at != nil {
			step.At[t] = &framework.Point{X: at.X.Clone(), RowMass: slices.Clone(at.RowMass), ColMass: slices.Clone(at.ColMass),
				Gain: slices.Clone(at.Gain)}
		}
	}
	return step
}

// sameStep fails if the lists of two steps differ, bit for bit.
func sameStep(b *testbed.Bed, got, want framework.Step, what string) {
	if i := judge.Differ(got.Mass, want.Mass); i >= 0 {
		b.Failf("%s: entry %d of Mass is %v, and was %v", what, i, got.Mass[i], want.Mass[i])
	}
	for t, at := range got.At {
		if at == nil {
			continue
		}
		is, was := [][]float64{at.X.Data, at.RowMass, at.ColMass, at.Gain},
			[][]float64{want.At[t].X.Data, want.At[t].RowMass, want.At[t].ColMass, want.At[t].Gain}
		for n, name := range []string{"X", "RowMass", "ColMass", "Gain"} {
			if i := judge.Differ(is[n], was[n]); i >= 0 {
				b.Failf("%s: entry %d of %s is %v, and was %v", what, i, name, is[n][i], was[n][i])
			}
		}
	}
}

// rests projects the centers of fixed labels until the clusterer says that they rest.
func rests(c *judge.Trial, s testbed.Subject) {
	b := testbed.Draw(c, s, testbed.Want{})
	if b.Plan.Cadence[framework.Centers] != framework.EveryUpdate {
		c.Skipf("the centers are not projected in every iteration")
	}
	res := b.FitOrSkip(testbed.StartFrom(b.Labels), b.Settings(1))
	if slices.Contains(res.Labels, -1) {
		c.Skipf("rows have lost their labels")
	}
	for what, start := range map[string]struct {
		m      *framework.Model
		labels []int32
	}{"a start": {b.Clusterer.Begin(), b.Labels}, "a fit": {res.Model.Clone(), res.Labels}} {
		if what == "a fit" && !res.Converged {
			continue
		}
		restsFrom(b, start.m, start.labels, what)
	}
}

func restsFrom(b *testbed.Bed, m *framework.Model, labels []int32, what string) {
	const patience = 20
	said := 1.0
	for range patience {
		before := m.Centers.Clone()
		at := b.Update(m, labels).At[framework.Centers]
		o, err := b.Clusterer.Project(m, framework.Centers, *at)
		b.OK(err, "Project")
		if !(o.Change >= 0) || math.IsInf(o.Change, 1) {
			b.Failf("Project says that the model has changed by %v", o.Change)
		}
		var moved float64
		for i, v := range m.Centers.Data {
			moved = max(moved, math.Abs(v-before.Data[i]))
		}
		if said == 0 && moved > 1e-9*b.Extent() {
			b.Failf("after %s Project says Change 0, so that unmoved labels are enough to end, "+
				"but projecting again for the same labels moves a center by %v: from %s to %s",
				what, moved, judge.RowsOf(before), judge.RowsOf(m.Centers))
		}
		if said == 0 {
			return
		}
		said = o.Change
	}
}
