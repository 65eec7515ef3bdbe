package seeding

import (
	"context"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/partition"
)

// neighbourhoodLabels returns the nearest of neighbourhoodCenters.
func neighbourhoodLabels(ctx context.Context, s *Seeder, _, _ int) ([]int32, error) {
	rows, o := s.rows, s.options
	centers, err := neighbourhoodCenters(ctx, rows, o)
	if err != nil {
		return nil, err
	}
	label := make([]int32, rows.Len())
	for i := range rows.Blocks() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := rows.Block(i)
		for r := range b.X.Rows {
			best := math.Inf(1)
			for j := range o.K {
				if d := squareOf(b.X.Row(r), centers.Row(j), o.Space); d < best {
					best, label[b.Row0+r] = d, int32(j)
				}
			}
		}
	}
	return label, nil
}

// A neighbourhood is rows that must-links join, directly or by way of others.
type neighbourhood struct {
	mean     []float64 // of the observed cells; NaN where there is none
	observed []float64 // mass, by feature
	mass     float64
}

// neighbourhoodCenters returns the means of k neighbourhoods: of the heaviest
// one, and then always of the one that is farthest by
//
//	min over the chosen of ‖mean − mean_chosen‖ · √(mass · mass_chosen)
//
// The one with the lowest row wins a tie. Rows without a must-link form no
// neighbourhood, and cannot-links do not matter. If there are fewer than k
// neighbourhoods, the next center is the row farthest from its nearest center,
// the lowest of equals, or the row of largest norm if there is no center yet.
//
// Source: Basu, Banerjee and Mooney (2002), and the weighted farthest-first
// order of Bilenko, Basu and Mooney (2004), section 4.1.
func neighbourhoodCenters(ctx context.Context, rows framework.Rows, o Options) (framework.Matrix, error) {
	if err := framework.CheckLinks(o.Links, rows.Len()); err != nil {
		return framework.Matrix{}, err
	}
	p := rows.Block(0).X.Cols
	centers := framework.Matrix{Cols: p}
	add := func(c []float64) {
		centers.Data = append(centers.Data, c...)
		centers.Rows++
	}
	all := neighbourhoods(rows, o.Links)
	chosen := make([]bool, len(all))
	reach := slices.Repeat([]float64{math.Inf(1)}, len(all))
	for range min(o.K, len(all)) {
		best := -1
		for i, h := range all {
			switch {
			case chosen[i]:
			case best < 0,
				centers.Rows == 0 && h.mass > all[best].mass,
				centers.Rows > 0 && reach[i] > reach[best]:
				best = i
			}
		}
		chosen[best] = true
		add(all[best].mean)
		for i, h := range all {
			d := math.Sqrt(squareOf(h.mean, all[best].mean, o.Space)) * math.Sqrt(h.mass*all[best].mass)
			reach[i] = math.Min(reach[i], d)
		}
	}
	for centers.Rows < o.K {
		if err := ctx.Err(); err != nil {
			return centers, err
		}
		add(farthestRow(rows, centers, o.Space))
	}
	return centers, nil
}

// neighbourhoods returns the connected components of the must-links that have
// positive weight, in the order of their lowest rows.
func neighbourhoods(rows framework.Rows, links []framework.Link) []neighbourhood {
	joined := partition.New[int32](rows.Len())
	var linked []int32
	for _, l := range links {
		if !l.Cannot {
			joined.Join(l.A, l.B)
			linked = append(linked, l.A, l.B)
		}
	}
	slices.Sort(linked)
	linked = slices.Compact(linked)
	p := rows.Block(0).X.Cols
	var all []neighbourhood
	number := make(map[int32]int)
	for _, i := range linked {
		r := joined.Root(i)
		if r == i {
			number[r] = len(all)
			all = append(all, neighbourhood{mean: make([]float64, p), observed: make([]float64, p)})
		}
		b, at := framework.Locate(rows, int(i))
		h, w := &all[number[r]], b.Weight(at)
		h.mass += w
		for l, v := range b.X.Row(at) {
			if v == v {
				h.mean[l], h.observed[l] = h.mean[l]+w*v, h.observed[l]+w
			}
		}
	}
	all = slices.DeleteFunc(all, func(h neighbourhood) bool { return !(h.mass > 0) })
	for _, h := range all {
		for l := range h.mean {
			h.mean[l] /= h.observed[l]
		}
	}
	return all
}

// farthestRow returns the cells of the row of positive weight that is farthest
// from its nearest center.
func farthestRow(rows framework.Rows, centers framework.Matrix, space []float64) []float64 {
	best, found := -1.0, []float64(nil)
	origin := make([]float64, centers.Cols)
	for i := range rows.Blocks() {
		b := rows.Block(i)
		for r := range b.X.Rows {
			if !(b.Weight(r) > 0) {
				continue
			}
			near := math.Inf(1)
			for j := range centers.Rows {
				near = math.Min(near, squareOf(b.X.Row(r), centers.Row(j), space))
			}
			if centers.Rows == 0 {
				near = squareOf(b.X.Row(r), origin, space)
			}
			if near > best {
				best, found = near, b.X.Row(r)
			}
		}
	}
	return found
}
