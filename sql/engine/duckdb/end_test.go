package duckdb_test

import (
	"math"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// model returns a model of centers that differ in all features, from rows.
func (p *pair) model(t *testing.T, c clustering) *framework.Model {
	t.Helper()
	centers := p.start(false)
	s := c.settings()
	s.MaxIter = 3
	return must.Get(fit.Run(t.Context(), p.c, p.problem, p.data, fit.Start{Centers: &centers}, s, nil))(t).Model
}

func TestAssignmentsAreThosePredictedHere(t *testing.T) {
	for name, c := range fits {
		t.Run(name, func(t *testing.T) {
			p := c.bind(t)
			m := p.model(t, c)
			prepared := m.Clone()
			want := must.Get(fit.Predict(t.Context(), p.c, prepared, p.data, 2))(t)
			must.Equal(t, p.table.Dropped+p.data.Len(), must.Get(p.bound.WriteAssignments(t.Context(), m, "run_assignments", false))(t))
			if _, err := p.bound.WriteAssignments(t.Context(), m, "run_assignments", false); framework.AsFault(err) == nil {
				t.Errorf("a table was written over another: %v", err)
			}
			must.Get(p.bound.WriteAssignments(t.Context(), m, "run_assignments", true))(t)
			rows := must.Get(p.db.Rows(t.Context(), must.Get(p.bound.Assignments(m))(t)))(t)
			if len(rows) != p.data.Len()+p.table.Dropped {
				t.Fatalf("%d rows, want %d and %d left out", len(rows), p.data.Len(), p.table.Dropped)
			}
			var summed struct {
				sizes   []int
				inertia []float64
				untold  int
			}
			summed.sizes, summed.inertia = make([]int, c.k), make([]float64, c.k)
			for i, label := range want.Labels {
				if label < 0 {
					summed.untold++
					must.Equal(t, any("no_cells"), rows[i][5])
					continue
				}
				summed.sizes[label]++
				b, at := framework.Locate(p.data, i)
				summed.inertia[label] += b.Weight(at) * want.Distance[i] * want.Distance[i]
				compareAssignment(t, rows[i], want, i)
			}
			s := must.Get(p.bound.Summarise(t.Context(), m))(t)
			if !c.tied {
				must.Equal(t, summed.sizes, s.Sizes)
				must.Equal(t, summed.untold, s.Untold)
				for j, v := range summed.inertia {
					if !near(s.Inertia[j], v, max(1e-9, c.slack)) {
						t.Errorf("inertia of cluster %d is %v, want %v", j, s.Inertia[j], v)
					}
				}
			}
		})
	}
}

// compareAssignment compares a row with what was predicted, but for rows that are equally near
// to two centers but for rounding.
func compareAssignment(t *testing.T, row []any, want *fit.Prediction, i int) {
	t.Helper()
	number := func(v any) float64 {
		if v == nil {
			return math.Inf(1)
		}
		return v.(float64)
	}
	if !near(number(row[2]), want.Distance[i], 1e-8) {
		t.Fatalf("row %v is %v away, want %v", row[0], row[2], want.Distance[i])
	}
	if want.Margin[i] < 1e-9 {
		return
	}
	if row[1] != int64(want.Labels[i]) {
		t.Fatalf("row %v has label %v, want %d (margin %v)", row[0], row[1], want.Labels[i], want.Margin[i])
	}
	if m := number(row[4]); m != want.Margin[i] && !near(m, want.Margin[i], 1e-8) {
		t.Fatalf("row %v has margin %v, want %v", row[0], m, want.Margin[i])
	}
}

func TestAStartIsTheSameEachTimeAndItsCentersAreRows(t *testing.T) {
	for name, c := range fits {
		if !slices.Contains([]string{"kmeans of wine", "weights and missing cells", "categories with NULL", "ties and duplicates"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := c.bind(t)
			rows := map[string]bool{}
			for i := range p.data.Len() {
				rows[textOf(framework.Cells(p.data, i))] = true
			}
			for _, init := range []string{"kmeans||", "random", "maximin"} {
				one := must.Get(p.bound.Begin(t.Context(), init, fit.Raw, 7, 1))(t)
				again := must.Get(p.bound.Begin(t.Context(), init, fit.Raw, 7, 1))(t)
				must.Equal(t, one.Centers, again.Centers)
				for j := range c.k {
					if !rows[textOf(one.Centers.Row(j))] {
						t.Errorf("%s: center %d is no row: %v", init, j, one.Centers.Row(j))
					}
				}
			}
			must.Equal(t, c.k, must.Get(p.bound.Distinct(t.Context(), c.k))(t))
		})
	}
}

// textOf tells rows apart, but for rounding; a missing cell is 0.
func textOf(row []float64) string {
	text := make([]byte, 0, 8*len(row))
	for _, v := range row {
		if v != v {
			v = 0
		}
		v = math.Round(v*1e6) / 1e6
		if v == 0 {
			v = 0 // and not −0
		}
		for b := math.Float64bits(v); ; b >>= 8 {
			if text = append(text, byte(b)); b == 0 {
				break
			}
		}
	}
	return string(text)
}
