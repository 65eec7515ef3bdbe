package host

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

// BenchmarkLaunch is what a process costs, from start to end.
func BenchmarkLaunch(b *testing.B) {
	for b.Loop() {
		p, err := Launch(b.Context(), itself("plugin"), Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall is what a round trip costs.
func BenchmarkCall(b *testing.B) {
	p, err := Launch(b.Context(), itself("plugin"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	for b.Loop() {
		if _, err := p.Describe(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkProjectSet is what a set in another process costs: one projection of
// 10 × 100 centers, of which the floor takes next to nothing.
func BenchmarkProjectSet(b *testing.B) {
	p, err := Launch(b.Context(), itself("sets"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	const k, cols = 10, 100
	columns := make([]framework.Column, cols)
	for l := range columns {
		columns[l].Scale = 1
	}
	s, err := p.OpenSet(b.Context(), "floor", []framework.ConstraintRow{{Kind: "floor", Value: new(0.0)}}, k, columns)
	if err != nil {
		b.Fatal(err)
	}
	at := framework.Point{X: framework.NewMatrix(k, cols)}
	for i := range at.X.Data {
		at.X.Data[i] = float64(i%7) - 3
	}
	y := framework.NewMatrix(k, cols)
	for b.Loop() {
		if err := s.Project(y, at); err != nil {
			b.Fatal(err)
		}
	}
}
