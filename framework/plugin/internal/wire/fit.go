package wire

import (
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// Sizes of the pieces of long lists, so that a message stays below 1 MiB.
const (
	PieceEntries    = 1 << 15 // rows of a result (up to 26 bytes each), labels, doubles
	PieceIterations = 1 << 14 // up to 50 bytes each
	PieceBytes      = 1 << 19
)

func Handle(h matrix.Handle) *pb.DataHandle {
	return &pb.DataHandle{
		Path: h.Path, Rows: int64(h.Rows), Cols: int64(h.Cols), BlockRows: int64(h.BlockRows), Weighted: h.Weighted,
		Sparse: h.Sparse, Entries: int64(h.Entries),
	}
}

func ReadHandle(w *pb.DataHandle) matrix.Handle {
	return matrix.Handle{
		Path: w.GetPath(), Rows: int(w.GetRows()), Cols: int(w.GetCols()), BlockRows: int(w.GetBlockRows()), Weighted: w.GetWeighted(),
		Sparse: w.GetSparse(), Entries: int(w.GetEntries()),
	}
}

func Settings(s fit.Settings) *pb.Settings {
	return &pb.Settings{
		Init: Text(s.Init), InitSpace: Text(s.InitSpace), Restarts: int64(s.Restarts), MaxIter: int64(s.MaxIter),
		Tol: s.Tol, Empty: Text(string(s.Empty)), Threads: int64(s.Threads), Trim: s.Trim,
	}
}

func ReadSettings(w *pb.Settings) fit.Settings {
	return fit.Settings{
		Init: w.GetInit(), InitSpace: w.GetInitSpace(), Restarts: int(w.GetRestarts()), MaxIter: int(w.GetMaxIter()),
		Tol: w.GetTol(), Empty: framework.EmptyPolicy(w.GetEmpty()), Threads: int(w.GetThreads()), Trim: w.GetTrim(),
	}
}

func Iteration(it fit.Iteration) *pb.Iteration {
	return &pb.Iteration{
		Restart: int64(it.Restart), Iteration: int64(it.Iteration), Objective: it.Objective,
		Moved: int64(it.Moved), Selected: int64(it.Selected),
	}
}

func ReadIteration(w *pb.Iteration) fit.Iteration {
	return fit.Iteration{
		Restart: int(w.GetRestart()), Iteration: int(w.GetIteration()), Objective: w.GetObjective(),
		Moved: int(w.GetMoved()), Selected: int(w.GetSelected()),
	}
}

// End is what remains of a result when its rows and its model have been sent.
func End(res *fit.Result) *pb.FitEnd {
	w := &pb.FitEnd{
		Objective: res.Objective, Inertia: res.Inertia, Restart: int64(res.Restart), Iterations: int64(res.Iterations),
		Converged: res.Converged, Stop: Text(res.Stop),
		Part: Part(res.Part), SecondsSeeding: res.Seconds.Seeding, SecondsIterations: res.Seconds.Iterations,
	}
	if l := res.Limits; l != nil {
		w.Limits = &pb.LabelPoint{Cost: l.Cost, Bound: l.Bound, Prices: l.Prices}
	}
	for _, n := range res.BlocksByWorker {
		w.BlocksByWorker = append(w.BlocksByWorker, int64(n))
	}
	return w
}

// ReadEnd sets what End has sent, of a fit of so many rows.
func ReadEnd(res *fit.Result, w *pb.FitEnd, rows int) error {
	if w.GetRestart() < 0 || w.GetIterations() < 0 || w.GetRestart() > math.MaxInt32 {
		return Nonsense("a result of start %d after %d iterations", w.GetRestart(), w.GetIterations())
	}
	var err error
	if res.Part, err = ReadPart(w.GetPart(), 0, rows); err != nil {
		return err
	}
	res.Objective, res.Inertia = w.GetObjective(), w.GetInertia()
	res.Restart, res.Iterations = int(w.GetRestart()), int(w.GetIterations())
	res.Converged, res.Stop = w.GetConverged(), w.GetStop()
	res.Seconds = fit.Seconds{Seeding: w.GetSecondsSeeding(), Iterations: w.GetSecondsIterations()}
	if l := w.GetLimits(); l != nil {
		res.Limits = &framework.LabelPoint{Cost: l.GetCost(), Bound: l.GetBound(), Prices: l.GetPrices()}
	}
	for _, n := range w.GetBlocksByWorker() {
		res.BlocksByWorker = append(res.BlocksByWorker, int(n))
	}
	return nil
}
