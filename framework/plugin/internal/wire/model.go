// Package wire has what both sides of the plugin protocol share: contract types
// as messages and back, faults as gRPC statuses, and the handshake.
//
// A function X makes a message, which shares memory with its argument and so is
// to be sent at once. ReadX makes the contract type, which takes over the memory
// of the message, and checks shapes: the other side may be wrong.
package wire

import (
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
)

// Shape bounds the matrices that are read.
type Shape struct{ K, P int }

// CentersFit reports whether k×p numbers can be centers.
func CentersFit(k, p int64) bool {
	return k >= 0 && p >= 0 && k <= math.MaxInt32 && p <= math.MaxInt32 && (p == 0 || k <= mostCenters/p)
}

// mostCenters bounds the entries of centers, 8 bytes each.
const mostCenters = 1 << 31

// isPlusZero reports whether all values are +0, bit for bit.
func isPlusZero(values []float64) bool {
	return !slices.ContainsFunc(values, func(v float64) bool { return math.Float64bits(v) != 0 })
}

func Matrix(m framework.Matrix) *pb.Matrix {
	w := &pb.Matrix{Rows: int64(m.Rows), Cols: int64(m.Cols)}
	if !isPlusZero(m.Data) {
		w.Values = m.Data
	}
	return w
}

func ReadMatrix(w *pb.Matrix, s Shape) (framework.Matrix, error) {
	rows, cols := w.GetRows(), w.GetCols()
	if rows < 0 || cols < 0 || rows > int64(max(1, s.K)) || cols > int64(s.P) {
		return framework.Matrix{}, Nonsense("a matrix of %d × %d for %d clusters and %d features", rows, cols, s.K, s.P)
	}
	m := framework.Matrix{Rows: int(rows), Cols: int(cols), Data: w.GetValues()}
	if len(m.Data) == 0 {
		m.Data = make([]float64, m.Rows*m.Cols)
	}
	if len(m.Data) != m.Rows*m.Cols {
		return framework.Matrix{}, Nonsense("%d values for a matrix of %d × %d", len(m.Data), rows, cols)
	}
	return m, nil
}

// Vector keeps nil apart from empty.
func Vector(v []float64) *pb.Vector {
	if v == nil {
		return nil
	}
	return &pb.Vector{Values: v}
}

func ReadVector(w *pb.Vector) []float64 {
	if w == nil {
		return nil
	}
	if w.Values == nil {
		return []float64{}
	}
	return w.Values
}

func Model(m *framework.Model) *pb.Model {
	w := &pb.Model{
		Centers: Matrix(m.Centers), Weights: Vector(m.FeatureWeights), Gain: Vector(m.Gain), Round: int64(m.Round),
	}
	if m.Selected != nil {
		w.Selected = &pb.Flags{Values: m.Selected}
	}
	if m.Aux != nil {
		w.Aux = make(map[string]*pb.Vector, len(m.Aux))
		for name, v := range m.Aux {
			w.Aux[Text(name)] = &pb.Vector{Values: v}
		}
	}
	return w
}

func ReadModel(w *pb.Model, s Shape) (*framework.Model, error) {
	if w == nil {
		return nil, Nonsense("no model")
	}
	centers, err := ReadMatrix(w.GetCenters(), s)
	if err != nil {
		return nil, err
	}
	m := &framework.Model{Centers: centers, FeatureWeights: ReadVector(w.Weights), Gain: ReadVector(w.Gain), Round: int(w.GetRound())}
	if w.Selected != nil {
		m.Selected = w.Selected.Values
		if m.Selected == nil {
			m.Selected = []bool{}
		}
	}
	if len(w.GetAux()) > 0 {
		m.Aux = make(map[string][]float64, len(w.Aux))
		for name, v := range w.Aux {
			m.Aux[name] = ReadVector(v)
		}
	}
	if err := m.Check(s.K, s.P); err != nil {
		return nil, Nonsense("a model that does not fit: %v", err)
	}
	return m, nil
}

func Stats(s framework.Stats) *pb.Stats {
	if !slices.ContainsFunc(s, func(v []float64) bool { return !isPlusZero(v) }) {
		return &pb.Stats{}
	}
	w := &pb.Stats{Vectors: make([]*pb.Vector, len(s))}
	for i, v := range s {
		w.Vectors[i] = &pb.Vector{Values: v}
	}
	return w
}

// ReadStats overwrites dst.
func ReadStats(dst framework.Stats, w *pb.Stats) error {
	if len(w.GetVectors()) == 0 {
		dst.Zero()
		return nil
	}
	if len(w.Vectors) != len(dst) {
		return Nonsense("%d statistics instead of %d", len(w.Vectors), len(dst))
	}
	for i, v := range w.Vectors {
		if len(v.GetValues()) != len(dst[i]) {
			return Nonsense("%d numbers instead of %d in statistic %d", len(v.GetValues()), len(dst[i]), i)
		}
		copy(dst[i], v.GetValues())
	}
	return nil
}
