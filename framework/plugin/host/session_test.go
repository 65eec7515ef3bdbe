package host

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestDescriptions_arrive_as_they_are(t *testing.T) {
	p := launch(t, "plugin", Options{})
	got := must.Get(p.Describe(t.Context()))(t)
	var want []framework.Description
	for _, a := range toys {
		want = append(want, a.Describe())
	}
	must.Equal(t, want, got, clustertest.Bitwise)
}

func TestEachStep_gives_the_bits_of_the_step_in_process(t *testing.T) {
	p := launch(t, "plugin", Options{})
	for name, rows := range map[string]bool{"statistics only": false, "update reads rows": true} {
		t.Run(name, func(t *testing.T) {
			s, c, _, data := open(t, p, "toy", framework.Params{"rows": rows})
			same := func(what string, want, got any) {
				t.Helper()
				if diff := cmp.Diff(want, got, clustertest.Bitwise); diff != "" {
					t.Fatalf("%s: %s", what, diff)
				}
			}
			plan := c.Plan()
			plan.OneModel = true // the plugin keeps one ready
			same("plan", plan, s.Plan())
			here, there := c.Begin(), s.Begin()
			same("begin", here, there)
			labels := [2][]int32{make([]int32, data.Len()), make([]int32, data.Len())}
			stats := [2]framework.Stats{framework.NewStats(c.Plan().Stats), framework.NewStats(c.Plan().Stats)}
			for i := range labels[0] {
				labels[0][i] = int32(i%4) - 1
			}
			copy(labels[1], labels[0])
			for round := range 3 {
				for t := range data.Blocks() {
					b := data.Block(t)
					for side, clusterer := range []framework.Clusterer{c, s} {
						own := labels[side][b.Row0 : b.Row0+b.X.Rows]
						before := append([]int32(nil), own...)
						if round == 0 {
							before = nil
						}
						m := []*framework.Model{here, there}[side]
						if err := clusterer.Assign(m, b, own, clusterer.Scratch(b.X.Rows)); err != nil {
							same("assign", nil, err)
						}
						if err := clusterer.Collect(b, before, own, stats[side]); err != nil {
							same("collect", nil, err)
						}
					}
					same("labels", labels[0], labels[1])
					same("statistics", stats[0], stats[1])
				}
				want := must.Get(c.Update(t.Context(), here, stats[0], data, labels[0]))(t)
				got := must.Get(s.Update(t.Context(), there, stats[1], data, labels[1]))(t)
				same("step", want, got)
				view := there.Centers.Row(0)
				for target, at := range want.At {
					wantOut, _ := c.Project(here, framework.Target(target), *at)
					gotOut := must.Get(s.Project(there, framework.Target(target), *got.At[target]))(t)
					same("outcome", wantOut, gotOut)
					same("model", here, there)
				}
				same("a view of the centers", here.Centers.Row(0), view)
			}
			b := data.Block(data.Blocks() - 1)
			want, got := framework.NewMatrix(b.X.Rows, 3), framework.NewMatrix(b.X.Rows, 3)
			_ = c.Distances(here, b, want)
			must.Do(t, s.Distances(there, b, got))
			same("distances", want, got)
			same("features", c.(framework.Selector).Features(here), s.Clusterer().(framework.Selector).Features(there))
			// 3 rounds of 11 blocks and 2 targets, see problem.
			same("calls", map[string]int{"assign": 33, "collect": 33, "update": 3, "project": 6, "distances": 1, "features": 1}, s.Calls())
			same("error", nil, s.Err())
		})
	}
}

func TestFit_gives_the_same_bits_in_plugin_and_host_and_without_process(t *testing.T) {
	p := launch(t, "plugin", Options{})
	s, c, prob, data := open(t, p, "toy", nil)
	labels := make([]int32, data.Len())
	for i := range labels {
		labels[i] = int32(i % 3)
	}
	centers := framework.NewMatrix(3, 4)
	for i := range centers.Data {
		centers.Data[i] = float64(i)
	}
	for name, start := range map[string]fit.Start{
		"seeded": {}, "from labels": {Labels: labels}, "from centers": {Centers: &centers}, "from rows": {Rows: []int{5, 0, 2749}},
		"going on": {Labels: labels, Centers: &centers, Settled: true}, "trimmed": {Labels: labels},
	} {
		t.Run(name, func(t *testing.T) {
			settings, s, c, prob, data := settings(), s, c, prob, data
			if name == "trimmed" {
				settings.Trim = 0.05
				s, c, prob, data = open(t, p, "toy", framework.Params{"rows": true})
			}
			want := must.Get(fit.Run(t.Context(), c, prob, data, start, settings, nil))(t)
			if (want.Part != nil) != (name == "trimmed") {
				t.Fatalf("a part of %+v is trimmed", want.Part)
			}
			var seen []fit.Iteration
			inPlugin := must.Get(s.Fit(t.Context(), start, settings, func(it fit.Iteration) { seen = append(seen, it) }))(t)
			inHost := must.Get(fit.Run(t.Context(), s.Clusterer(), prob, data, start, settings, nil))(t)
			byChance := cmpopts.IgnoreFields(fit.Result{}, "BlocksByWorker", "Seconds")
			if diff := cmp.Diff(want, inPlugin, clustertest.Bitwise, byChance); diff != "" {
				t.Errorf("in the plugin: %s", diff)
			}
			if diff := cmp.Diff(want, inHost, clustertest.Bitwise, byChance); diff != "" {
				t.Errorf("in the host: %s", diff)
			}
			if diff := cmp.Diff(want.Trace, seen, clustertest.Bitwise); diff != "" {
				t.Errorf("progress: %s", diff)
			}
			if s := inPlugin.Seconds; !(s.Iterations > 0) || s.Seeding < 0 {
				t.Errorf("seconds: %+v", s)
			}
			if len(inPlugin.BlocksByWorker) != 2 { // the threads in settings
				t.Errorf("blocks by worker: %v", inPlugin.BlocksByWorker)
			}
		})
	}
}

func TestClusterer_implements_what_the_clusterer_of_the_algorithm_does(t *testing.T) {
	p := launch(t, "plugin", Options{})
	seen := map[[3]bool]bool{}
	for _, a := range toys {
		name := a.Describe().Name
		s, c, _, _ := open(t, p, name, nil)
		for _, bare := range []any{s, struct{ framework.Clusterer }{c}} {
			if got := skills(bare); got != [3]bool{} {
				t.Errorf("%s: %T has skills %v that nobody gave it", name, bare, got)
			}
		}
		want, got := skills(c), skills(s.Clusterer())
		if want != got {
			t.Errorf("%s: selector, pather and linker are %v, and of the session %v", name, want, got)
		}
		seen[want] = true
	}
	if len(seen) != 6 { // every Pather is a Selector
		t.Errorf("%d combinations were compared instead of 6", len(seen))
	}
}

// skills says which optional interfaces a clusterer implements.
func skills(c any) [3]bool {
	_, selects := c.(framework.Selector)
	_, paths := c.(framework.Pather)
	_, links := c.(framework.Linker)
	return [3]bool{selects, paths, links}
}

func TestOptional_steps_give_what_they_give_without_a_process(t *testing.T) {
	p := launch(t, "plugin", Options{})
	s, c, _, data := open(t, p, "linkedpath", nil)
	m := s.Begin()
	m.Round = 7
	want := c.(framework.Pather).Grid(m, 5)
	if diff := cmp.Diff(want, s.Clusterer().(framework.Pather).Grid(m, 5)); diff != "" || len(want) != 5 || want[0] != 7 {
		t.Errorf("grid: %s", diff)
	}
	labels := make([]int32, data.Len())
	labels[0] = 2
	must.Do(t, s.Clusterer().(framework.Linker).AssignLinked(t.Context(), m, data, labels))
	for i, j := range labels {
		if j != 2 {
			t.Fatalf("row %d has label %d", i, j)
		}
	}
	if got := s.Clusterer().(framework.Pather).Grid(m, wire.MaxGrid+1); got != nil || s.Err() == nil {
		t.Errorf("a grid of more values than are allowed: %d and the error %v", len(got), s.Err())
	}
}

func TestFault_of_the_algorithm_arrives_with_all_its_fields(t *testing.T) {
	p := launch(t, "plugin", Options{})
	prob, data := problem(t, framework.Params{"count": 0})
	_, want := toy{"toy"}.New(prob)
	_, got := p.Open(t.Context(), "toy", prob, data.Handle())
	texts := cmp.Transformer("cause", func(f *framework.Fault) []any {
		return []any{f.Class, f.Code, f.Summary, f.Details, f.Similar, f.Where, f.Hint, f.Err.Error()}
	})
	must.Equal(t, framework.AsFault(want), framework.AsFault(got), texts)
	err := fitting(t, p, "fault")
	if f := framework.AsFault(err); f == nil || f.Error() != "toy-fault: seed 5 is unlucky" || f.Class != framework.Data {
		t.Errorf("fault in mid-fit: %v", err)
	}
}

func TestOpen_refuses(t *testing.T) {
	p := launch(t, "plugin", Options{})
	prob, data := problem(t, nil)
	narrow := prob
	narrow.P, narrow.Columns = 3, prob.Columns[:3]
	emptyGroup := prob
	emptyGroup.Groups = make([]framework.Group, len(prob.Columns)+1)
	for name, c := range map[string]struct {
		algorithm string
		problem   framework.Problem
		path      string
		code      string
	}{
		"an unknown algorithm":    {"toi", prob, data.Handle().Path, "algorithm-not-found"},
		"columns that do not fit": {"toy", narrow, data.Handle().Path, "plugin-nonsense"},
		"a group of no column":    {"toy", emptyGroup, data.Handle().Path, "plugin-nonsense"},
		"data that are gone":      {"toy", prob, "/nowhere", "bad-data-handle"},
		"data in plain memory":    {"toy", prob, "", "bad-data-handle"},
	} {
		t.Run(name, func(t *testing.T) {
			h := data.Handle()
			h.Path = c.path
			_, err := p.Open(t.Context(), c.algorithm, c.problem, h)
			if codeOf(err) != c.code {
				t.Errorf("%v; want %s", err, c.code)
			}
		})
	}
}

func TestCalls_of_a_closed_session_are_refused(t *testing.T) {
	p := launch(t, "plugin", Options{})
	s, _, _, _ := open(t, p, "toy", nil)
	for range 2 { // twice is fine
		must.Do(t, s.Close())
	}
	for name, start := range map[string]fit.Start{
		"none": {}, "labels": {Labels: []int32{0, 1, 2}}, "rows": {Rows: []int{5, 0, 7}},
		"centers": {Centers: &framework.Matrix{Rows: 3, Cols: 4, Data: ones(12)}},
	} {
		_, err := s.Fit(t.Context(), start, settings(), nil)
		if codeOf(err) != "plugin-closed" {
			t.Errorf("with a start of %s: %v; want plugin-closed", name, err)
		}
	}
}

func TestClosing_a_session_in_mid_fit_ends_the_fit_and_not_the_plugin(t *testing.T) {
	p := launch(t, "plugin", Options{})
	s, _, _, _ := open(t, p, "toy", framework.Params{"trouble": "wait"})
	begun, ended := make(chan struct{}), make(chan struct{})
	var err error
	go func() {
		defer close(ended)
		_, err = s.Fit(t.Context(), fit.Start{}, settings(), func(it fit.Iteration) {
			if it.Iteration == 1 {
				close(begun)
			}
		})
	}()
	soon(t, "the first iteration", begun)
	must.Do(t, s.Close())
	soon(t, "the end of the fit", ended)
	if codeOf(err) != "plugin-closed" {
		t.Errorf("the fit: %v; want plugin-closed", err)
	}
	if _, err := p.Describe(t.Context()); err != nil {
		t.Errorf("the plugin: %v", err)
	}
}

func TestStep_refuses_a_message_above_the_limit(t *testing.T) {
	p := launch(t, "plugin", Options{})
	s, _, _, _ := open(t, p, "toy", nil)
	m := s.Begin()
	m.Aux["large"] = ones(wire.MaxMessage / 8)
	_, err := s.Update(t.Context(), m, framework.NewStats(s.Plan().Stats), nil, nil)
	if codeOf(err) != "plugin-message-size" {
		t.Errorf("%v; want plugin-message-size", err)
	}
}

// withoutFit are the calls of a plugin that has no driver.
type withoutFit struct{ pb.PluginClient }

func (withoutFit) Fit(context.Context, ...grpc.CallOption) (grpc.BidiStreamingClient[pb.FitRequest, pb.FitEvent], error) {
	return nil, status.Error(codes.Unimplemented, "unknown method Fit")
}

func TestFit_of_a_plugin_without_a_driver_gives_the_bits_of_one_with_it(t *testing.T) {
	p := launch(t, "plugin", Options{})
	with, _, prob, data := open(t, p, "toy", nil)
	want := must.Get(with.Fit(t.Context(), fit.Start{}, settings(), nil))(t)
	if with.Driven() {
		t.Error("a plugin that serves Fit counts as one that does not")
	}
	p.calls = withoutFit{p.calls}
	without := must.Get(p.Open(t.Context(), "toy", prob, data.Handle()))(t)
	for range 2 { // the second one knows it from the first
		var seen []fit.Iteration
		got := must.Get(without.Fit(t.Context(), fit.Start{}, settings(), func(it fit.Iteration) { seen = append(seen, it) }))(t)
		must.Equal(t, want, got, clustertest.Bitwise, cmpopts.IgnoreFields(fit.Result{}, "BlocksByWorker", "Seconds"))
		if diff := cmp.Diff(want.Trace, seen, clustertest.Bitwise); diff != "" {
			t.Errorf("progress: %s", diff)
		}
	}
	if !without.Driven() || without.Calls()["fit"] != 1 {
		t.Errorf("driven here: %v, calls %v; one fit must have been tried", without.Driven(), without.Calls())
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := without.Fit(ctx, fit.Start{}, settings(), func(fit.Iteration) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled fit ends with %v", err)
	}
}
