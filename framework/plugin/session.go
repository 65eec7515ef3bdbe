package plugin

import (
	"context"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// A session is an algorithm bound to a problem and its rows, on the side of the
// plugin.
type session struct {
	algorithm framework.Algorithm

	c     framework.Clusterer
	plan  framework.Plan
	p     framework.Problem
	shape wire.Shape
	data  *matrix.Data

	// turn makes calls that concern all rows wait for each other: one that was
	// cancelled may not have ended yet when the next comes.
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

func newSession(a framework.Algorithm, c framework.Clusterer, p framework.Problem, data *matrix.Data) *session {
	h := &session{
		algorithm: a, c: c, plan: c.Plan(), p: p, shape: wire.Shape{K: p.K, P: p.P}, data: data,
		scratch: make([]blockScratch, data.Blocks()), idle: make(chan struct{}),
	}
	h.life, h.end = context.WithCancel(context.Background())
	return h
}

func (h *session) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return false
	}
	h.calls++
	return true
}

func (h *session) leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls--
	h.unmap()
}

func (h *session) close() {
	h.end()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.unmap()
}

// unmap frees the data once no call can touch them any more.
func (h *session) unmap() {
	if h.closed && h.calls == 0 {
		_ = h.data.Close() // read-only: nothing can be lost
		expectNothing()
		close(h.idle)
	}
}

// block returns a block of the session's data.
func (h *session) block(i int64) (framework.Block, error) {
	if i < 0 || i >= int64(h.data.Blocks()) {
		return framework.Block{}, status.Errorf(codes.InvalidArgument, "block %d of %d", i, h.data.Blocks())
	}
	return h.data.Block(int(i)), nil
}

// checkLabels refuses labels that the host should not have sent.
func (h *session) checkLabels(labels []int32, rows int) error {
	if err := wire.CheckLabels(labels, rows, h.p.K); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	return nil
}

// prepared returns the model, ready for Assign and Distances, and holds it so
// until done is called. Calls for different blocks of the same model share it.
// The first of them has it alone, so that calls for two models that alternate do
// not undo each other's work for ever.
func (h *session) prepared(w *pb.Model) (m *framework.Model, done func(), err error) {
	h.turn.RLock()
	if h.model != nil && proto.Equal(w, h.wire) {
		return h.model, h.turn.RUnlock, nil
	}
	h.turn.RUnlock()
	h.turn.Lock()
	defer func() {
		if done == nil {
			h.turn.Unlock()
		}
	}()
	if err := h.prepare(w); err != nil {
		return nil, nil, err
	}
	return h.model, h.turn.Unlock, nil
}

// prepare makes w the session's present model, unless it is.
func (h *session) prepare(w *pb.Model) error {
	if h.model != nil && proto.Equal(w, h.wire) {
		return nil
	}
	m, err := wire.ReadModel(w, h.shape)
	if err != nil {
		return err
	}
	if h.model != nil {
		m.Cache = h.model.Cache
	}
	h.model, h.wire = nil, nil // unless all goes well: its state is unknown then
	if p, ok := framework.As[framework.Preparer](h.c); ok {
		p.Prepare(m)
	}
	h.model, h.wire = m, w
	return nil
}

// withScratch does something with the scratch of a block.
func (h *session) withScratch(b framework.Block, do func(framework.Scratch) error) error {
	own := &h.scratch[b.Index]
	own.mu.Lock()
	defer own.mu.Unlock()
	scratch := own.s
	own.s = nil // unless all goes well: its state is unknown then
	if scratch == nil {
		scratch = h.c.Scratch(b.X.Rows)
	}
	if err := do(scratch); err != nil {
		return err
	}
	own.s = scratch
	return nil
}
