package plugin

import "testing"

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
