package conformance

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// How long a law waits for what must happen: what docs/plugin-authors.md promises,
// with room for a busy machine.
const (
	byHandTime = 5 * time.Second
	orphanTime = 3 * time.Second
	silence    = time.Second // after which a frozen process counts as hung
)

// processContract is the source of the laws of processes.
const processContract = "package framework/plugin"

var processLaws = []law[*holder]{
	{Law: Law{"process/by-hand", "Started by hand, the program says that it is a plugin, and ends with a status other than 0.",
		processContract, Core}, once: true, check: byHand},
	{Law: Law{"process/unknown-algorithm", "Asking for an unknown algorithm is a Fault, and the process lives on.",
		processContract, Core}, once: true, check: unknownAlgorithm},
	{Law: Law{"process/data-handle",
		"A handle to less data than it claims, or to data of another shape than the problem, is refused, and the process lives on.",
		"matrix.Open", Core}, once: true, check: badHandle},
	{Law: Law{"process/closed-session", "A step of a closed session is refused, and the process lives on.", processContract, Core},
		once: true, check: closedSession},
	{Law: Law{"process/driver", "The driver in the plugin and the driver in the host give the same bits.", processContract, Core}, cases: 10,
		check: sameDrivers},
	{Law: Law{"process/description", "The program describes itself in the same way each time, and in each process.", processContract, Core},
		once: true, check: sameDescription},
	{Law: Law{"process/digits", "Numbers arrive with all their digits.", "docs/plugin-protocol.md", Core}, cases: 10, check: digits},
	{Law: Law{"process/two-processes", "Two processes of the program give the same bits, also where one has fewer processors.",
		"framework.Rand", Core}, cases: 6,
		check: twoProcesses},
	{Law: Law{"process/sessions", "Sessions that are open at the same time do not affect each other.", processContract, Core}, cases: 6,
		check: manySessions},
	{Law: Law{"process/cancellation", "A fit that is cancelled ends, its session closes, and the process lives on.", processContract, Core},
		cases: 4, check: cancelledFit},
	{Law: Law{"process/killed", "After a process is killed, the next call is an error, and nothing is left behind.", processContract, Core},
		once: true, check: killed},
	{Law: Law{"process/frozen", "A process that is stopped counts as hung, and is killed.", processContract, Core}, once: true, check: frozen},
	{Law: Law{"process/strangers", "The process answers its host alone: no client without the certificate, or without encryption.",
		"docs/plugin-protocol.md, Certificates", Core}, once: true, check: strangers},
	{Law: Law{"process/children", "No process that the program has started outlives it.", processContract, Core}, once: true,
		check: children},
	{Law: Law{"process/close", "Close ends the process.", processContract, Core}, once: true, check: closes},
	{Law: Law{"process/orphan", "The process ends when its host dies.", processContract, Core}, once: true, check: orphan},
}

// start starts a process of its own for the case, with further environment variables.
func (h *holder) start(c *trial, o host.Options, env ...string) *host.Process {
	o.StepTimeout = h.stepTimeout
	program := h.program
	program.Env = env
	p, err := host.Launch(c.ctx, program, o)
	c.must(err)
	c.atEnd(func() { _ = p.Close() })
	return p
}

// algorithm returns one of the algorithms as a subject, each in turn.
func (h *holder) algorithm(c *trial) remote {
	if len(h.served) == 0 {
		c.skipf("the plugin serves no algorithms")
	}
	i := c.index % len(h.served)
	c.index /= len(h.served)
	return remote{h, c.ctx, h.served[i].Name}
}

// alive fails unless the process still answers.
func alive(c *trial, p *host.Process, after string) {
	if _, err := p.Describe(c.ctx); err != nil {
		c.failf("after %s, the process does not answer any more: %v", after, err)
	}
}

func byHand(c *trial, h *holder) {
	path, err := exec.LookPath(h.program.Path)
	c.must(err)
	patience := c.patience(byHandTime)
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, h.program.Args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var status *exec.ExitError
	switch {
	case ctx.Err() != nil:
		c.failf("it does not end within %v: a user who starts it waits for ever", patience)
	case err == nil:
		c.failf("it ends with status 0, as if something had been done; it said %q", said.String())
	case !errors.As(err, &status):
		c.must(err)
	case strings.TrimSpace(said.String()) == "":
		c.failf("it ends with %v and says nothing", err)
	}
}

func unknownAlgorithm(c *trial, h *holder) {
	p := h.ready(c)
	data, release, err := share(sample{framework.NewMatrix(4, 2), nil, 2})
	c.must(err)
	defer release()
	name := "no-such-algorithm"
	c.given("the algorithm %s", name)
	_, err = p.Open(c.ctx, name, framework.Problem{N: 4, P: 2, K: 2, Columns: make([]framework.Column, 2)}, data.Handle())
	if f := framework.AsFault(err); f == nil || f.Code != "algorithm-not-found" {
		c.failf("the error is %v; it must be the Fault algorithm-not-found", err)
	}
	alive(c, p, "it was asked for an unknown algorithm")
}

func badHandle(c *trial, h *holder) {
	p := h.ready(c)
	b := c.bed(h.algorithm(c), want{plain: true, complete: true})
	good := b.data.Handle()
	short := filepath.Join(tempDir(c), "short")
	c.must(os.WriteFile(short, make([]byte, 4), 0o600))
	for what, bad := range map[string]func(h *matrix.Handle){
		"more rows than there are":                func(h *matrix.Handle) { h.Rows = 1 << 30 },
		"weights that are not there":              func(h *matrix.Handle) { h.Rows, h.Weighted = 1<<20, true },
		"a column more than the problem has":      func(h *matrix.Handle) { h.Cols++; h.Rows /= 2 },
		"a file of 4 bytes":                       func(h *matrix.Handle) { h.Path = short },
		"a file that does not exist":              func(h *matrix.Handle) { h.Path = short + "er" },
		"blocks of no rows":                       func(h *matrix.Handle) { h.BlockRows = 0 },
		"fewer rows than none":                    func(h *matrix.Handle) { h.Rows = -1 },
		"so many cells that their size overflows": func(h *matrix.Handle) { h.Rows = 1 << 62 },
	} {
		handle := good
		bad(&handle)
		c.input = nil
		c.given("a handle with %s", what)
		s, err := p.Open(c.ctx, h.served[0].Name, b.p, handle)
		if err == nil {
			_ = s.Close()
			c.failf("it is accepted")
		}
		alive(c, p, "a handle with "+what)
	}
}

// tempDir returns a directory that is removed at the end of the case.
func tempDir(c *trial) string {
	dir, err := os.MkdirTemp("", "sqlcluster-conformance")
	c.must(err)
	c.atEnd(func() { _ = os.RemoveAll(dir) })
	return dir
}

// session opens a session of the bed's problem in a process.
func (b *bed) session(p *host.Process) *host.Session {
	s, err := p.Open(b.ctx, b.d.Name, b.p, b.data.Handle())
	if err != nil {
		b.failf("a problem is taken by one session, but not by another: %v", err)
	}
	b.atEnd(func() { _ = s.Close() })
	return s
}

func closedSession(c *trial, h *holder) {
	p := h.ready(c)
	b := c.bed(h.algorithm(c), want{})
	s := b.session(p)
	m := s.Begin()
	c.must(s.Close())
	if _, err := s.Update(c.ctx, m, framework.NewStats(b.plan.Stats), nil, b.labels); framework.AsFault(err) == nil {
		c.failf("an Update after Close ends with %v; it must be a Fault", err)
	}
	if _, err := s.Fit(c.ctx, startFrom(b.labels), b.settings(1), nil); framework.AsFault(err) == nil {
		c.failf("a fit after Close ends with %v; it must be a Fault", err)
	}
	alive(c, p, "a step of a closed session")
}

// fitIn fits in a process, from the start labels and two other starts.
func (b *bed) fitIn(s *host.Session) *fit.Result {
	res, err := s.Fit(b.ctx, fit.Start{}, b.starts(), nil)
	if err != nil {
		if !refusal(err) {
			b.failf("a fit in the plugin fails with %v", err)
		}
		b.skipf("the fit is refused: %v", err)
	}
	return res
}

// starts are settings with random starts.
func (b *bed) starts() fit.Settings {
	st := b.settings(2)
	st.Restarts, st.MaxIter = 3, 20
	return st
}

func sameDrivers(c *trial, h *holder) {
	b := c.bed(h.algorithm(c), want{})
	own := b.session(h.ready(c))
	inside := b.fitIn(own)
	if own.Driven() {
		c.skipf("the plugin has no driver of its own: it serves the steps, and not Fit")
	}
	b.sameResults(b.fitOrSkip(fit.Start{}, b.starts()), inside, "with the driver in the host, and not in the plugin,")
}

// fewProcessors are variables by which programs use a single processor.
var fewProcessors = []string{"GOMAXPROCS=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1"}

// twoProcesses needs rows enough for several threads, and cuts of them, in some cases.
func twoProcesses(c *trial, h *holder) {
	w := want{smooth: true}
	if c.number%2 == 0 {
		w.shape = func(c *trial) (int, int, int) { return 1000 + 10*c.size, c.between(2, 9), c.between(2, 5) }
	}
	b := c.bed(h.algorithm(c), w)
	one := b.fitIn(b.session(h.ready(c)))
	b.sameResults(b.fitIn(b.session(h.start(c, host.Options{}, fewProcessors...))), one, "in another process, which has one processor,")
}

func sameDescription(c *trial, h *holder) {
	for _, p := range []*host.Process{h.ready(c), h.start(c, host.Options{})} {
		algorithms, err := p.Describe(c.ctx)
		c.must(err)
		kinds, err := p.DescribeSets(c.ctx)
		c.must(err)
		if !reflect.DeepEqual(algorithms, h.served) || !reflect.DeepEqual(kinds, h.kinds) {
			c.failf("the program says of itself %+v %+v once, and %+v %+v another time", h.served, h.kinds, algorithms, kinds)
		}
	}
}

// digits looks at the numbers of a model that follow from rows of many digits: one with
// fifteen digits at most is rare, and so many of them never occur.
func digits(c *trial, h *holder) {
	b := c.bed(h.algorithm(c), want{smooth: true, complete: true, shape: func(c *trial) (int, int, int) {
		return c.between(20, 30), c.between(3, 6), c.between(2, 3)
	}})
	m := b.model(b.labels)
	for name, list := range map[string][]float64{"centers": m.Centers.Data, "distances": b.distances(m).Data} {
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
			c.failf("each of %d numbers of the %s is one of fifteen digits, such as %v: the others are lost on the way", all, name, list[0])
		}
	}
	// The numbers that are sent: a center that is two units in the last place away.
	x := b.rows.x.Row(0)
	at, off := m.Clone(), m.Clone()
	for l, v := range x {
		at.Centers.Row(0)[l], off.Centers.Row(0)[l] = v, math.Nextafter(math.Nextafter(v, 8), 8)
	}
	if near := b.distances(at).Row(0)[0]; near != 0 {
		c.skipf("a row that is at its center is at distance %g of it", near)
	}
	if b.distances(off).Row(0)[0] == 0 && b.distances(movedBy(off, x, 1e-3)).Row(0)[0] > 0 {
		c.failf("row 0 is %v, and center 0 two units in the last place beside it, but their distance is 0: digits are lost on the way", x)
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

func strangers(c *trial, h *holder) {
	answers, err := host.AnswersStrangers(c.ctx, h.program, host.Options{})
	c.must(err)
	if answers {
		c.failf("a client without the certificate of the host asked for the algorithms, and got an answer: " +
			"demand the certificate that is in PLUGIN_CLIENT_CERT")
	}
}

func manySessions(c *trial, h *holder) {
	r := h.algorithm(c)
	b := c.bed(r, want{})
	p := h.ready(c)
	m, labels := b.rounds(2, true)
	other := c.bed(r, want{})
	c.given("the second problem is of another session, whose steps come in between")
	mine := *b
	mine.c = b.session(p)
	n, now := mine.c.Begin(), b.labels
	for range 2 {
		mine.project(n, mine.update(n, now))
		other.rounds(1, true)
		now = mine.assign(n, now)
	}
	b.sameLabels(now, labels, "a session gives other labels with another one open")
	between := c.bed(r, want{}).session(p) // a number that is free again may be given to another session
	first := mine.data.Handle()
	again, err := p.Open(c.ctx, b.d.Name, b.p, first)
	c.must(err)
	c.must(between.Close())
	c.bed(r, want{}).session(p)
	late := mine
	late.c = again
	c.atEnd(func() { _ = again.Close() })
	b.sameLabels(late.assign(n, now), mine.assign(n, now), "after others were closed and opened, a session gives other labels")
	b.sameModel(m, n, "a session gives another model with another one open")
}
