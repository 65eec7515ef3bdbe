package sets

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// made returns points that the operator itself produces.
func (p *projected) made() []framework.Matrix {
	x := p.at.X
	var from []framework.Matrix
	for _, c := range []float64{0, -1, 0.5, 2} {
		from = append(from, scaled(x, c))
	}
	for _, noise := range []float64{0.01, 0.1, 1} {
		z := x.Clone()
		for i := range z.Data {
			z.Data[i] += noise * p.scale * p.Rand.NormFloat64()
		}
		from = append(from, z)
	}
	shuffled := x.Clone()
	p.Rand.Shuffle(len(shuffled.Data), func(i, k int) {
		shuffled.Data[i], shuffled.Data[k] = shuffled.Data[k], shuffled.Data[i]
	})
	from = append(from, shuffled)
	for i := range min(len(x.Data), 8) {
		for _, v := range []float64{0, 2 * x.Data[i], -x.Data[i]} {
			z := x.Clone()
			z.Data[i] = v
			from = append(from, z)
		}
	}
	for l, m := range p.at.ColMass {
		if m > 0 || len(from) > 60 {
			continue
		}
		for _, v := range []float64{-4, 4} { // which costs nothing
			z := x.Clone()
			for j := range z.Rows {
				z.Row(j)[l] = v * p.scale
			}
			from = append(from, z)
		}
	}
	made := make([]framework.Matrix, len(from))
	for i, z := range from {
		made[i] = p.project(p.with(z))
	}
	return made
}

// accepted returns points near the projection that Violation accepts.
func (p *projected) accepted() []framework.Matrix {
	var all []framework.Matrix
	add := func(change func(y framework.Matrix)) {
		y := p.y.Clone()
		change(y)
		if p.violation(y) <= 1e-14*p.scale {
			all = append(all, y)
		}
	}
	for _, step := range []float64{1e-6, 1e-3, 0.01, 0.1, 0.5, 1} {
		add(func(y framework.Matrix) {
			for i, v := range p.at.X.Data {
				y.Data[i] += step * (v - y.Data[i])
			}
		})
	}
	entries := p.Rand.Perm(len(p.y.Data))
	for _, i := range entries[:min(len(entries), 12)] {
		add(func(y framework.Matrix) { y.Data[i] = p.at.X.Data[i] })
	}
	for _, pair := range p.somePairs() {
		i, k := pair[0], pair[1]
		add(func(y framework.Matrix) { y.Data[i], y.Data[k] = y.Data[k], y.Data[i] })
		add(func(y framework.Matrix) { y.Data[i], y.Data[k] = p.at.X.Data[i], 0 })
		add(func(y framework.Matrix) {
			d := 1e-3 * (p.at.X.Data[i] - y.Data[i])
			y.Data[i] += d
			y.Data[k] -= d
		})
	}
	return all
}

// somePairs returns pairs of different entries, at random if there are many. A set
// in another process gets fewer, since each pair costs a call.
func (p *projected) somePairs() [][2]int {
	most := 132
	if _, served := p.set.(*host.Set); served {
		most = 20
	}
	var all [][2]int
	n := len(p.y.Data)
	if n > 4*most {
		for range most {
			i := p.Rand.IntN(n)
			all = append(all, [2]int{i, (i + 1 + p.Rand.IntN(n-1)) % n})
		}
		return all
	}
	for i := range n {
		for k := range n {
			if k != i {
				all = append(all, [2]int{i, k})
			}
		}
	}
	p.Rand.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
	return all[:min(len(all), most)]
}
