package plugin

import (
	"context"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/proto"
)

const (
	// heartbeat is how often a fit says that it is alive.
	heartbeat = time.Second
	// rowsAtOnce is the number of rows in one piece of a result.
	rowsAtOnce = 1 << 15
)

// Fit runs the driver in this process.
func (s *server) Fit(r *proto.FitRequest, stream proto.Clusterer_FitServer) error {
	ctx := stream.Context()
	out := &sender{stream: stream}
	stop := out.beat(ctx)
	var res *fit.Result
	fault := caught(func() error {
		v, err := s.session(r.GetSession())
		if err != nil {
			return err
		}
		res, err = fit.Run(ctx, v.clusterer, v.problem, v.data, fromStart(r.GetStart()), fromSettings(r.GetSettings()), func(it fit.Iteration) {
			out.send(&proto.FitReply{Progress: toIteration(it)})
		})
		return err
	})
	stop()
	if fault != nil {
		out.send(&proto.FitReply{Fault: fault})
		return out.err
	}
	for from := 0; from < len(res.Labels); from += rowsAtOnce {
		to := min(from+rowsAtOnce, len(res.Labels))
		out.send(&proto.FitReply{Rows: &proto.Rows{Labels: res.Labels[from:to], Distance: res.Distance[from:to],
			Second: res.Second[from:to], Margin: res.Margin[from:to]}})
	}
	out.send(&proto.FitReply{Summary: toSummary(res)})
	return out.err
}

// sender serialises the messages of progress and of the heartbeat.
type sender struct {
	mu     sync.Mutex
	stream proto.Clusterer_FitServer
	err    error // the first one; nothing is sent after it
}

func (s *sender) send(m *proto.FitReply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = s.stream.Send(m)
	}
}

// beat sends empty messages until the returned function is called.
func (s *sender) beat(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(heartbeat)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.send(&proto.FitReply{})
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

func toSummary(r *fit.Result) *proto.Summary {
	w := &proto.Summary{Model: toModel(r.Model), Objective: r.Objective, Inertia: r.Inertia, Restart: int64(r.Restart),
		Iterations: int64(r.Iterations), Converged: r.Converged, Stop: r.Stop}
	for _, it := range r.Trace {
		w.Trace = append(w.Trace, toIteration(it))
	}
	for _, n := range r.BlocksByWorker {
		w.BlocksByWorker = append(w.BlocksByWorker, int64(n))
	}
	return w
}

// addSummary completes a result.
func addSummary(r *fit.Result, w *proto.Summary) {
	r.Model, r.Objective, r.Inertia, r.Restart = fromModel(w.Model), w.Objective, w.Inertia, int(w.Restart)
	r.Iterations, r.Converged, r.Stop = int(w.Iterations), w.Converged, w.Stop
	for _, it := range w.Trace {
		r.Trace = append(r.Trace, fromIteration(it))
	}
	for _, n := range w.BlocksByWorker {
		r.BlocksByWorker = append(r.BlocksByWorker, int(n))
	}
}

// addRows appends a piece of the per-row result.
func addRows(r *fit.Result, w *proto.Rows) {
	r.Labels = append(r.Labels, w.Labels...)
	r.Distance = append(r.Distance, w.Distance...)
	r.Second = append(r.Second, w.Second...)
	r.Margin = append(r.Margin, w.Margin...)
}
