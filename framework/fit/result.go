package fit

import "github.com/sqlcluster/sqlcluster/framework"

// Settings are the driver's own parameters: everything that is not the
// algorithm's business.
type Settings struct {
	Init      string                // seeding method, see package seeding; ignored with a given start
	InitSpace string                // Both, Fitted or Raw: the units in which seeding measures distances
	Restarts  int                   // whole runs from different starts; the best objective wins, the first of equals
	MaxIter   int                   // iterations of one run, ≥ 0
	Tol       float64               // end a round, or the run, when the objective improves by less than Tol·|objective|; 0: never
	Empty     framework.EmptyPolicy // what becomes of a cluster without rows
	Trim      float64               // share of the row weight that is left out, 0 to 0.5: see Trimming
	Threads   int                   // workers over blocks, ≥ 1; changes no result
}

// A Start is a given start: labels, centers or rows, or none of them for seeding;
// or labels and centers of another fit, which have Settled there.
type Start struct {
	Labels  []int32           // one label a row
	Centers *framework.Matrix // k×p, fitted space; the run begins with Assign, by the nearest centers of Problem.Centers
	Rows    []int             // k row numbers, whose rows are the first centers
	Shared  *Starts           // of several fits of the same rows with the same settings; used if no start is given
	Settled bool              // the run goes on from Labels and Centers, with the targets for settled labels, before any Assign
}

// Given reports whether the start is given, so that there is one run only.
func (s Start) Given() bool { return s.Labels != nil || s.Centers != nil || s.Rows != nil }

// An Iteration is one line of a trace, and what progress reports.
type Iteration struct {
	Restart   int     // 0-based
	Iteration int     // 1-based
	Objective float64 // after this iteration's Assign, with the centers it used; at the end of a round, with what was projected then
	Moved     int     // rows whose label changed
	Selected  int     // selected entries of the model; 0 where the method selects nothing
}

// A Result is a finished run: the best of its restarts.
type Result struct {
	Model     *framework.Model
	Labels    []int32         // −1 for rows that are trimmed, and for all rows when Stop is framework.AllZero
	Distance  []float64       // of each row to its own center, of trimmed ones to the nearest; square root taken where the loss is squared
	Second    []int32         // the next nearest center; −1 when k = 1
	Margin    []float64       // distance to the next nearest minus Distance; +Inf when k = 1
	Part      *framework.Part // the row of which a part is trimmed; nil: none
	Objective float64
	Limits    *framework.LabelPoint // of the last projection of labels, with the cost of Labels, NaN if there was none; nil: labels are free
	Inertia   float64               // Σ weight · squared-loss (or absolute-loss) distance of each row to its center, from rows

	Restart    int // the one that won
	Iterations int // of the one that won
	Converged  bool
	Stop       string      // "settled", "tolerance", "max_iter", or the algorithm's own reason
	Trace      []Iteration // of all restarts, in order

	// What chance and a clock decided; all else is the same when a fit is repeated.
	BlocksByWorker []int // assignments of blocks that each worker made: tells that threads were used
	Seconds        Seconds
}

// Seconds say where the driver spent its time, by a wall clock, over all
// restarts. The distances that a Result has of each row are in neither.
type Seconds struct {
	Seeding    float64 // making the first labels
	Iterations float64 // all from the first labels to the end of a run, memory included
}

// of shares the seconds that have passed out in proportion: those of runs side
// by side pass at the same time.
func (s Seconds) of(passed float64) Seconds {
	share := passed / max(s.Seeding+s.Iterations, 1e-9)
	return Seconds{Seeding: s.Seeding * share, Iterations: s.Iterations * share}
}
