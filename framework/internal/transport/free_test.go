package transport

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// Groups that nobody is in ask for the whole way.
func TestWhereNoBoundIsReachedTheSolutionIsThatOfAllSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "k")
		p := Problem{Rows: n, Clusters: k, Costs: make([]float64, n*k), Hi: make([]int, k)}
		for i := range p.Costs {
			p.Costs[i] = float64(rapid.IntRange(0, 4).Draw(t, "cost")) / 4
		}
		for j := range p.Hi {
			p.Hi[j] = rapid.IntRange(n/k, n+1).Draw(t, "hi")
		}
		solved := func(p Problem) *Solution {
			s, err := Solve(t.Context(), p, Options{})
			if err != nil {
				return nil
			}
			return s
		}
		slow := p
		slow.Group, slow.Most = make([]int32, n), make([]int, k)
		for i := range slow.Group {
			slow.Group[i] = -1
		}
		must.Equal(t, solved(slow), solved(p))
	})
}
