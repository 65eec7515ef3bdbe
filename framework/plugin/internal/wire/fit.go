package wire

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// Sizes of the pieces of long lists, so that a message stays below 1 MiB.
const (
	PieceEntries    = 1 << 15 // rows of a result (up to 26 bytes each), labels, doubles
	PieceIterations = 1 << 14 // up to 50 bytes each
	PieceBytes      = 1 << 19
)

func ReadSettings(w *pb.Settings) fit.Settings {
	return fit.Settings{
		Init: w.GetInit(), InitSpace: w.GetInitSpace(), Restarts: int(w.GetRestarts()), MaxIter: int(w.GetMaxIter()),
		Tol: w.GetTol(), Empty: framework.EmptyPolicy(w.GetEmpty()), Threads: int(w.GetThreads()),
	}
}

func Iteration(it fit.Iteration) *pb.Iteration {
	return &pb.Iteration{
		Restart: int64(it.Restart), Iteration: int64(it.Iteration), Objective: it.Objective, Moved: int64(it.Moved), Selected: int64(it.Selected),
	}
}

func ReadIteration(w *pb.Iteration) fit.Iteration {
	return fit.Iteration{
		Restart: int(w.GetRestart()), Iteration: int(w.GetIteration()), Objective: w.GetObjective(), Moved: int(w.GetMoved()), Selected: int(w.GetSelected()),
	}
}
