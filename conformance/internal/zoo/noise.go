package zoo

import "github.com/sqlcluster/sqlcluster/framework"

// Noisy is k-means of the rows that are near a center. The others are noise, and
// each costs what a row costs that is almost noise, so that the objective is monotone.
func Noisy() framework.Algorithm {
	return Algorithm{mutation{
		describe: func(d *framework.Description) { d.Trims, d.Links = false, false },
		plan:     func(_ *kmeans, p *framework.Plan) { p.Noise = true },
		assign:   leaveFar,
		update: func(c *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
			kept := 0.0
			for _, m := range step.Mass {
				kept += m
			}
			step.Objective += noiseFrom * max(0, c.problem.Mass-kept)
		},
	}}
}

// noiseFrom is the squared distance from which a row is noise: few standardised rows
// of few features are.
const noiseFrom = 6

// leaveFar gives rows that are far from all centers no cluster.
func leaveFar(c *kmeans, m *framework.Model, b framework.Block, labels []int32, _ framework.Scratch) {
	c.nearest(m.Centers, b, labels)
	for i, j := range labels {
		if c.between(b.X.Row(i), m.Centers.Row(int(j))) > noiseFrom {
			labels[i] = -1
		}
	}
}
