package plugin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// server is the side of the plugin.
type server struct {
	pb.UnimplementedPluginServer
	names      []string
	algorithms map[string]framework.Algorithm
	kindNames  []string
	kinds      map[string]framework.Kind

	mu        sync.Mutex
	sessions  map[uint64]*session
	sets      map[string]openSet
	labelSets map[string]openLabelSet
	last      uint64 // number of a session or set

	steps fit.Steps // of the drivers here
}

func newServer(algorithms []framework.Algorithm, kinds []framework.Kind) (*server, error) {
	s := &server{
		algorithms: make(map[string]framework.Algorithm), sessions: make(map[uint64]*session),
		kinds: make(map[string]framework.Kind), sets: make(map[string]openSet), labelSets: make(map[string]openLabelSet),
	}
	for _, a := range algorithms {
		d := a.Describe()
		if err := d.Check(); err != nil {
			return nil, fmt.Errorf("plugin.Serve: %w", err)
		}
		name := d.Name
		if s.algorithms[name] != nil {
			return nil, fmt.Errorf("plugin.Serve: two algorithms of the name %q", name)
		}
		s.algorithms[name] = a
		s.names = append(s.names, name)
	}
	if err := s.addKinds(kinds); err != nil {
		return nil, err
	}
	if len(s.names)+len(s.kindNames) == 0 {
		return nil, errors.New("plugin.Serve: no algorithm")
	}
	return s, nil
}

// Watch implements the protocol.
func (s *server) Watch(req *pb.WatchRequest, beats grpc.ServerStreamingServer[pb.Beat]) error {
	ticker := time.NewTicker(max(time.Millisecond, time.Duration(req.GetIntervalMs())*time.Millisecond))
	defer ticker.Stop()
	for {
		begun, ended := s.steps.Counts()
		if err := beats.Send(&pb.Beat{StepsBegun: begun, StepsEnded: ended}); err != nil {
			return err
		}
		select {
		case <-ticker.C:
		case <-beats.Context().Done():
			return nil
		}
	}
}

// Describe implements the protocol.
func (s *server) Describe(context.Context, *pb.DescribeRequest) (_ *pb.DescribeResponse, err error) {
	defer answer(&err)
	all := new(pb.DescribeResponse)
	for _, name := range s.names {
		all.Algorithms = append(all.Algorithms, wire.Description(s.algorithms[name].Describe()))
	}
	for _, name := range s.kindNames {
		all.Sets = append(all.Sets, wire.SetDescription(s.kinds[name].Describe()))
	}
	return all, nil
}

// Open implements the protocol.
func (s *server) Open(_ context.Context, req *pb.OpenRequest) (_ *pb.OpenResponse, err error) {
	defer answer(&err)
	defer func() {
		if err != nil {
			expectNothing()
		}
	}()
	a := s.algorithms[req.GetAlgorithm()]
	if a == nil {
		f := framework.Faultf(framework.Usage, "algorithm-not-found", "the plugin has no algorithm %q", req.GetAlgorithm())
		f.Details = append(f.Details, s.names...)
		f.Similar = framework.Closest(req.GetAlgorithm(), s.names)
		return nil, f
	}
	p, err := wire.ReadProblem(req.GetProblem())
	if err != nil {
		return nil, err
	}
	data, err := matrix.Open(wire.ReadHandle(req.GetData()))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = data.Close()
		}
	}()
	if cols := req.GetData().GetCols(); cols != int64(p.P) {
		return nil, status.Errorf(codes.InvalidArgument, "%d columns of data for %d features", cols, p.P)
	}
	if p.Links, err = wire.ReadLinks(req.GetProblem().GetLinks(), int(req.GetData().GetRows())); err != nil {
		return nil, err
	}
	if p.Labels, err = readLabels(req.GetProblem(), data.Len()); err != nil {
		return nil, err
	}
	c, err := a.New(p)
	if err != nil {
		return nil, err
	}
	h := newSession(a, c, p, data)
	begin := c.Begin()
	_, selects := framework.As[framework.Selector](c)
	_, links := framework.As[framework.Linker](c)
	_, paths := framework.As[framework.Pather](c)
	_, costs := framework.As[framework.Coster](c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.sessions[s.last] = h
	return &pb.OpenResponse{
		Session: s.last, Plan: wire.Plan(h.plan), Begin: wire.Model(begin), Selects: selects, Links: links, Paths: paths, Costs: costs,
		Boards: matrix.SharesMemory,
	}, nil
}

// Close implements the protocol.
func (s *server) Close(ctx context.Context, req *pb.CloseRequest) (*pb.CloseResponse, error) {
	s.mu.Lock()
	h := s.sessions[req.GetSession()]
	delete(s.sessions, req.GetSession())
	s.mu.Unlock()
	if h == nil {
		return &pb.CloseResponse{}, nil
	}
	h.close()
	select {
	case <-h.idle:
		return &pb.CloseResponse{}, nil
	case <-ctx.Done():
		return nil, wire.Status(ctx.Err())
	}
}

// enter returns a session for one call, to be left after it.
func (s *server) enter(number uint64) (*session, error) {
	s.mu.Lock()
	h := s.sessions[number]
	s.mu.Unlock()
	if h == nil || !h.enter() {
		return nil, wire.Closed("the session")
	}
	return h, nil
}

// answer turns the error of a call, or a panic of the algorithm or the set, into a
// gRPC status. The stack goes to standard error, for the author, with an empty
// line at the end. To be deferred.
func answer(err *error) {
	if r := recover(); r != nil {
		fmt.Fprintf(os.Stderr, "recovered from panic: %v\n%s\n", r, debug.Stack())
		*err = framework.Faultf(framework.Plugin, "plugin-panic", "the algorithm stopped with an internal error: %v", r).
			WithHint(wire.ReportBug)
	}
	*err = wire.Status(*err)
}
