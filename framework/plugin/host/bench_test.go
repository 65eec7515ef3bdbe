package host

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// BenchmarkLaunch is what a process costs, from start to end.
func BenchmarkLaunch(b *testing.B) {
	for b.Loop() {
		p := must.Get(Launch(b.Context(), itself("plugin"), Options{}))(b)
		must.Do(b, p.Close())
	}
}

// BenchmarkCall is what a round trip costs.
func BenchmarkCall(b *testing.B) {
	p := must.Get(Launch(b.Context(), itself("plugin"), Options{}))(b)
	defer p.Close()
	for b.Loop() {
		must.Get(p.Describe(b.Context()))(b)
	}
}

// BenchmarkProjectSet is what a set in another process costs: one projection of
// 10 × 100 centers, of which the floor takes next to nothing.
func BenchmarkProjectSet(b *testing.B) {
	p := must.Get(Launch(b.Context(), itself("sets"), Options{}))(b)
	defer func() { _ = p.Close() }()
	const k, cols = 10, 100
	columns := make([]framework.Column, cols)
	for l := range columns {
		columns[l].Scale = 1
	}
	s := must.Get(p.OpenSet(b.Context(), "floor", []framework.ConstraintRow{{Kind: "floor", Value: new(0.0)}}, k, columns))(b)
	at := framework.Point{X: framework.NewMatrix(k, cols)}
	for i := range at.X.Data {
		at.X.Data[i] = float64(i%7) - 3
	}
	y := framework.NewMatrix(k, cols)
	for b.Loop() {
		must.Do(b, s.Project(y, at))
	}
}
