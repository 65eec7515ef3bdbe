package wire

import (
	"fmt"
	"math"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// CheckLabels says what is wrong with labels of so many rows and k clusters.
func CheckLabels(labels []int32, rows, k int) error {
	if len(labels) != rows {
		return fmt.Errorf("%d labels for %d rows", len(labels), rows)
	}
	for _, j := range labels {
		if j < -1 || int(j) >= k {
			return fmt.Errorf("label %d of %d clusters", j, k)
		}
	}
	return nil
}

func Point(p *framework.Point) *pb.Point {
	if p == nil {
		return nil
	}
	return &pb.Point{
		X: Matrix(p.X), RowMass: Vector(p.RowMass), ColMass: Vector(p.ColMass), Gain: Vector(p.Gain),
	}
}

func ReadPoint(w *pb.Point, s Shape) (*framework.Point, error) {
	if w == nil {
		return nil, nil
	}
	x, err := ReadMatrix(w.GetX(), s)
	if err != nil {
		return nil, err
	}
	p := &framework.Point{X: x, RowMass: ReadVector(w.RowMass), ColMass: ReadVector(w.ColMass), Gain: ReadVector(w.Gain)}
	if bad := p.RowMass != nil && len(p.RowMass) != x.Rows || p.ColMass != nil && len(p.ColMass) != x.Cols ||
		p.Gain != nil && len(p.Gain) != len(x.Data); bad {
		return nil, Nonsense("masses that do not fit a point of %d × %d", x.Rows, x.Cols)
	}
	return p, nil
}

func Step(s framework.Step) *pb.UpdateResponse {
	return &pb.UpdateResponse{
		Objective: s.Objective, Mass: Vector(s.Mass),
		Centers: Point(s.At[framework.Centers]), FeatureWeights: Point(s.At[framework.FeatureWeights]),
	}
}

func ReadStep(w *pb.UpdateResponse, s Shape) (framework.Step, error) {
	step := framework.Step{Objective: w.GetObjective(), Mass: ReadVector(w.GetMass())}
	for t, point := range [framework.Targets]*pb.Point{w.GetCenters(), w.GetFeatureWeights()} {
		var err error
		if step.At[t], err = ReadPoint(point, s); err != nil {
			return framework.Step{}, err
		}
	}
	if at := step.At[framework.Centers]; at != nil && (at.X.Rows != s.K || at.X.Cols != s.P) {
		return framework.Step{}, Nonsense("a point of %d × %d for %d clusters and %d features", at.X.Rows, at.X.Cols, s.K, s.P)
	}
	if at := step.At[framework.FeatureWeights]; at != nil && at.X.Cols != s.P {
		return framework.Step{}, Nonsense("a point of %d × %d for the weights of %d features", at.X.Rows, at.X.Cols, s.P)
	}
	if step.Mass != nil && len(step.Mass) != s.K {
		return framework.Step{}, Nonsense("%d masses for %d clusters", len(step.Mass), s.K)
	}
	return step, nil
}

func Part(p *framework.Part) *pb.Part {
	if p == nil {
		return nil
	}
	return &pb.Part{Row: int64(p.Row), Weight: p.Weight}
}

// ReadPart refuses a part of another row than one of n, from row first on.
func ReadPart(w *pb.Part, first, n int) (*framework.Part, error) {
	if w == nil {
		return nil, nil
	}
	if w.GetRow() < int64(first) || w.GetRow() >= int64(first+n) || !(w.GetWeight() > 0) || math.IsInf(w.GetWeight(), 1) {
		return nil, Nonsense("a part of row %d of the weight %g", w.GetRow(), w.GetWeight())
	}
	return &framework.Part{Row: int(w.GetRow()), Weight: w.GetWeight()}, nil
}

func Plan(p framework.Plan) *pb.Plan {
	w := &pb.Plan{
		Maximize: p.Maximize, Monotone: p.Monotone, NeedsRows: p.NeedsRows, Squared: p.Squared,
		Linked: p.Linked, Fresh: p.Fresh, Passes: int64(p.Passes), Noise: p.Noise,
	}
	for _, s := range p.Stats {
		w.Stats = append(w.Stats, &pb.Stat{Name: Text(s.Name), Len: int64(s.Len)})
	}
	for _, c := range p.Cadence {
		w.Cadence = append(w.Cadence, int32(c))
	}
	return w
}

// mostStats is how many statistics a plan may have.
const mostStats = 1 << 12

// mostNumbers is how many numbers all statistics of a problem may have together: those of
// one message, or of eight times its centers. Where steps are called one by one, they must
// fit a message in any case.
func (sh Shape) mostNumbers() int64 { return max(MaxMessage/8, 8*int64(sh.K)*int64(sh.P)) }

// ReadPlan reads the plan of a problem of this shape.
func ReadPlan(w *pb.Plan, sh Shape) (framework.Plan, error) {
	p := framework.Plan{
		Maximize: w.GetMaximize(), Monotone: w.GetMonotone(), NeedsRows: w.GetNeedsRows(), Squared: w.GetSquared(),
		Linked: w.GetLinked(), Fresh: w.GetFresh(), Passes: int(w.GetPasses()), Noise: w.GetNoise(),
	}
	if w.GetPasses() < 0 || len(w.GetStats()) > mostStats {
		return p, Nonsense("%d statistics, %d passes", len(w.GetStats()), w.GetPasses())
	}
	total := int64(0)
	for _, s := range w.GetStats() {
		if s.GetLen() < 0 || s.GetLen() > sh.mostNumbers()-total {
			return p, Nonsense("statistics of %d numbers", s.GetLen())
		}
		total += s.GetLen()
		p.Stats = append(p.Stats, framework.Stat{Name: s.GetName(), Len: int(s.GetLen())})
	}
	if len(w.GetCadence()) != len(p.Cadence) {
		return p, Nonsense("%d targets", len(w.GetCadence()))
	}
	for t, c := range w.GetCadence() {
		if c < int32(framework.Never) || c > int32(framework.WhenSettled) {
			return p, Nonsense("the cadence %d", c)
		}
		p.Cadence[t] = framework.Cadence(c)
	}
	return p, nil
}

// MaxGrid is how many values a grid may have.
const MaxGrid = 1 << 16
