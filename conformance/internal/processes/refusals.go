package processes

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/conformance/internal/cases"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

func byHand(c *judge.Trial, h *Holder) {
	path, err := exec.LookPath(h.program.Path)
	c.Must(err)
	patience := c.Patience(byHandTime)
	ctx, cancel := context.WithTimeout(c.Ctx, patience)
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
		c.Failf("it does not end within %v: a user who starts it waits for ever", patience)
	case err == nil:
		c.Failf("it ends with status 0, as if something had been done; it said %q", said.String())
	case !errors.As(err, &status):
		c.Must(err)
	case strings.TrimSpace(said.String()) == "":
		c.Failf("it ends with %v and says nothing", err)
	}
}

func unknownAlgorithm(c *judge.Trial, h *Holder) {
	p := h.ready(c)
	data, release, err := share(cases.Sample{X: framework.NewMatrix(4, 2), BlockRows: 2})
	c.Must(err)
	defer release()
	name := "no-such-algorithm"
	c.Given("the algorithm %s", name)
	_, err = p.Open(c.Ctx, name, framework.Problem{N: 4, P: 2, K: 2, Columns: make([]framework.Column, 2)}, data.Handle())
	if f := framework.AsFault(err); f == nil || f.Code != "algorithm-not-found" {
		c.Failf("the error is %v; it must be the Fault algorithm-not-found", err)
	}
	alive(c, p, "it was asked for an unknown algorithm")
}

func badHandle(c *judge.Trial, h *Holder) {
	p := h.ready(c)
	b := testbed.Draw(c, h.algorithm(c), testbed.Want{Plain: true, Complete: true})
	good := b.Data.Handle()
	short := filepath.Join(tempDir(c), "short")
	c.Must(os.WriteFile(short, make([]byte, 4), 0o600))
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
		c.Forget()
		c.Given("a handle with %s", what)
		s, err := p.Open(c.Ctx, h.Served[0].Name, b.Problem, handle)
		if err == nil {
			_ = s.Close()
			c.Failf("it is accepted")
		}
		alive(c, p, "a handle with "+what)
	}
}

// tempDir returns a directory that is removed at the end of the case.
func tempDir(c *judge.Trial) string {
	dir, err := os.MkdirTemp("", "sqlcluster-conformance")
	c.Must(err)
	c.AtEnd(func() { _ = os.RemoveAll(dir) })
	return dir
}

// session opens a session of the bed's problem in a process.
func session(b *testbed.Bed, p *host.Process) *host.Session {
	s, err := p.Open(b.Ctx, b.Description.Name, b.Problem, b.Data.Handle())
	if err != nil {
		b.Failf("a problem is taken by one session, but not by another: %v", err)
	}
	b.AtEnd(func() { _ = s.Close() })
	return s
}

func closedSession(c *judge.Trial, h *Holder) {
	p := h.ready(c)
	b := testbed.Draw(c, h.algorithm(c), testbed.Want{})
	s := session(b, p)
	m := s.Begin()
	c.Must(s.Close())
	if _, err := s.Update(c.Ctx, m, framework.NewStats(b.Plan.Stats), nil, b.Labels); framework.AsFault(err) == nil {
		c.Failf("an Update after Close ends with %v; it must be a Fault", err)
	}
	if _, err := s.Fit(c.Ctx, testbed.StartFrom(b.Labels), b.Settings(1), nil); framework.AsFault(err) == nil {
		c.Failf("a fit after Close ends with %v; it must be a Fault", err)
	}
	alive(c, p, "a step of a closed session")
}

func strangers(c *judge.Trial, h *Holder) {
	answers, err := host.AnswersStrangers(c.Ctx, h.program, host.Options{})
	c.Must(err)
	if answers {
		c.Failf("a client without the certificate of the host asked for the algorithms, and got an answer: " +
			"demand the certificate that is in PLUGIN_CLIENT_CERT")
	}
}
