package plugin

import (
	"errors"
	"fmt"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/plugin/proto"
)

// This file has one pair of functions for each type that travels: toX makes the
// wire type, fromX the framework's. Slices are shared, not copied.

func toFault(err error) *proto.Fault {
	if err == nil {
		return nil
	}
	f := framework.AsFault(err)
	if f == nil {
		return &proto.Fault{Code: "internal", Summary: err.Error()}
	}
	w := &proto.Fault{Class: int32(f.Class), Code: f.Code, Summary: f.Summary, Details: f.Details,
		Similar: f.Similar, Where: f.Where, Hint: f.Hint}
	if f.Err != nil {
		w.Cause = f.Err.Error()
	}
	return w
}

func fromFault(w *proto.Fault) error {
	if w == nil {
		return nil
	}
	f := &framework.Fault{Class: framework.Class(w.Class), Code: w.Code, Summary: w.Summary, Details: w.Details,
		Similar: w.Similar, Where: w.Where, Hint: w.Hint}
	if w.Cause != "" {
		f.Err = errors.New(w.Cause)
	}
	return f
}

func toDescription(d framework.Description) *proto.Description {
	w := &proto.Description{Name: d.Name, Version: d.Version, Summary: d.Summary, Paper: d.Paper,
		Missing: d.Missing, Empty: string(d.Empty), Scale: d.Scale}
	for _, p := range d.Params {
		w.Params = append(w.Params, &proto.Param{Name: p.Name, Type: string(p.Type), Default: p.Default,
			Min: p.Min, Max: p.Max, Choices: p.Choices, Doc: p.Doc})
	}
	return w
}

func fromDescription(w *proto.Description) framework.Description {
	d := framework.Description{Name: w.Name, Version: w.Version, Summary: w.Summary, Paper: w.Paper,
		Missing: w.Missing, Empty: framework.EmptyPolicy(w.Empty), Scale: w.Scale}
	for _, p := range w.Params {
		d.Params = append(d.Params, framework.Param{Name: p.Name, Type: framework.ParamType(p.Type), Default: p.Default,
			Min: p.Min, Max: p.Max, Choices: p.Choices, Doc: p.Doc})
	}
	return d
}

func toProblem(p framework.Problem) (*proto.Problem, error) {
	w := &proto.Problem{N: int64(p.N), P: int64(p.P), K: int64(p.K), Mass: p.Mass, Seed: p.Seed, Params: map[string]*proto.Value{}}
	for _, c := range p.Columns {
		w.Columns = append(w.Columns, &proto.Column{Name: c.Name, Group: int64(c.Group), Location: c.Location, Scale: c.Scale,
			Missing: int64(c.Missing), Mass: c.Mass, Sum: c.Sum, SumSq: c.SumSq, Min: c.Min, Max: c.Max})
	}
	for name, v := range p.Params {
		switch v := v.(type) {
		case int:
			w.Params[name] = &proto.Value{Kind: &proto.Value_Integer{Integer: int64(v)}}
		case float64:
			w.Params[name] = &proto.Value{Kind: &proto.Value_Real{Real: v}}
		case string:
			w.Params[name] = &proto.Value{Kind: &proto.Value_Choice{Choice: v}}
		case bool:
			w.Params[name] = &proto.Value{Kind: &proto.Value_Boolean{Boolean: v}}
		default:
			return nil, fmt.Errorf("parameter %s is of type %T", name, v)
		}
	}
	return w, nil
}

func fromProblem(w *proto.Problem) framework.Problem {
	p := framework.Problem{N: int(w.GetN()), P: int(w.GetP()), K: int(w.GetK()), Mass: w.GetMass(), Seed: w.GetSeed(), Params: framework.Params{}}
	for _, c := range w.GetColumns() {
		p.Columns = append(p.Columns, framework.Column{Name: c.Name, Group: int(c.Group), Location: c.Location, Scale: c.Scale,
			Missing: int(c.Missing), Mass: c.Mass, Sum: c.Sum, SumSq: c.SumSq, Min: c.Min, Max: c.Max})
	}
	for name, v := range w.GetParams() {
		switch k := v.Kind.(type) {
		case *proto.Value_Integer:
			p.Params[name] = int(k.Integer)
		case *proto.Value_Real:
			p.Params[name] = k.Real
		case *proto.Value_Choice:
			p.Params[name] = k.Choice
		case *proto.Value_Boolean:
			p.Params[name] = k.Boolean
		}
	}
	return p
}

func toData(h matrix.Handle) *proto.Data {
	return &proto.Data{Path: h.Path, Rows: int64(h.Rows), Cols: int64(h.Cols), BlockRows: int64(h.BlockRows), Weighted: h.Weighted}
}

func fromData(w *proto.Data) matrix.Handle {
	return matrix.Handle{Path: w.GetPath(), Rows: int(w.GetRows()), Cols: int(w.GetCols()), BlockRows: int(w.GetBlockRows()), Weighted: w.GetWeighted()}
}

func toPlan(p framework.Plan) *proto.Plan {
	w := &proto.Plan{Maximize: p.Maximize, Monotone: p.Monotone, NeedsRows: p.NeedsRows, Squared: p.Squared}
	for _, s := range p.Stats {
		w.Stats = append(w.Stats, &proto.Stat{Name: s.Name, Len: int64(s.Len)})
	}
	for _, c := range p.Cadence {
		w.Cadence = append(w.Cadence, int32(c))
	}
	return w
}

func fromPlan(w *proto.Plan) framework.Plan {
	p := framework.Plan{Maximize: w.GetMaximize(), Monotone: w.GetMonotone(), NeedsRows: w.GetNeedsRows(), Squared: w.GetSquared()}
	for _, s := range w.GetStats() {
		p.Stats = append(p.Stats, framework.Stat{Name: s.Name, Len: int(s.Len)})
	}
	for t, c := range w.GetCadence() {
		if t < len(p.Cadence) {
			p.Cadence[t] = framework.Cadence(c)
		}
	}
	return p
}

func toMatrix(m framework.Matrix) *proto.Matrix {
	return &proto.Matrix{Rows: int64(m.Rows), Cols: int64(m.Cols), Data: m.Data}
}

func fromMatrix(w *proto.Matrix) framework.Matrix {
	return framework.Matrix{Rows: int(w.GetRows()), Cols: int(w.GetCols()), Data: w.GetData()}
}

func toModel(m *framework.Model) *proto.Model {
	w := &proto.Model{Centers: toMatrix(m.Centers), Weights: m.Weights, Selected: m.Selected, Gain: m.Gain, Round: int64(m.Round)}
	for name, v := range m.Aux {
		if w.Aux == nil {
			w.Aux = map[string]*proto.Vector{}
		}
		w.Aux[name] = &proto.Vector{Data: v}
	}
	return w
}

func fromModel(w *proto.Model) *framework.Model {
	m := &framework.Model{Centers: fromMatrix(w.GetCenters()), Weights: w.GetWeights(), Selected: w.GetSelected(), Gain: w.GetGain(), Round: int(w.GetRound())}
	for name, v := range w.GetAux() {
		if m.Aux == nil {
			m.Aux = map[string][]float64{}
		}
		m.Aux[name] = v.Data
	}
	return m
}

func toPoint(p framework.Point) *proto.Point {
	return &proto.Point{X: toMatrix(p.X), RowMass: p.RowMass, ColMass: p.ColMass, Gain: p.Gain}
}

func fromPoint(w *proto.Point) framework.Point {
	return framework.Point{X: fromMatrix(w.GetX()), RowMass: w.GetRowMass(), ColMass: w.GetColMass(), Gain: w.GetGain()}
}

func toStats(s framework.Stats) []*proto.Vector {
	w := make([]*proto.Vector, len(s))
	for i, v := range s {
		w[i] = &proto.Vector{Data: v}
	}
	return w
}

func fromStats(w []*proto.Vector) framework.Stats {
	s := make(framework.Stats, len(w))
	for i, v := range w {
		s[i] = v.GetData()
	}
	return s
}

func toIteration(i fit.Iteration) *proto.Iteration {
	return &proto.Iteration{Restart: int64(i.Restart), Iteration: int64(i.Iteration), Objective: i.Objective, Moved: int64(i.Moved), Selected: int64(i.Selected)}
}

func fromIteration(w *proto.Iteration) fit.Iteration {
	return fit.Iteration{Restart: int(w.Restart), Iteration: int(w.Iteration), Objective: w.Objective, Moved: int(w.Moved), Selected: int(w.Selected)}
}

func toSettings(s fit.Settings) *proto.Settings {
	return &proto.Settings{Init: s.Init, InitSpace: s.InitSpace, Restarts: int64(s.Restarts), MaxIter: int64(s.MaxIter), Tol: s.Tol, Empty: string(s.Empty), Threads: int64(s.Threads)}
}

func fromSettings(w *proto.Settings) fit.Settings {
	return fit.Settings{Init: w.GetInit(), InitSpace: w.GetInitSpace(), Restarts: int(w.GetRestarts()), MaxIter: int(w.GetMaxIter()), Tol: w.GetTol(), Empty: framework.EmptyPolicy(w.GetEmpty()), Threads: int(w.GetThreads())}
}

func toStart(s fit.Start) *proto.Start {
	w := &proto.Start{Labels: s.Labels}
	if s.Centers != nil {
		w.Centers = toMatrix(*s.Centers)
	}
	for _, r := range s.Rows {
		w.Rows = append(w.Rows, int64(r))
	}
	return w
}

func fromStart(w *proto.Start) fit.Start {
	s := fit.Start{Labels: w.GetLabels()}
	if w.GetCenters() != nil {
		c := fromMatrix(w.Centers)
		s.Centers = &c
	}
	for _, r := range w.GetRows() {
		s.Rows = append(s.Rows, int(r))
	}
	return s
}
