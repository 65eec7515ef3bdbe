package wire

import (
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/tune"
)

// Sweep returns the request for the fits of a sweep in a session.
func Sweep(session uint64, s tune.Sweep) (*pb.SweepRequest, error) {
	w := &pb.SweepRequest{Session: session, Settings: Settings(s.Settings), Labels: s.Labels, Norm: Text(s.Norm)}
	for _, c := range s.Candidates {
		params, err := Params(c.Params)
		if err != nil {
			return nil, err
		}
		w.Candidates = append(w.Candidates, &pb.Candidate{K: int64(c.K), Params: params})
	}
	for _, d := range s.Draws {
		w.Draws = append(w.Draws, &pb.Draw{Kind: string(d.Kind), Number: int64(d.Number)})
	}
	return w, nil
}

// ReadSweep refuses numbers of clusters that cannot be, of p features each.
func ReadSweep(w *pb.SweepRequest, p int) (tune.Sweep, error) {
	s := tune.Sweep{Settings: ReadSettings(w.GetSettings()), Labels: w.GetLabels(), Norm: w.GetNorm()}
	for _, c := range w.GetCandidates() {
		if !CentersFit(c.GetK(), int64(p)) {
			return s, status.Errorf(codes.InvalidArgument, "a candidate of %d clusters", c.GetK())
		}
		s.Candidates = append(s.Candidates, tune.Candidate{K: int(c.GetK()), Params: ReadParams(c.GetParams())})
	}
	for _, d := range w.GetDraws() {
		s.Draws = append(s.Draws, tune.Draw{Kind: tune.Kind(d.GetKind()), Number: int(d.GetNumber())})
	}
	return s, nil
}

// Trial returns the pieces of a trial.
func Trial(t tune.Trial) []*pb.SweepEvent {
	var pieces []*pb.SweepEvent
	for rows, labels := t.Rows, t.Labels; ; {
		r, l := min(len(rows), PieceEntries), min(len(labels), PieceEntries)
		pieces = append(pieces, &pb.SweepEvent{More: true, Rows: rows[:r], Labels: labels[:l]})
		if rows, labels = rows[r:], labels[l:]; len(rows) == 0 && len(labels) == 0 {
			break
		}
	}
	w := pieces[len(pieces)-1]
	w.More, w.Draw, w.Candidate = false, int64(t.Draw), int64(t.Candidate)
	w.Stop, w.Converged, w.Iterations = Text(t.Stop), t.Converged, int64(t.Iterations)
	w.Objective, w.Explained = t.Objective, t.Explained
	w.Columns = int64s(t.Columns)
	for _, of := range t.Local {
		w.Local = append(w.Local, &pb.Selection{Columns: int64s(of)})
	}
	if f := framework.AsFault(t.Err); f != nil {
		w.Fault = Fault(f)
	}
	return pieces
}

// Trials puts pieces of trials together.
type Trials struct {
	Sweep tune.Sweep // that was asked for
	N, P  int        // rows and features of the session
	next  tune.Trial
}

// Add takes a piece, and returns the trial that is complete with it.
func (a *Trials) Add(w *pb.SweepEvent) (t tune.Trial, complete bool, err error) {
	a.next.Rows = append(a.next.Rows, w.GetRows()...)
	a.next.Labels = append(a.next.Labels, w.GetLabels()...)
	if len(a.next.Rows) > a.N || len(a.next.Labels) > a.N {
		return t, false, Nonsense("a trial of more than %d rows", a.N)
	}
	if w.GetMore() {
		return t, false, nil
	}
	t, a.next = a.next, tune.Trial{}
	if d, c := w.GetDraw(), w.GetCandidate(); d < 0 || d >= int64(len(a.Sweep.Draws)) || c < 0 || c >= int64(len(a.Sweep.Candidates)) {
		return t, false, Nonsense("trial %d of candidate %d, which was not asked for", d, c)
	}
	t.Draw, t.Candidate = int(w.GetDraw()), int(w.GetCandidate())
	t.Objective, t.Explained = w.GetObjective(), w.GetExplained()
	if w.GetFault() != nil {
		f := ReadFault(w.GetFault())
		if f.Class != framework.Data {
			return t, false, f
		}
		t.Err = f
		return t, true, nil
	}
	t.Stop, t.Converged, t.Iterations, t.Selected = w.GetStop(), w.GetConverged(), int(w.GetIterations()), len(w.GetColumns())
	t.Columns = ints(w.GetColumns())
	for _, of := range w.GetLocal() {
		t.Local = append(t.Local, ints(of.GetColumns()))
	}
	return t, true, a.check(t)
}

// check refuses what no trial can have.
func (a *Trials) check(t tune.Trial) error {
	for _, columns := range append([][]int{t.Columns}, t.Local...) {
		last := -1
		for _, l := range columns {
			if l <= last || l >= a.P {
				return Nonsense("a trial that selects feature %d of %d", l, a.P)
			}
			last = l
		}
	}
	if k := a.Sweep.Candidates[t.Candidate].K; len(t.Local) > 0 && len(t.Local) != k {
		return Nonsense("features selected for %d of %d clusters", len(t.Local), k)
	}
	rows := len(t.Rows)
	if !slices.IsSorted(t.Rows) || rows > 0 && (t.Rows[0] < 0 || int(t.Rows[rows-1]) >= a.N) {
		return Nonsense("a draw of rows that are not there")
	}
	if rows == 0 {
		rows = a.N
	}
	if !a.Sweep.HasLabels(t.Draw) {
		rows = 0
	}
	if len(t.Labels) != rows {
		return Nonsense("%d labels of %d rows", len(t.Labels), rows)
	}
	k := a.Sweep.Candidates[t.Candidate].K
	for _, j := range t.Labels {
		if j < -1 || int(j) >= k {
			return Nonsense("label %d of %d clusters", j, k)
		}
	}
	return nil
}

// int64s and ints convert lists of features.
func int64s(of []int) (all []int64) {
	for _, l := range of {
		all = append(all, int64(l))
	}
	return all
}

func ints(of []int64) (all []int) {
	for _, l := range of {
		all = append(all, int(l))
	}
	return all
}
