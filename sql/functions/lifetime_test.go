package functions_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
	"github.com/sqlcluster/sqlcluster/sql/library"
)

// telling is an algorithm that tells when it is about to begin.
type telling struct {
	framework.Algorithm
	tell func()
}

func (a telling) New(p framework.Problem) (framework.Clusterer, error) {
	a.tell()
	return a.Algorithm.New(p)
}

// Each of the statements would take hours.
func TestWhatIsInterruptedEndsAtOnceAndTheSessionGoesOn(t *testing.T) {
	cancel := func() {}
	var all []framework.Algorithm
	for _, a := range skfr.Algorithms() {
		all = append(all, telling{a, func() { cancel() }})
	}
	s := openedWith(t, "", library.Here(all...), wine, "CREATE TABLE truth AS SELECT *, id % 3 AS class FROM wine")
	for _, text := range []string{
		"FROM cluster_fit(wine, 'id', k := 3, restarts := 1000000)",
		"CREATE TABLE m AS FROM cluster_fit(wine, 'id', k := 3, restarts := 1000000)",
		"SELECT cluster_fit(id, wine, {k: 2, restarts: 1000000}) FROM wine GROUP BY id % 5",
		"FROM cluster_path(wine, 'id', k := 3, algorithm := 'skfr', restarts := 1000000)",
		"FROM cluster_tune(truth, 'id', k := 3, algorithm := 'skfr', truth := 'class', restarts := 1000000)",
	} {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		if rows, err := run(ctx, s, text); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %d rows, %v", text, len(rows), err)
		}
		cancel = func() {}
		ran(t, s, "SELECT k FROM cluster_fit(wine, 'id', k := 3, restarts := 1)")
	}
}

// mortal is a process that may end.
type mortal struct {
	fit.Host
	ended *bool
}

func (m mortal) Ended() bool { return *m.ended }

func (m mortal) Bind(ctx context.Context, name string, p framework.Problem, rows *matrix.Data) (fit.Session, error) {
	if p.K == 7 {
		*m.ended = true
		return nil, framework.Faultf(framework.Internal, "plugin-crashed", "the plugin has ended")
	}
	return m.Host.Bind(ctx, name, p, rows)
}

func TestAProcessServesManyFitsAndOneThatHasEndedIsReplaced(t *testing.T) {
	started, ended := 0, false
	l := library.Here(skfr.Algorithms()...)
	for i, a := range l.Algorithms {
		l.Algorithms[i].Plugin = "skfr"
		l.Algorithms[i].Host = func(ctx context.Context) (fit.Host, error) {
			host, err := a.Host(ctx)
			started, ended = started+1, false
			return mortal{host, &ended}, err
		}
	}
	s := openedWith(t, "", l, wine)
	want := ran(t, s, fitOf("wine", "k := 3"))
	ran(t, s, "FROM cluster_fit(wine, 'id', k := 2, algorithm := 'skfr', sparsity := 3)")
	if started != 1 {
		t.Errorf("%d processes for two fits", started)
	}
	if f := refused(t, s, "FROM cluster_fit(wine, 'id', k := 7)"); f.Code != "plugin-crashed" {
		t.Error(f)
	}
	if got := ran(t, s, fitOf("wine", "k := 3")); !slices.Equal(got, want) || started != 2 {
		t.Errorf("%d processes, %.200s", started, got)
	}
}

func TestNothingIsLeftOfAFitButItsValue(t *testing.T) {
	s := opened(t, "", wine, "SET threads = 2")
	count := func() (goroutines, files int) {
		entries, _ := os.ReadDir("/proc/self/fd") // none on other systems
		return runtime.NumGoroutine(), len(entries)
	}
	all := func(n int) {
		for range n {
			ran(t, s, "SELECT k FROM cluster_fit(wine, 'id', k := 3, restarts := 1)")
			_ = refused(t, s, "FROM cluster_fit(wine, 'id', k := 1000)")
			ran(t, s, "SELECT cluster_fit(id, wine, {k: 3, restarts: 1}).k FROM wine GROUP BY id % 3")
		}
	}
	all(3)
	goroutines, files := count()
	all(20)
	if g, f := count(); g > goroutines+10 || f > files+10 { // some may be about to end
		t.Errorf("%d goroutines and %d open files became %d and %d", goroutines, files, g, f)
	}
}
