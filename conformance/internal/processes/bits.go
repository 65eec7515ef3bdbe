package processes

import (
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// fitIn fits in a process, from the start labels and two other starts.
func fitIn(b *testbed.Bed, s *host.Session) *fit.Result {
	res, err := s.Fit(b.Ctx, fit.Start{}, starts(b), nil)
	if err != nil {
		if !testbed.IsRefusal(err) {
			b.Failf("a fit in the plugin fails with %v", err)
		}
		b.Skipf("the fit is refused: %v", err)
	}
	return res
}

// starts are settings with random starts.
func starts(b *testbed.Bed) fit.Settings {
	st := b.Settings(2)
	st.Restarts, st.MaxIter = 3, 20
	return st
}

func sameDrivers(c *judge.Trial, h *Holder) {
	b := testbed.Draw(c, h.algorithm(c), testbed.Want{})
	own := session(b, h.ready(c))
	inside := fitIn(b, own)
	if own.Driven() {
		c.Skipf("the plugin has no driver of its own: it serves the steps, and not Fit")
	}
	b.SameResults(b.FitOrSkip(fit.Start{}, starts(b)), inside, "with the driver in the host, and not in the plugin,")
}

// fewProcessors are variables by which programs use a single processor.
var fewProcessors = []string{"GOMAXPROCS=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1"}

// twoProcesses needs rows enough for several threads, and cuts of them, in some cases.
func twoProcesses(c *judge.Trial, h *Holder) {
	w := testbed.Want{Smooth: true}
	if c.Number%2 == 0 {
		w.Shape = func(c *judge.Trial) (int, int, int) { return 1000 + 10*c.Size, c.Between(2, 9), c.Between(2, 5) }
	}
	b := testbed.Draw(c, h.algorithm(c), w)
	one := fitIn(b, session(b, h.ready(c)))
	b.SameResults(fitIn(b, session(b, h.start(c, host.Options{}, fewProcessors...))), one, "in another process, which has one processor,")
}

func sameDescription(c *judge.Trial, h *Holder) {
	for _, p := range []*host.Process{h.ready(c), h.start(c, host.Options{})} {
		algorithms, err := p.Describe(c.Ctx)
		c.Must(err)
		kinds, err := p.DescribeSets(c.Ctx)
		c.Must(err)
		if !reflect.DeepEqual(algorithms, h.Served) || !reflect.DeepEqual(kinds, h.Kinds) {
			c.Failf("the program says of itself %+v %+v once, and %+v %+v another time", h.Served, h.Kinds, algorithms, kinds)
		}
	}
}

// digits looks at the numbers of a model that follow from rows of many digits: one with
// fifteen digits at most is rare, and so many of them never occur.
func digits(c *judge.Trial, h *Holder) {
	b := testbed.Draw(c, h.algorithm(c), testbed.Want{Smooth: true, Complete: true, Shape: func(c *judge.Trial) (int, int, int) {
		return c.Between(20, 30), c.Between(3, 6), c.Between(2, 3)
	}})
	m := b.Model(b.Labels)
	for name, list := range map[string][]float64{"centers": m.Centers.Data, "distances": b.Distances(m).Data} {
		long, all := 0, 0
		for _, v := range list {
			if v != 0 && v != math.Trunc(v) {
				all++
				if again, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64); err != nil || again != v {
					long++
				}
			}
		}
		if all >= 6 && long == 0 {
			c.Failf("each of %d numbers of the %s is one of fifteen digits, such as %v: the others are lost on the way", all, name, list[0])
		}
	}
	// The numbers that are sent: a center that is two units in the last place away.
	x := b.Rows.X.Row(0)
	at, off := m.Clone(), m.Clone()
	for l, v := range x {
		at.Centers.Row(0)[l], off.Centers.Row(0)[l] = v, math.Nextafter(math.Nextafter(v, 8), 8)
	}
	if near := b.Distances(at).Row(0)[0]; near != 0 {
		c.Skipf("a row that is at its center is at distance %g of it", near)
	}
	if b.Distances(off).Row(0)[0] == 0 && b.Distances(movedBy(off, x, 1e-3)).Row(0)[0] > 0 {
		c.Failf("row 0 is %v, and center 0 two units in the last place beside it, but their distance is 0: digits are lost on the way", x)
	}
}

// keepsModel gives Project a model with a list that is not the algorithm's.
func keepsModel(c *judge.Trial, h *Holder) {
	b := testbed.Draw(c, h.algorithm(c), testbed.Want{})
	m := b.Model(b.Labels)
	at := b.Update(m, b.Labels).At[framework.Centers]
	if at == nil {
		c.Skipf("centers are not projected")
	}
	const name = "not the algorithm's"
	list := []float64{1.5, math.Copysign(0, -1), 0.1}
	if m.Aux == nil {
		m.Aux = map[string][]float64{}
	}
	m.Aux[name] = slices.Clone(list)
	c.Given("the model has the list %q, %v, in aux", name, list)
	if _, err := b.Clusterer.Project(m, framework.Centers, *at); err != nil {
		c.Skipf("Project refuses a model with a list that it does not know: %v", err)
	}
	if judge.Differ(m.Aux[name], list) >= 0 || len(m.Aux[name]) != len(list) {
		c.Failf("Project returns a model with %v in place of that list: fields of a model that are not used are to be returned as they were",
			m.Aux[name])
	}
}

// movedBy puts the first center of a model so far from a row, in each column.
func movedBy(m *framework.Model, x []float64, by float64) *framework.Model {
	far := m.Clone()
	for l, v := range x {
		far.Centers.Row(0)[l] = v + by
	}
	return far
}

func manySessions(c *judge.Trial, h *Holder) {
	r := h.algorithm(c)
	b := testbed.Draw(c, r, testbed.Want{})
	p := h.ready(c)
	m, labels := b.Rounds(2, true)
	other := testbed.Draw(c, r, testbed.Want{})
	c.Given("the second problem is of another session, whose steps come in between")
	mine := *b
	mine.Clusterer = session(b, p)
	n, now := mine.Clusterer.Begin(), b.Labels
	for range 2 {
		mine.Project(n, mine.Update(n, now))
		other.Rounds(1, true)
		now = mine.Assign(n, now)
	}
	b.SameLabels(now, labels, "a session gives other labels with another one open")
	between := session(testbed.Draw(c, r, testbed.Want{}), p) // a number that is free again may be given to another session
	first := mine.Data.Handle()
	again, err := p.Open(c.Ctx, b.Description.Name, b.Problem, first)
	c.Must(err)
	c.Must(between.Close())
	session(testbed.Draw(c, r, testbed.Want{}), p)
	late := mine
	late.Clusterer = again
	c.AtEnd(func() { _ = again.Close() })
	b.SameLabels(late.Assign(n, now), mine.Assign(n, now), "after others were closed and opened, a session gives other labels")
	b.SameModel(m, n, "a session gives another model with another one open")
}
