package job

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// away is an engine that has the rows of a Source in memory, and does with plain loops
// what a database would do with statements.
type away struct {
	ready
	data   *matrix.Data
	recipe matrix.Recipe
	passes int
}

func (a *away) Learn(ctx context.Context, spec input.Spec, s matrix.Scaling) (l distant.Learned, err error) {
	if l.Table, err = a.Read(ctx, spec); err != nil {
		return l, err
	}
	l.Fingerprint = l.Table.Fingerprint()
	a.data, l.Recipe, l.Problem, err = matrix.Prepare(l.Table.Builder, l.Table.Sources, s, nil)
	l.Table.Builder, a.recipe = nil, l.Recipe
	return l, err
}

func (a *away) Use(context.Context, input.Spec, matrix.Recipe, matrix.Unseen) (*input.Table, error) {
	return nil, errors.ErrUnsupported
}

func (a *away) Bind(f means.Formula, p framework.Problem) (distant.Bound, error) {
	return &awayBound{a, f, p}, nil
}

type awayBound struct {
	*away
	f means.Formula
	p framework.Problem
}

// nearest returns the label of a row, the squared distances to all centers, and whether
// some cell tells centers apart.
func (b *awayBound) nearest(m *framework.Model, row []float64) (label int32, squares []float64) {
	d := b.f.Distance(m)
	squares = make([]float64, b.p.K)
	for j := range squares {
		for l, v := range row {
			w := 1.0
			if d.Weights != nil {
				w = d.Weights[l]
			}
			if v == v {
				squares[j] += w * (v - m.Centers.Row(j)[l]) * (v - m.Centers.Row(j)[l])
			}
		}
	}
	return int32(slices.Index(squares, slices.Min(squares))), squares
}

func (b *awayBound) Assign(_ context.Context, m, before *framework.Model) (fit.Pass, error) {
	b.passes++
	z := b.f.Sums.NewSummed()
	p := fit.Pass{Sizes: make([]int, b.p.K)}
	for i := range b.data.Len() {
		row := b.data.Matrix().Row(i)
		j, _ := b.nearest(m, row)
		p.Sizes[j]++
		z.Rows[j]++
		for l, v := range row {
			z.Sum[int(j)*b.p.P+l] += v - b.f.Sums.Origin(l)
		}
		if before == nil {
			p.Moved++
		} else if was, _ := b.nearest(before, row); was != j {
			p.Moved++
		}
	}
	p.Stats = b.f.Sums.Stats(z)
	return p, nil
}

func (b *awayBound) Farthest(_ context.Context, m, by *framework.Model, count int) ([]fit.FarRow, error) {
	type far struct {
		fit.FarRow
		distance float64
	}
	var all []far
	for i := range b.data.Len() {
		row := b.data.Matrix().Row(i)
		j, _ := b.nearest(by, row)
		_, squares := b.nearest(m, row)
		all = append(all, far{fit.FarRow{Cells: slices.Clone(row), Weight: 1, Label: j}, squares[j]})
	}
	slices.SortStableFunc(all, func(x, y far) int { return cmp.Compare(y.distance, x.distance) })
	var rows []fit.FarRow
	for _, f := range all[:min(count, len(all))] {
		rows = append(rows, f.FarRow)
	}
	return rows, nil
}

func (b *awayBound) Distinct(_ context.Context, most int) (int, error) {
	return min(most, b.data.Len()), nil
}

func (b *awayBound) Foresee([]string) {}

func (b *awayBound) Begin(_ context.Context, _, _ string, seed uint64, restart int) (fit.Beginning, error) {
	c := framework.NewMatrix(b.p.K, b.p.P)
	for j, i := range rand.New(rand.NewPCG(seed, uint64(restart))).Perm(b.data.Len())[:b.p.K] {
		copy(c.Row(j), b.data.Matrix().Row(i))
	}
	return fit.Beginning{Centers: &c}, nil
}

func (b *awayBound) Summarise(_ context.Context, m *framework.Model) (result.Summary, error) {
	k := b.p.K
	s := result.Summary{Sizes: make([]int, k), Mass: make([]float64, k), Inertia: make([]float64, k),
		Sum: framework.NewMatrix(k, b.p.P), Square: make([]float64, b.p.P)}
	for i := range b.data.Len() {
		row := b.data.Matrix().Row(i)
		j, squares := b.nearest(m, row)
		s.Sizes[j]++
		s.Mass[j]++
		s.Inertia[j] += squares[j]
		for l, v := range row {
			s.Sum.Row(int(j))[l] += v
			s.Square[l] += v * v
		}
	}
	return s, nil
}

func (b *awayBound) Spread(_ context.Context, m *framework.Model, points framework.Matrix) ([]float64, error) {
	spread := make([]float64, b.p.K)
	for i := range b.data.Len() {
		j, _ := b.nearest(m, b.data.Matrix().Row(i))
		sum := 0.0
		for l, v := range b.data.Matrix().Row(i) {
			sum += (v - points.Row(int(j))[l]) * (v - points.Row(int(j))[l])
		}
		spread[j] += math.Sqrt(sum)
	}
	return spread, nil
}

func (b *awayBound) Sample(context.Context, int, uint64) (framework.Matrix, []float64, error) {
	return framework.Matrix{Rows: b.data.Len(), Cols: b.p.P, Data: slices.Clone(b.data.Matrix().Data)}, nil, nil
}

func (b *awayBound) Crosstab(_ context.Context, m, n *framework.Model) ([][]int, error) {
	counts := make([][]int, m.Centers.Rows)
	for i := range counts {
		counts[i] = make([]int, n.Centers.Rows)
	}
	for i := range b.data.Len() {
		x, _ := b.nearest(m, b.data.Matrix().Row(i))
		y, _ := b.nearest(n, b.data.Matrix().Row(i))
		counts[x][y]++
	}
	return counts, nil
}

func (b *awayBound) Classes(context.Context, *framework.Model, string) ([]input.TruthCell, error) {
	return nil, errors.ErrUnsupported
}

func (b *awayBound) Flag(float64) {}

func (b *awayBound) Assignments(*framework.Model) (string, error) { return "FROM labels", nil }
