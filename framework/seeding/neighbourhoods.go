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
	label, rulers := make([]int32, rows.Len()), rulersOf(rows, centers, o.Space)
	for i := range rows.Blocks() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := rows.Block(i)
		for r := range b.X.Rows {
			best := math.Inf(1)
			for j, ruler := range rulers {
				if d := ruler.square(b, r); d < best {
					best, label[b.Row0+r] = d, int32(j)
				}
			}
		}
	}
	return label, nil
}

// A neighbourhood is rows that must-links join, directly or by way of others.
type neighbourhood struct {
	rows []int
	mean []float64 // of the observed cells; NaN where there is none
	mass float64
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
	var all []neighbourhood
	number := make(map[int32]int)
	for _, i := range linked {
		r := joined.Root(i)
		if r == i {
			number[r] = len(all)
			all = append(all, neighbourhood{})
		}
		b, at := framework.Locate(rows, int(i))
		h := &all[number[r]]
		h.rows, h.mass = append(h.rows, int(i)), h.mass+b.Weight(at)
	}
	all = slices.DeleteFunc(all, func(h neighbourhood) bool { return !(h.mass > 0) })
	for i := range all {
		all[i].mean = Mean(rows, all[i].rows, true)
	}
	return all
}

// farthestRow returns the cells of the row of positive weight that is farthest
// from its nearest center.
func farthestRow(rows framework.Rows, centers framework.Matrix, space []float64) []float64 {
	best, found := -1.0, []float64(nil)
	if centers.Rows == 0 {
		centers = framework.NewMatrix(1, centers.Cols) // the origin
	}
	rulers := rulersOf(rows, centers, space)
	for i := range rows.Blocks() {
		b := rows.Block(i)
		for r := range b.X.Rows {
			if !(b.Weight(r) > 0) {
				continue
			}
			near := math.Inf(1)
			for _, ruler := range rulers {
				near = math.Min(near, ruler.square(b, r))
			}
			if near > best {
				best, found = near, b.Cells(r, found)
			}
		}
	}
	return found
}
