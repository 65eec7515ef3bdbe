//go:build engines

package clickhouse_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
)

// ofTheServer are how faults begin that servers and connections lead to.
var ofTheServer = []string{"error[engine-lost]", "error[engine-unreachable]", "error[engine-shard]", "error[engine-refused]"}

func TestAFitGoesOnAfterAServerWasKilled(t *testing.T) {
	for victim, of := range map[int][]string{0: {"learn", "pass", "assignments"}, 1: {"start", "pass", "end"}} {
		t.Run([]string{"the one that is asked", "the other one"}[victim], func(t *testing.T) {
			t.Parallel()
			f := newFleet(t)
			for _, kind := range of {
				g, r := f.inTheMiddle(kind, "500ms")
				f.servers[victim].Kill()
				o := r.outcome()
				f.servers[victim].Restart()
				f.slow(0)
				if o.code == 0 {
					t.Errorf("%s: it has not noticed", kind)
				}
				g.lawful(o, ofTheServer...)
			}
		})
	}
}

func TestAFitWaitsForAServerThatComesBack(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for victim := range f.servers {
		g, r := f.inTheMiddle("pass", "1m")
		f.servers[victim].Kill()
		r.until("waiting for " + f.relay.Address)
		again := f.relay.StopNext() // until its view is as before, too
		f.servers[victim].Restart()
		f.slow(0)
		again.Pass(clickhousetest.Fate{})
		o := r.outcome()
		if o.code != 0 {
			t.Error(o.errs)
		}
		g.lawful(o)
	}
}

func TestAFitGoesOnAfterItWasKilled(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, kind := range []string{"start", "pass", "assignments"} {
		g, r := f.inTheMiddle(kind, "30s")
		if children := childrenOf(r.cmd.Process.Pid); len(children) > 0 {
			t.Errorf("processes of a plugin, which has nothing to do: %v", children)
		}
		must.Do(t, r.cmd.Process.Kill())
		o := r.outcome()
		// A server of this version does not see that its client has gone.
		f.servers[0].Do("KILL QUERY WHERE query LIKE '%points%' AND query NOT LIKE '%KILL%' ASYNC")
		f.gone()
		f.slow(0)
		g.lawful(o, "")
	}
}

// childrenOf returns the processes that a process has started.
func childrenOf(pid int) []string {
	var all []string
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range tasks {
		text, _ := os.ReadFile(path)
		all = append(all, strings.Fields(string(text))...)
	}
	return all
}

func TestAFitThatIsInterruptedEndsInTheServers(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, kind := range []string{"learn", "pass", "assignments"} {
		g, r := f.inTheMiddle(kind, "30s")
		must.Do(t, r.cmd.Process.Signal(syscall.SIGINT))
		f.gone()
		o := r.outcome()
		f.slow(0)
		if o.code != 130 {
			t.Errorf("%s: exit code %d", kind, o.code)
		}
		g.lawful(o, "interrupted: ")
	}
}

func TestAFitThatTakesTooLongEndsInTheServers(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	for _, kind := range []string{"start", "end"} {
		g, r := f.inTheMiddle(kind, "30s", "--timeout", f.longer())
		o := r.outcome()
		f.gone()
		f.slow(0)
		if o.code != 1 {
			t.Errorf("%s: exit code %d", kind, o.code)
		}
		g.lawful(o, "error[timed-out]")
	}
}

func TestAFitOverConnectionsThatAreCutHasItsResultOrNone(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	said, _ := f.uninterrupted()
	failed := 0
	for draw := range 6 {
		r := framework.Rand(1, "cut", uint64(draw))
		fates := map[int]clickhousetest.Fate{}
		for range 1 + r.IntN(3) {
			fates[1+r.IntN(len(said))] = clickhousetest.Fate{Lost: r.IntN(3) == 0, Cut: []int{-1, 1 + r.IntN(600), 1 + r.IntN(3000)}[r.IntN(3)]}
		}
		patience := []string{"0s", "30s"}[draw%2]
		g := f.fit(fates)
		o := g.start(patience).outcome()
		if o.code != 0 {
			failed++
		}
		t.Logf("%v, patience %s: exit code %d, %s", fates, patience, o.code, o.errs)
		g.lawful(o, append(ofTheServer, "error[engine-not-clickhouse]")...)
	}
	if failed == 0 {
		t.Error("no fit has failed")
	}
}

func TestAFitOverConnectionsOfServersThatAreCutHasItsResultOrNone(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	said, _ := f.uninterrupted()
	for draw := range 4 {
		r := framework.Rand(2, "cut", uint64(draw))
		patience := []string{"0s", "30s"}[draw%2]
		g := f.fit(nil)
		stopped := f.relay.Stop(3 + r.IntN(len(said)-3))
		p := g.start(patience)
		select {
		case <-stopped.Reached:
		case <-p.ended:
			t.Fatal(p.errs.String())
		}
		f.between[1].Drop()
		at := r.IntN(5000)
		f.between[1].Cut(at, 1)
		stopped.Pass(clickhousetest.Fate{})
		o := p.outcome()
		f.between[1].Cut(0, 0)
		t.Logf("cut behind byte %d, patience %s: exit code %d, %s", at, patience, o.code, o.errs)
		g.lawful(o, ofTheServer...)
	}
}

func TestAFitOverConnectionsThatStallHasItsResultOrNone(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	number := f.number("pass")
	t.Log("to the server")
	g := f.fit(map[int]clickhousetest.Fate{number: {Stall: true}})
	o := g.start("30s", "--timeout", f.longer()).outcome()
	if o.code != 1 {
		t.Errorf("exit code %d", o.code)
	}
	g.lawful(o, "error[timed-out]")

	t.Log("between servers")
	g = f.fit(nil)
	stopped := f.relay.Stop(number)
	r := g.start("30s", "--timeout", f.longer())
	select {
	case <-stopped.Reached:
	case <-r.ended:
		t.Fatal(r.errs.String())
	}
	f.between[1].Hold()
	stopped.Pass(clickhousetest.Fate{})
	o = r.outcome()
	f.between[1].Release()
	if o.code != 1 {
		t.Errorf("exit code %d", o.code)
	}
	g.lawful(o, append(ofTheServer, "error[timed-out]")...)
}

func TestWhatAKilledServerLeavesOfATableIsNamedOrDropped(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	g, r := f.inTheMiddle("assignments", "500ms")
	f.servers[0].Kill()
	o := r.outcome()
	f.servers[0].Restart()
	f.slow(0)
	there, _ := g.left()
	if len(there) == 0 || !strings.Contains(o.errs, "may be left in") {
		t.Errorf("%q is left, and %s", there, o.errs)
	}
	g.lawful(o, ofTheServer...)
}

func TestARenamingWhoseAnswerIsLostIsDone(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	number := f.number("renaming")
	for i, fate := range []clickhousetest.Fate{{Cut: -1}, {Cut: 9}, {Lost: true}} {
		g := f.fit(map[int]clickhousetest.Fate{number: fate})
		o := g.start("30s").outcome()
		if lost := o.code != 0; lost != fate.Lost {
			t.Errorf("%d: exit code %d, %s", i, o.code, o.errs)
		}
		if there, _ := g.left(); slices.ContainsFunc(there, func(name string) bool { return strings.Contains(name, "__") }) {
			t.Errorf("%d: %q are left", i, there)
		}
		g.lawful(o, ofTheServer...)
	}
}

// until waits until the command says something.
func (r *running) until(part string) {
	r.t.Helper()
	limit := time.After(atMost)
	for !strings.Contains(r.errs.String(), part) {
		select {
		case <-r.ended:
			r.t.Fatalf("it ended without %q: %s", part, r.errs.String())
		case <-limit:
			r.t.Fatalf("it does not say %q: %s", part, r.errs.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
