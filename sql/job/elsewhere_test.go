package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/framework/tune"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// away is an engine that has the rows of a Source in memory, and does with plain loops
// what a database would do with statements.
type away struct {
	ready
	data   *matrix.Data
	recipe matrix.Recipe
	passes int
}

func (a *away) Learn(ctx context.Context, spec input.Spec, s matrix.Scaling) (l Learned, err error) {
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

func (a *away) Bind(f means.Formula, p framework.Problem) (Bound, error) {
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

func (b *awayBound) Assignments(*framework.Model) (string, error) { return "FROM labels", nil }

// starting is a Source whose relations of starts have centers.
type starting struct {
	ready
	centers framework.Matrix
}

func (s starting) ReadStart(context.Context, string, *input.Table, int, bool) (input.Start, error) {
	c := s.centers.Clone()
	return input.Start{Centers: &c}, nil
}

// withStart are settings of fits from a given start, by algorithm.
func withStart() map[string]settings.Settings {
	all := small()
	delete(all, "pcskm")
	plain := settings.Defaults()
	plain.K, plain.Restarts, plain.Threads = 3, 1, 1
	all["kmeans"] = plain
	for name, s := range all {
		s.Start, s.Origins = "starts", map[string]string{"k": "flag"}
		all[name] = s
	}
	return all
}

func startOfFew() starting {
	src := few()
	c := framework.NewMatrix(3, 5)
	for j := range c.Rows {
		copy(c.Row(j), src.rows.Row(j))
	}
	return starting{src, c}
}

var inDuckDB = ElsewhereOptions{Engine: "duckdb"}

// bySums is what sums in another order may differ by: of 20 cells below 10, 20·10·2⁻⁵³ is
// below 1e-13; steps of an algorithm may make it some orders larger.
var bySums = gocmp.Options{cmpopts.EquateApprox(1e-9, 1e-10), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()}

func TestAFitElsewhereHasTheTablesOfOneHere(t *testing.T) {
	for name, s := range withStart() {
		t.Run(name, func(t *testing.T) {
			src := startOfFew()
			want := fitSmall(t, must.Get(New(s, builtIn))(t), src)
			e := must.Get(NewElsewhere(s, builtIn, inDuckDB))(t)
			defer e.Close()
			must.Do(t, e.Read(t.Context(), src, &away{ready: src.ready}))
			f := must.Get(e.Fit(t.Context(), nil, nil, nil))(t)
			got := must.Get(e.Tables(f))(t)
			for _, pair := range [][2]any{{want.Centers, got.Centers}, {want.Features, got.Features}, {want.Clusters, got.Clusters},
				{want.Trace, got.Trace}} {
				if d := gocmp.Diff(pair[0], pair[1], bySums); d != "" {
					t.Error(d)
				}
			}
			ignored := cmpopts.IgnoreFields(result.Fit{}, "RunID", "Params", "Model")
			if d := gocmp.Diff(want.Fit, got.Fit, bySums, ignored); d != "" {
				t.Error(d)
			}
			if got.Assignments.From == "" || !strings.Contains(got.Fit.Params, `"engine":{"value":"duckdb"`) {
				t.Errorf("%+v, %s", got.Assignments, got.Fit.Params)
			}
			here := must.Get(New(s, builtIn))(t)
			defer here.Close()
			must.Do(t, here.Read(t.Context(), src, nil))
			fitted := must.Get(here.Fit(t.Context(), nil))(t)
			must.Do(t, here.Measure(t.Context(), fitted))
			must.Do(t, e.Measure(t.Context(), f))
			if d := gocmp.Diff(fitted.Quality, f.Quality, bySums); d != "" {
				t.Error(d)
			}
		})
	}
}

var errCut = errors.New("cut")

func TestAFitElsewhereGoesOnFromWhatWasKeptOfIt(t *testing.T) {
	for name, s := range withStart() {
		t.Run(name, func(t *testing.T) {
			s.Start, s.Restarts = "", 3
			src := startOfFew()
			read := func() *Elsewhere {
				e := must.Get(NewElsewhere(s, builtIn, inDuckDB))(t)
				must.Do(t, e.Read(t.Context(), src, &away{ready: src.ready}))
				return e
			}
			e := read()
			whole := must.Get(e.Tables(must.Get(e.Fit(t.Context(), nil, nil, nil))(t)))(t)
			for after := 1; ; after++ {
				var kept *result.Progress
				left, e := after, read()
				_, err := e.Fit(t.Context(), nil, func(at fit.Stand) error {
					kept = must.Get(e.Progress(at))(t)
					if left--; left == 0 {
						return errCut
					}
					return nil
				}, nil)
				if err == nil {
					if after < 4 {
						t.Errorf("only %d iterations", after)
					}
					return
				}
				next := read()
				from := must.Get(next.Resume(kept))(t)
				got := must.Get(next.Tables(must.Get(next.Fit(t.Context(), from, nil, nil))(t)))(t)
				must.Equal(t, whole, got, clockless, cmpopts.EquateNaNs(), cmpopts.EquateEmpty())
			}
		})
	}
}

func TestAFitOfOtherRowsOrSettingsDoesNotGoOn(t *testing.T) {
	s := withStart()["skfr"]
	s.Start = ""
	src := startOfFew()
	read := func(s settings.Settings, src starting) *Elsewhere {
		e := must.Get(NewElsewhere(s, builtIn, inDuckDB))(t)
		must.Do(t, e.Read(t.Context(), src, &away{ready: src.ready}))
		return e
	}
	e := read(s, src)
	var kept *result.Progress
	must.Get(e.Fit(t.Context(), nil, func(at fit.Stand) error { kept = must.Get(e.Progress(at))(t); return nil }, nil))(t)
	other := s
	other.K, other.Params = 4, map[string]settings.Given{"sparsity": {Value: 2}}
	changed := starting{few(), src.centers}
	changed.rows.Data[7]++
	damaged := *kept
	damaged.State = strings.Replace(kept.State, `"Rows":3`, `"Rows":4`, 1)
	for name, of := range map[string]struct {
		e    *Elsewhere
		p    *result.Progress
		says string
	}{
		"other settings":                   {read(other, src), kept, "k was 3, and is 4; sparsity was 3, and is 2"},
		"other rows":                       {read(s, changed), kept, "the rows have changed"},
		"a text that somebody has changed": {read(s, src), &damaged, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := of.e.Resume(of.p)
			f := framework.AsFault(err)
			if f == nil || f.Class != framework.Data || strings.Join(f.Details, "; ") != of.says {
				t.Errorf("%v: %v", err, f)
			}
		})
	}
}

func TestWhatNeedsRowsIsRefusedBeforeAnyStatement(t *testing.T) {
	for name, of := range map[string]struct {
		change func(*settings.Settings)
		where  string
	}{
		"pairs":          {func(s *settings.Settings) { s.Algorithm, s.Pairs = "pckm", "p" }, "pairs"},
		"classes":        {func(s *settings.Settings) { s.Labels = "l" }, "labels"},
		"outliers":       {func(s *settings.Settings) { s.Trim = 0.1 }, "trim"},
		"batches":        {func(s *settings.Settings) { s.Batch = 100 }, "batch"},
		"groups of rows": {func(s *settings.Settings) { s.By = []string{"g"} }, "by"},
		"triples":        {func(s *settings.Settings) { s.Long = []string{"a", "b", "c"} }, "long"},
		"distances":      {func(s *settings.Settings) { s.Distances = 2 }, "distances"},
		"medians":        {func(s *settings.Settings) { s.Params = map[string]settings.Given{"loss": {Value: "l1"}} }, "loss"},
		"another's steps": {func(s *settings.Settings) {
			s.Algorithm = "pcskm"
			s.Params = map[string]settings.Given{"l1_bound": {Value: 2}}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := settings.Defaults()
			s.K, s.Origins = 3, map[string]string{"k": "flag"}
			of.change(&s)
			_, err := NewElsewhere(s, builtIn, inDuckDB)
			f := framework.AsFault(err)
			if f == nil || f.Code != "needs-rows" || of.where != "" && f.Where != framework.Setting(of.where) {
				t.Errorf("%v (%+v)", err, f)
			}
		})
	}
}

func TestAnAlgorithmOfAPluginAloneIsRefused(t *testing.T) {
	l := builtIn
	l.Algorithms = slices.Clone(l.Algorithms)
	for i := range l.Algorithms {
		l.Algorithms[i].Local = nil
	}
	s := settings.Defaults()
	s.K = 2
	_, err := NewElsewhere(s, l, inDuckDB)
	if f := framework.AsFault(err); f == nil || f.Code != "needs-rows" || !strings.Contains(f.Summary, "plugin") {
		t.Error(err)
	}
}

func TestAPathElsewhereIsTheOneHere(t *testing.T) {
	s := withStart()["skfr"]
	s.Params = nil
	g := must.Get(settings.NewGrid(builtIn, "skfr", "1:5", 20))(t)
	src := startOfFew()
	here := must.Get(NewPath(s, builtIn, g, PathOptions{}))(t)
	defer here.Close()
	must.Do(t, here.Read(t.Context(), src, nil))
	must.Do(t, here.Run(t.Context(), nil))
	want := must.Get(here.Tables(""))(t)
	there := must.Get(NewElsewherePath(s, builtIn, g, PathOptions{}, inDuckDB))(t)
	defer there.Close()
	must.Do(t, there.Read(t.Context(), src, &away{ready: src.ready}))
	ended := 0
	must.Do(t, there.Run(t.Context(), func(done, _ int, _ *tune.Point) { ended = done }))
	got := must.Get(there.Tables(""))(t)
	if d := gocmp.Diff(want.Points, got.Points, bySums); d != "" || ended != 5 {
		t.Errorf("%d ended: %s", ended, d)
	}
	if d := gocmp.Diff(want.Features, got.Features, bySums); d != "" {
		t.Error(d)
	}
}

func TestATuningElsewhereJudgesAsOneHere(t *testing.T) {
	s := withStart()["kmeans"]
	s.Start, s.K, s.Ks, s.Restarts = "", 0, "2:5", 100 // so that both find the best clusters
	o := settings.DefaultTuneOptions()
	o.Method = "calinski-harabasz,davies-bouldin,silhouette"
	src := startOfFew()
	here := must.Get(NewTuning(s, builtIn, settings.Grid{}, o))(t)
	defer here.Close()
	must.Do(t, here.Read(t.Context(), noClasses{src}, nil))
	must.Do(t, here.Run(t.Context(), nil))
	want := must.Get(here.Tables(nil, ""))(t)
	there := must.Get(NewElsewhereTuning(s, builtIn, settings.Grid{}, o, inDuckDB))(t)
	defer there.Close()
	must.Do(t, there.Read(t.Context(), src, &away{ready: src.ready}))
	must.Do(t, there.Run(t.Context(), func(int, int) {}))
	got := must.Get(there.Tables(nil, ""))(t)
	if d := gocmp.Diff(want.Values, got.Values, bySums); d != "" {
		t.Error(d)
	}
	if here.Chosen() != there.Chosen() || len(got.Draws) != 4 {
		t.Errorf("%d and %d chosen; %v", here.Chosen(), there.Chosen(), got.Draws)
	}
	done := must.Get(there.FitChosen())(t)
	tables := must.Get(there.Tables(done, ""))(t)
	if k := there.Points[there.Chosen()].K; tables.Final == nil || tables.Final.Fit.K != k || tables.Final.Assignments.From == "" {
		t.Errorf("%+v", tables.Final)
	}
}

// noClasses is a source without classes.
type noClasses struct{ Source }

func (noClasses) CheckTruth(context.Context, string, string) error { return errors.ErrUnsupported }

func (noClasses) ReadClasses(context.Context, string, string, *input.Table) ([]int32, error) {
	return nil, errors.ErrUnsupported
}

func TestMethodsThatDrawRowsAreRefusedWithThoseThatDoNot(t *testing.T) {
	s := withStart()["kmeans"]
	s.Start, s.K, s.Ks = "", 0, "2:5"
	for _, method := range []string{"", "gap", "gap-axes", "stability", "silhouette,gap"} {
		o := settings.DefaultTuneOptions()
		o.Method = method
		_, err := NewElsewhereTuning(s, builtIn, settings.Grid{}, o, inDuckDB)
		f := framework.AsFault(err)
		if f == nil || f.Code != "needs-rows" || !strings.Contains(f.Hint, "silhouette") {
			t.Errorf("%q: %v", method, fmt.Sprint(err))
		}
	}
}
