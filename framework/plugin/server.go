package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// server is the side of the plugin.
type server struct {
	pb.UnimplementedPluginServer
	names      []string
	algorithms map[string]framework.Algorithm
	kindNames  []string
	kinds      map[string]framework.SetKind

	mu       sync.Mutex
	sessions map[uint64]*hosted
	sets     map[string]hostedSet
	last     uint64 // number of a session or set

	steps fit.Steps // of the drivers here
}

func newServer(all Served) (*server, error) {
	s := &server{
		algorithms: make(map[string]framework.Algorithm), sessions: make(map[uint64]*hosted),
		kinds: make(map[string]framework.SetKind), sets: make(map[string]hostedSet),
	}
	for _, a := range all.Algorithms {
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
	if err := s.addKinds(all.Sets); err != nil {
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
	defer func() { err = toStatus(err) }()
	defer caught(&err)
	all := new(pb.DescribeResponse)
	for _, name := range s.names {
		all.Algorithms = append(all.Algorithms, wireDescription(s.algorithms[name].Describe()))
	}
	for _, name := range s.kindNames {
		all.Sets = append(all.Sets, wireSetDescription(s.kinds[name].Describe()))
	}
	return all, nil
}

// Open implements the protocol.
func (s *server) Open(_ context.Context, req *pb.OpenRequest) (_ *pb.OpenResponse, err error) {
	defer func() { err = toStatus(err) }()
	defer caught(&err)
	a := s.algorithms[req.GetAlgorithm()]
	if a == nil {
		f := framework.Faultf(framework.Usage, "algorithm-not-found", "the plugin has no algorithm %q", req.GetAlgorithm())
		f.Details = append(f.Details, s.names...)
		f.Similar = framework.Closest(req.GetAlgorithm(), s.names)
		return nil, f
	}
	p, err := readProblem(req.GetProblem())
	if err != nil {
		return nil, err
	}
	d := req.GetData()
	data, err := matrix.Open(matrix.Handle{
		Path: d.GetPath(), Rows: int(d.GetRows()), Cols: int(d.GetCols()), BlockRows: int(d.GetBlockRows()), Weighted: d.GetWeighted(),
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = data.Close()
		}
	}()
	if d.GetCols() != int64(p.P) {
		return nil, status.Errorf(codes.InvalidArgument, "%d columns of data for %d features", d.GetCols(), p.P)
	}
	if p.Links, err = readLinks(req.GetProblem().GetLinks(), int(d.GetRows())); err != nil {
		return nil, err
	}
	c, err := a.New(p)
	if err != nil {
		return nil, err
	}
	h := newHosted(c, p, data)
	begin := c.Begin()
	_, selects := framework.As[framework.Selector](c)
	_, links := framework.As[framework.Linker](c)
	_, paths := framework.As[framework.Pather](c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.sessions[s.last] = h
	return &pb.OpenResponse{Session: s.last, Plan: wirePlan(h.plan), Begin: wireModel(begin), Selects: selects, Links: links, Paths: paths}, nil
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
		return nil, toStatus(ctx.Err())
	}
}

// enter returns a session for one call, to be left after it.
func (s *server) enter(number uint64) (*hosted, error) {
	s.mu.Lock()
	h := s.sessions[number]
	s.mu.Unlock()
	if h == nil || !h.enter() {
		return nil, closedFault("the session")
	}
	return h, nil
}

// hosted is a session on the side of the plugin.
type hosted struct {
	c     framework.Clusterer
	plan  framework.Plan
	p     framework.Problem
	shape shape
	data  *matrix.Data

	// turn makes calls that concern all rows wait for each other: one that was
	// cancelled may still be on its way out when the next comes.
	turn    sync.RWMutex
	scratch []blockScratch
	model   *framework.Model // the last one that was prepared, and what it was read from
	wire    *pb.Model

	life   context.Context // ends when the session is closed
	end    context.CancelFunc
	mu     sync.Mutex
	calls  int
	closed bool
	idle   chan struct{} // closed when the data have been unmapped
}

// A blockScratch is the scratch of one block, made when first needed.
type blockScratch struct {
	mu sync.Mutex
	s  framework.Scratch
}

func newHosted(c framework.Clusterer, p framework.Problem, data *matrix.Data) *hosted {
	h := &hosted{
		c: c, plan: c.Plan(), p: p, shape: shape{p.K, p.P}, data: data,
		scratch: make([]blockScratch, data.Blocks()), idle: make(chan struct{}),
	}
	h.life, h.end = context.WithCancel(context.Background())
	return h
}

func (h *hosted) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.calls++
	return true
}

func (h *hosted) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls--
	h.unmap()
}

func (h *hosted) close() {
	h.end()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.unmap()
}

// unmap frees the data once no call can touch them any more.
func (h *hosted) unmap() {
	if h.closed && h.calls == 0 {
		_ = h.data.Close() // read-only: nothing can be lost
		close(h.idle)
	}
}
