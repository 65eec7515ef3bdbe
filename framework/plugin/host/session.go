package host

import (
	"context"
	"maps"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// A Session is an algorithm bound to a problem and its rows, in a plugin
// process. It implements framework.Clusterer: each step is a call, and gives
// the same bits as in the process of the algorithm. Of the optional interfaces it
// implements none: see Session.Clusterer. It is as safe for concurrent use as a
// Clusterer must be: steps that concern one block each may run at the same time
// for different blocks.
type Session struct {
	p      *Process
	number uint64
	rows   int
	shape  wire.Shape
	plan   framework.Plan
	begin  *framework.Model

	// The algorithm's clusterer is a framework.Selector, Pather, Linker.
	selects, paths, links bool
	costs                 bool // … and a Coster
	boards                bool // the plugin writes results to a board
	linkCount             int

	problem framework.Problem // for the driver, when it runs in this process
	data    matrix.Handle

	firstError
	mu     sync.Mutex
	driven bool // from this process: the plugin does not serve Fit
	calls  map[string]int
}

var (
	_ framework.Clusterer = (*Session)(nil)
	_ fit.Session         = (*Session)(nil)
	_ fit.Host            = (*Process)(nil)
)

// Open binds the named algorithm to a problem and to data that the plugin maps
// into its memory. The data must stay open as long as the session. Faults of
// the algorithm's New arrive as they are.
func (p *Process) Open(ctx context.Context, algorithm string, prob framework.Problem, data matrix.Handle) (*Session, error) {
	if data.Path == "" {
		return nil, framework.Faultf(framework.Internal, "bad-data-handle", "the data are in plain memory, which a plugin cannot see")
	}
	problem, err := wire.Problem(prob)
	if err != nil {
		return nil, err
	}
	done, err := wire.Labels(prob.Labels, problem)
	if err != nil {
		return nil, err
	}
	defer done() // the plugin has copied it
	got, err := invoke(ctx, p, "open", p.calls.Open, &pb.OpenRequest{Algorithm: algorithm, Problem: problem, Data: wire.Handle(data)})
	if err != nil {
		return nil, err
	}
	s := &Session{
		p: p, number: got.GetSession(), rows: data.Rows, shape: wire.Shape{K: prob.K, P: prob.P},
		selects: got.GetSelects(), paths: got.GetPaths(), links: got.GetLinks(), costs: got.GetCosts(),
		boards: got.GetBoards(), linkCount: len(prob.Links), calls: make(map[string]int), problem: prob, data: data,
	}
	if s.plan, err = wire.ReadPlan(got.GetPlan(), s.shape); err != nil {
		return nil, err
	}
	if s.plan.Linked && !s.links {
		return nil, wire.Nonsense("a plan for links from an algorithm that does not support them")
	}
	if s.paths && !s.selects {
		return nil, wire.Nonsense("a path of an algorithm that selects nothing")
	}
	if s.begin, err = wire.ReadModel(got.GetBegin(), s.shape); err != nil {
		return nil, err
	}
	return s, nil
}

// Bind implements fit.Host: it is Open, of rows that are shared if they were not.
func (p *Process) Bind(ctx context.Context, algorithm string, prob framework.Problem, rows *matrix.Data) (fit.Session, error) {
	if err := rows.Share(); err != nil {
		return nil, err
	}
	s, err := p.Open(ctx, algorithm, prob, rows.Handle())
	if err != nil {
		return nil, err
	}
	return s, nil
}

// step makes the call of one step, and counts it.
func step[Request, Response any](
	ctx context.Context, s *Session, name string, call method[Request, Response], req Request,
) (Response, error) {
	s.count(name)
	return invoke(ctx, s.p, name, call, req)
}

func (s *Session) count(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[name]++
}

// Calls returns how often each call was made, by name: "fit", "sweep", "assign",
// "collect", "update", "project", "distances", "costs", "features", "grid",
// "assign_linked", "link_costs".
func (s *Session) Calls() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.calls)
}

// Plan implements framework.Clusterer. The plugin keeps one model ready at a
// time, so restarts that run side by side would slow each other down.
func (s *Session) Plan() framework.Plan {
	plan := s.plan
	plan.OneModel = true
	return plan
}

// Begin implements framework.Clusterer.
func (s *Session) Begin() *framework.Model { return s.begin.Clone() }

// Scratch implements framework.Clusterer. The plugin keeps the real scratch.
func (s *Session) Scratch(int) framework.Scratch { return nil }

// Close stops the session's calls and frees what the plugin keeps for it. It is
// a Fault if they do not stop within two seconds. After the end of the process
// there is nothing to do.
func (s *Session) Close() error {
	return end(s.p, "close", s.p.calls.Close, &pb.CloseRequest{Session: s.number})
}
