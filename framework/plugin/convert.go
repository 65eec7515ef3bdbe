package plugin

import (
	"maps"
	"math"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint/declare"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// The wireX functions make wire types, which share memory with their argument
// and so are to be sent at once. The readX functions make types of the
// framework, which take over the memory of the message, and check shapes: the
// other side may be wrong.

// shape bounds the matrices that are read.
type shape struct{ k, p int }

// modelFits reports whether k×p numbers can be centers.
func modelFits(k, p int64) bool {
	return k >= 0 && p >= 0 && k <= math.MaxInt32 && p <= math.MaxInt32 && (p == 0 || k <= mostCenters/p)
}

// mostCenters bounds the entries of centers, 8 bytes each.
const mostCenters = 1 << 31

// isPlusZero reports whether all values are +0, bit for bit.
func isPlusZero(values []float64) bool {
	for _, v := range values {
		if math.Float64bits(v) != 0 {
			return false
		}
	}
	return true
}

func wireMatrix(m framework.Matrix) *pb.Matrix {
	w := &pb.Matrix{Rows: int64(m.Rows), Cols: int64(m.Cols)}
	if !isPlusZero(m.Data) {
		w.Values = m.Data
	}
	return w
}

func readMatrix(w *pb.Matrix, s shape) (framework.Matrix, error) {
	rows, cols := w.GetRows(), w.GetCols()
	if rows < 0 || cols < 0 || rows > int64(max(1, s.k)) || cols > int64(s.p) {
		return framework.Matrix{}, nonsense("a matrix of %d × %d for %d clusters and %d features", rows, cols, s.k, s.p)
	}
	m := framework.Matrix{Rows: int(rows), Cols: int(cols), Data: w.GetValues()}
	if len(m.Data) == 0 {
		m.Data = make([]float64, m.Rows*m.Cols)
	}
	if len(m.Data) != m.Rows*m.Cols {
		return framework.Matrix{}, nonsense("%d values for a matrix of %d × %d", len(m.Data), rows, cols)
	}
	return m, nil
}

// wireVector keeps nil apart from empty.
func wireVector(v []float64) *pb.Vector {
	if v == nil {
		return nil
	}
	return &pb.Vector{Values: v}
}

func readVector(w *pb.Vector) []float64 {
	if w == nil {
		return nil
	}
	if w.Values == nil {
		return []float64{}
	}
	return w.Values
}

func wireModel(m *framework.Model) *pb.Model {
	w := &pb.Model{
		Centers: wireMatrix(m.Centers), Weights: wireVector(m.FeatureWeights), Gain: wireVector(m.Gain), Round: int64(m.Round),
	}
	if m.Selected != nil {
		w.Selected = &pb.Flags{Values: m.Selected}
	}
	if m.Aux != nil {
		w.Aux = make(map[string]*pb.Vector, len(m.Aux))
		for name, v := range m.Aux {
			w.Aux[valid(name)] = &pb.Vector{Values: v}
		}
	}
	return w
}

func readModel(w *pb.Model, s shape) (*framework.Model, error) {
	if w == nil {
		return nil, nonsense("no model")
	}
	centers, err := readMatrix(w.GetCenters(), s)
	if err != nil {
		return nil, err
	}
	m := &framework.Model{Centers: centers, FeatureWeights: readVector(w.Weights), Gain: readVector(w.Gain), Round: int(w.GetRound())}
	if w.Selected != nil {
		m.Selected = w.Selected.Values
		if m.Selected == nil {
			m.Selected = []bool{}
		}
	}
	if len(w.GetAux()) > 0 {
		m.Aux = make(map[string][]float64, len(w.Aux))
		for name, v := range w.Aux {
			m.Aux[name] = readVector(v)
		}
	}
	if err := m.Check(s.k, s.p); err != nil {
		return nil, nonsense("a model that does not fit: %v", err)
	}
	return m, nil
}

func wireStats(s framework.Stats) *pb.Stats {
	if !slices.ContainsFunc(s, func(v []float64) bool { return !isPlusZero(v) }) {
		return &pb.Stats{}
	}
	w := &pb.Stats{Vectors: make([]*pb.Vector, len(s))}
	for i, v := range s {
		w.Vectors[i] = &pb.Vector{Values: v}
	}
	return w
}

// readStats overwrites dst.
func readStats(dst framework.Stats, w *pb.Stats) error {
	if len(w.GetVectors()) == 0 {
		dst.Zero()
		return nil
	}
	if len(w.Vectors) != len(dst) {
		return nonsense("%d statistics instead of %d", len(w.Vectors), len(dst))
	}
	for i, v := range w.Vectors {
		if len(v.GetValues()) != len(dst[i]) {
			return nonsense("%d numbers instead of %d in statistic %d", len(v.GetValues()), len(dst[i]), i)
		}
		copy(dst[i], v.GetValues())
	}
	return nil
}

func wirePoint(p *framework.Point) *pb.Point {
	if p == nil {
		return nil
	}
	return &pb.Point{
		X: wireMatrix(p.X), RowMass: wireVector(p.RowMass), ColMass: wireVector(p.ColMass), Gain: wireVector(p.Gain),
	}
}

func readPoint(w *pb.Point, s shape) (*framework.Point, error) {
	if w == nil {
		return nil, nil
	}
	x, err := readMatrix(w.GetX(), s)
	if err != nil {
		return nil, err
	}
	p := &framework.Point{X: x, RowMass: readVector(w.RowMass), ColMass: readVector(w.ColMass), Gain: readVector(w.Gain)}
	if bad := p.RowMass != nil && len(p.RowMass) != x.Rows || p.ColMass != nil && len(p.ColMass) != x.Cols ||
		p.Gain != nil && len(p.Gain) != len(x.Data); bad {
		return nil, nonsense("masses that do not fit a point of %d × %d", x.Rows, x.Cols)
	}
	return p, nil
}

func wireStep(s framework.Step) *pb.UpdateResponse {
	return &pb.UpdateResponse{
		Objective: s.Objective, Mass: wireVector(s.Mass),
		Centers: wirePoint(s.At[framework.Centers]), FeatureWeights: wirePoint(s.At[framework.FeatureWeights]),
	}
}

func readStep(w *pb.UpdateResponse, s shape) (framework.Step, error) {
	step := framework.Step{Objective: w.GetObjective(), Mass: readVector(w.GetMass())}
	for t, point := range [framework.Targets]*pb.Point{w.GetCenters(), w.GetFeatureWeights()} {
		var err error
		if step.At[t], err = readPoint(point, s); err != nil {
			return framework.Step{}, err
		}
	}
	if at := step.At[framework.Centers]; at != nil && (at.X.Rows != s.k || at.X.Cols != s.p) {
		return framework.Step{}, nonsense("a point of %d × %d for %d clusters and %d features", at.X.Rows, at.X.Cols, s.k, s.p)
	}
	if at := step.At[framework.FeatureWeights]; at != nil && at.X.Cols != s.p {
		return framework.Step{}, nonsense("a point of %d × %d for the weights of %d features", at.X.Rows, at.X.Cols, s.p)
	}
	if step.Mass != nil && len(step.Mass) != s.k {
		return framework.Step{}, nonsense("%d masses for %d clusters", len(step.Mass), s.k)
	}
	return step, nil
}

func wirePlan(p framework.Plan) *pb.Plan {
	w := &pb.Plan{Maximize: p.Maximize, Monotone: p.Monotone, NeedsRows: p.NeedsRows, Squared: p.Squared, Linked: p.Linked, Fresh: p.Fresh, Passes: int64(p.Passes)}
	for _, s := range p.Stats {
		w.Stats = append(w.Stats, &pb.Stat{Name: valid(s.Name), Len: int64(s.Len)})
	}
	for _, c := range p.Cadence {
		w.Cadence = append(w.Cadence, int32(c))
	}
	return w
}

// mostStats is how many statistics a plan may have.
const mostStats = 1 << 12

func readPlan(w *pb.Plan) (framework.Plan, error) {
	p := framework.Plan{
		Maximize: w.GetMaximize(), Monotone: w.GetMonotone(), NeedsRows: w.GetNeedsRows(), Squared: w.GetSquared(),
		Linked: w.GetLinked(), Fresh: w.GetFresh(), Passes: int(w.GetPasses()),
	}
	if w.GetPasses() < 0 || len(w.GetStats()) > mostStats {
		return p, nonsense("%d statistics, %d passes", len(w.GetStats()), w.GetPasses())
	}
	total := int64(0)
	for _, s := range w.GetStats() {
		// Each must fit a message, or Collect could never return it.
		if s.GetLen() < 0 || s.GetLen() > maxMessage/8-total {
			return p, nonsense("statistics of %d numbers", s.GetLen())
		}
		total += s.GetLen()
		p.Stats = append(p.Stats, framework.Stat{Name: s.GetName(), Len: int(s.GetLen())})
	}
	if len(w.GetCadence()) != len(p.Cadence) {
		return p, nonsense("%d targets", len(w.GetCadence()))
	}
	for t, c := range w.GetCadence() {
		if c < int32(framework.Never) || c > int32(framework.WhenSettled) {
			return p, nonsense("the cadence %d", c)
		}
		p.Cadence[t] = framework.Cadence(c)
	}
	return p, nil
}

func wireColumns(columns []framework.Column) []*pb.Column {
	w := make([]*pb.Column, len(columns))
	for l, c := range columns {
		w[l] = &pb.Column{
			Name: valid(c.Name), Group: int64(c.Group), Location: c.Location, Scale: c.Scale, Missing: int64(c.Missing),
			Mass: c.Mass, Mean: c.Mean, SumSq: c.SumSq, Min: c.Min, Max: c.Max,
		}
	}
	return w
}

func readColumns(w []*pb.Column) []framework.Column {
	var columns []framework.Column
	for _, c := range w {
		columns = append(columns, framework.Column{
			Name: c.GetName(), Group: int(c.GetGroup()), Location: c.GetLocation(), Scale: c.GetScale(), Missing: int(c.GetMissing()),
			Mass: c.GetMass(), Mean: c.GetMean(), SumSq: c.GetSumSq(), Min: c.GetMin(), Max: c.GetMax(),
		})
	}
	return columns
}

func wireProblem(p framework.Problem) (*pb.Problem, error) {
	w := &pb.Problem{
		N: int64(p.N), P: int64(p.P), K: int64(p.K), Mass: p.Mass, Weighted: p.Weighted, Seed: p.Seed,
		Params: make(map[string]*pb.Value, len(p.Params)),
	}
	w.Columns = wireColumns(p.Columns)
	for _, g := range p.Groups {
		w.Groups = append(w.Groups, &pb.Group{Name: valid(g.Name), Weight: g.Weight})
	}
	var err error
	if w.Links, err = wireLinks(p.Links); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Params)) {
		v := new(pb.Value)
		switch x := p.Params[name].(type) {
		case int:
			v.Kind = &pb.Value_Integer{Integer: int64(x)}
		case float64:
			v.Kind = &pb.Value_Real{Real: x}
		case string:
			v.Kind = &pb.Value_Text{Text: valid(x)}
		case bool:
			v.Kind = &pb.Value_Boolean{Boolean: x}
		default:
			return nil, framework.Faultf(framework.Internal, "bad-parameter", "parameter %s has a value of type %T", name, x)
		}
		w.Params[valid(name)] = v
	}
	w.Constraints, err = wireConstraints(p.Centers)
	return w, err
}

// readProblem refuses sizes that cannot be, of which lists would be made.
func readProblem(w *pb.Problem) (framework.Problem, error) {
	if w.GetN() < 0 || w.GetN() > math.MaxInt32 || !modelFits(w.GetK(), w.GetP()) || int64(len(w.GetColumns())) != w.GetP() {
		return framework.Problem{}, status.Errorf(codes.InvalidArgument, "%d rows, %d clusters and %d features, with %d columns",
			w.GetN(), w.GetK(), w.GetP(), len(w.GetColumns()))
	}
	p := framework.Problem{
		N: int(w.GetN()), P: int(w.GetP()), K: int(w.GetK()), Mass: w.GetMass(), Weighted: w.GetWeighted(), Seed: w.GetSeed(),
		Params: make(framework.Params, len(w.GetParams())),
	}
	p.Columns = readColumns(w.GetColumns())
	for _, g := range w.GetGroups() {
		p.Groups = append(p.Groups, framework.Group{Name: g.GetName(), Weight: g.GetWeight()})
	}
	for name, v := range w.GetParams() {
		switch x := v.GetKind().(type) {
		case *pb.Value_Integer:
			p.Params[name] = int(x.Integer)
		case *pb.Value_Real:
			p.Params[name] = x.Real
		case *pb.Value_Text:
			p.Params[name] = x.Text
		case *pb.Value_Boolean:
			p.Params[name] = x.Boolean
		}
	}
	if err := p.CheckGroups(); err != nil {
		return p, status.Errorf(codes.InvalidArgument, "%v", err)
	}
	centers, err := declare.Rows(readRows(w.GetConstraints()), p)
	if centers != nil {
		p.Centers = centers
	}
	return p, err
}
