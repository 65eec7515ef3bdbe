package plugin

import (
	"context"
	"fmt"
	"sync"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/proto"
)

// server is the plugin's end of the protocol.
type server struct {
	proto.UnimplementedClustererServer
	algorithms []framework.Algorithm

	mu       sync.Mutex
	sessions map[int64]*served
	last     int64
}

// served is an open session.
type served struct {
	clusterer framework.Clusterer
	problem   framework.Problem
	plan      framework.Plan
	data      *matrix.Data

	mu      sync.Mutex
	scratch map[int64]framework.Scratch // by block; taken out while in use
}

func newServer(algorithms []framework.Algorithm) *server {
	return &server{algorithms: algorithms, sessions: map[int64]*served{}}
}

// caught runs a handler, and makes its error or panic a fault of the reply.
func caught(handler func() error) (fault *proto.Fault) {
	defer func() {
		if r := recover(); r != nil {
			fault = toFault(framework.Faultf(framework.Plugin, "plugin-panic", "the algorithm stopped with an internal error: %s", fmt.Sprint(r)).
				WithHint("this is a bug in the plugin; please report it to its author"))
		}
	}()
	return toFault(handler())
}

func (s *server) Describe(context.Context, *proto.DescribeRequest) (*proto.DescribeReply, error) {
	reply := &proto.DescribeReply{}
	for _, a := range s.algorithms {
		reply.Algorithms = append(reply.Algorithms, toDescription(a.Describe()))
	}
	return reply, nil
}

func (s *server) Open(_ context.Context, r *proto.OpenRequest) (*proto.OpenReply, error) {
	reply := &proto.OpenReply{}
	reply.Fault = caught(func() error {
		v, err := s.open(r)
		if err != nil {
			return err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.last++
		s.sessions[s.last] = v
		reply.Session, reply.Plan, reply.Begin = s.last, toPlan(v.plan), toModel(v.clusterer.Begin())
		_, reply.Selects = v.clusterer.(framework.Selector)
		return nil
	})
	return reply, nil
}

func (s *server) open(r *proto.OpenRequest) (*served, error) {
	for _, a := range s.algorithms {
		if a.Describe().Name != r.GetAlgorithm() {
			continue
		}
		problem := fromProblem(r.GetProblem())
		h := fromData(r.GetData())
		if h.Rows != problem.N || h.Cols != problem.P || len(problem.Columns) != problem.P {
			return nil, framework.Faultf(framework.Plugin, "bad-data-handle", "the problem has %d×%d cells and %d columns, but the data %d×%d",
				problem.N, problem.P, len(problem.Columns), h.Rows, h.Cols)
		}
		c, err := a.New(problem)
		if err != nil {
			return nil, err
		}
		data, err := matrix.Open(h)
		if err != nil {
			return nil, err
		}
		return &served{clusterer: c, problem: problem, plan: c.Plan(), data: data, scratch: map[int64]framework.Scratch{}}, nil
	}
	return nil, framework.Faultf(framework.Plugin, "unknown-algorithm", "this plugin has no algorithm %q", r.GetAlgorithm())
}

// session returns an open session or a fault.
func (s *server) session(id int64) (*served, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.sessions[id]
	if !ok {
		return nil, framework.Faultf(framework.Plugin, "no-session", "session %d is not open", id)
	}
	return v, nil
}

func (s *server) Close(_ context.Context, r *proto.CloseRequest) (*proto.CloseReply, error) {
	s.mu.Lock()
	v, ok := s.sessions[r.GetSession()]
	delete(s.sessions, r.GetSession())
	s.mu.Unlock()
	if ok {
		return &proto.CloseReply{}, v.data.Close()
	}
	return &proto.CloseReply{}, nil
}

// block returns a block of the data, or a fault if there is none of the number
// or its rows are not as many as the labels.
func (v *served) block(i int64, labels int) (framework.Block, error) {
	if i < 0 || i >= int64(v.data.Blocks()) {
		return framework.Block{}, framework.Faultf(framework.Plugin, "bad-request", "there is no block %d", i)
	}
	b := v.data.Block(int(i))
	if labels != b.X.Rows {
		return framework.Block{}, framework.Faultf(framework.Plugin, "bad-request", "block %d has %d rows, but %d labels were sent", i, b.X.Rows, labels)
	}
	return b, nil
}

// model checks the shape of a model.
func (v *served) model(w *proto.Model) (*framework.Model, error) {
	m := fromModel(w)
	if c := m.Centers; c.Rows != v.problem.K || c.Cols != v.problem.P || len(c.Data) != c.Rows*c.Cols {
		return nil, framework.Faultf(framework.Plugin, "bad-request", "the model has %d×%d centers in %d numbers; %d×%d are needed",
			c.Rows, c.Cols, len(c.Data), v.problem.K, v.problem.P)
	}
	return m, nil
}
