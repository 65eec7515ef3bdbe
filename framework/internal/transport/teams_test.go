package transport_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework/internal/transport"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func drawGroups(t *rapid.T, p *transport.Problem) {
	p.Group = make([]int32, p.Rows)
	groups := int32(rapid.IntRange(1, 3).Draw(t, "groups"))
	for i := range p.Group {
		p.Group[i] = rapid.Int32Range(-1, groups-1).Draw(t, "group")
	}
	most := rapid.IntRange(1, 3).Draw(t, "most")
	for j := range p.Clusters {
		p.Most = append(p.Most, rapid.IntRange(min(1, j), most).Draw(t, "most"))
	}
}

func TestLabelsOfGroupsAreTheLowestOfLeastCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		for j := range p.Lo {
			p.Lo[j] = rapid.IntRange(0, p.Lo[j]).Draw(t, "lower")
			p.Hi[j] += 2
		}
		drawGroups(t, &p)
		want, least := brute(p)
		got, err := transport.Solve(t.Context(), p, transport.Options{Threads: rapid.IntRange(1, 3).Draw(t, "threads")})
		if least == nil {
			var e *transport.Infeasible
			if !errors.As(err, &e) {
				t.Fatal("no labels obey, and the error is ", err)
			}
			return
		}
		must.Do(t, err)
		if p.Rows > 0 {
			must.Equal(t, want, got.Labels)
		}
		if v, _ := least.Float64(); math.Abs(got.Total-v) > 0x1p-51*math.Abs(v) {
			t.Fatalf("total %g, want %g", got.Total, v)
		}
	})
}

func TestPricesAndThreadsChangeNothingForGroups(t *testing.T) {
	for seed := range uint64(4) {
		p := mixture(seed, 9000, 8)
		r := random(seed)
		for _, i := range r.Perm(p.Rows) {
			p.Group = append(p.Group, max(int32(i/8)-100, -1))
		}
		p.Most = []int{1, 1, 2, 1, 3, 1, 1, 2}
		if seed%2 == 1 {
			for i := range p.Costs { // ties
				p.Costs[i] = math.Round(p.Costs[i])
			}
		}
		want := must.Get(transport.Solve(t.Context(), p, transport.Options{}))(t)
		must.Equal(t, want, must.Get(transport.Solve(t.Context(), p, transport.Options{Threads: 3, Prices: want.Prices}))(t))
		counts := map[place]int{}
		for i, j := range want.Labels {
			if g := p.Group[i]; g >= 0 {
				counts[place{g, int(j)}]++
			}
		}
		for at, n := range counts {
			if n > p.Most[at.cluster] {
				t.Fatalf("%d rows of %v", n, at)
			}
		}
	}
}

func TestGroupsThatLimitNothingChangeNothing(t *testing.T) {
	for seed := range uint64(6) {
		p := mixture(seed, 3000, 6)
		for i := range p.Costs { // many ties
			p.Costs[i] = math.Round(p.Costs[i] / float64(1+seed))
		}
		want := must.Get(transport.Solve(t.Context(), p, transport.Options{}))(t)
		for i := range p.Rows {
			p.Group = append(p.Group, int32(i%700)-1)
		}
		p.Most = []int{5, 5, 5, 5, 5, 5}
		must.Equal(t, want, must.Get(transport.Solve(t.Context(), p, transport.Options{Threads: 2}))(t))
	}
}
