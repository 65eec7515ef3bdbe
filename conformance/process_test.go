package conformance_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/conformance/internal/zoo"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// TestMain is also the main function of plugins: tests start this executable with
// the name of a role.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "role" {
		serve(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

func serve(role string) {
	switch role {
	case "right":
		plugin.Serve(zoo.Right(), zoo.Total{})
	case "sets alone":
		plugin.Serve(nil, zoo.Total{})
	case "built-in kinds":
		serveKinds(builtInKinds(func(name string) bool { return name != "sparsity" }))
	case "sparsity", "halfspace":
		serveKinds(builtInKinds(func(name string) bool { return name == role }))
	default:
		for _, p := range zoo.Processes() {
			if p.What == role {
				p.Main()
			}
		}
	}
}

func serveKinds(sets []framework.SetKind) {
	var kinds []framework.Kind
	for _, k := range sets {
		kinds = append(kinds, k)
	}
	plugin.Serve(nil, kinds...)
}

// itself is this executable in a role.
func itself(t *testing.T, role string) host.Program {
	t.Helper()
	path := must.Get(filepath.Abs(os.Args[0]))(t)
	return host.Program{Name: role, Path: path, Args: []string{"role", role}}
}

// TestTheRightProcessObeysTheLaws checks the laws of processes, and in a campaign
// also those of the algorithm and the kind of sets that it serves.
func TestTheRightProcessObeysTheLaws(t *testing.T) {
	t.Parallel()
	o := conformance.Options{Laws: []string{"process", "clusterer/ties", "set/feasible"}}
	if clustertest.Campaign {
		o.Laws = nil
	}
	conformance.RunPlugin(t, itself(t, "right"), o)
}

// TestARightProcessThatServesSetsAloneObeysTheLawsOfProcesses leaves the laws of
// starting and ending to the campaign: there, serving algorithms makes no difference.
func TestARightProcessThatServesSetsAloneObeysTheLawsOfProcesses(t *testing.T) {
	t.Parallel()
	o := conformance.Options{Laws: []string{"process/unknown-algorithm", "process/data-handle", "process/closed-session", "process/driver",
		"process/two-processes", "process/sessions", "process/cancellation", "process/unknown-kind", "process/closed-set",
		"process/sets", "kind"}}
	if clustertest.Campaign {
		o.Laws = []string{"process"}
	}
	conformance.RunPlugin(t, itself(t, "sets alone"), o)
}

func TestTheReportsOfAPluginAreOfItsProcessItsAlgorithmsAndItsKindsOfSets(t *testing.T) {
	check := func(names ...string) (targets []string) {
		reports, err := conformance.CheckPlugin(t.Context(), itself(t, "right"), names,
			conformance.Options{Laws: []string{"process/unknown-kind", "clusterer/plan", "set/feasible"}})
		must.Do(t, err)
		for _, r := range reports {
			targets = append(targets, r.Target)
		}
		return targets
	}
	if all, some := check(), check("total"); !slices.Equal(all, []string{"plugin right", "zoo", "set total"}) ||
		!slices.Equal(some, []string{"plugin right", "set total"}) {
		t.Errorf("reports of %q, and where total is asked for, of %q", all, some)
	}
	_, err := conformance.CheckPlugin(t.Context(), itself(t, "right"), []string{"sum"}, conformance.Options{})
	if f := framework.AsFault(err); f == nil || f.Code != "algorithm-not-found" {
		t.Errorf("got %v", err)
	}
}

// servedInCore are the wrong kinds of sets that are always checked in a process of
// their own, because masses or a panic go over the wire. Outside campaigns the
// others are only checked in this process, by TestEachWrongKindOfSetsIsCaughtByItsLaw.
var servedInCore = []string{"has sets that divide by masses", "has sets that forget the masses of columns", "has sets that panic"}

// TestEachWrongProcessIsCaughtByItsLaw replays one law of processes. The campaign
// replays all, for which it starts each program again.
func TestEachWrongProcessIsCaughtByItsLaw(t *testing.T) {
	for _, p := range zoo.Processes() {
		if strings.HasPrefix(p.Law, "set/") && !slices.Contains(servedInCore, p.What) && !clustertest.Campaign {
			continue
		}
		t.Run(p.What, func(t *testing.T) {
			t.Parallel()
			check := func(o conformance.Options) *conformance.Report {
				if o.Laws == nil {
					o.Laws = []string{p.Law}
				}
				o.Watchdog = p.Watchdog
				reports := must.Get(conformance.CheckPlugin(t.Context(), itself(t, p.What), nil, o))(t)
				i := slices.IndexFunc(reports, func(r *conformance.Report) bool {
					return slices.ContainsFunc(r.Verdicts, func(v conformance.Verdict) bool { return v.Name == p.Law })
				})
				if i < 0 {
					t.Fatalf("no law %s", p.Law)
				}
				return reports[i]
			}
			replay := check
			if strings.HasPrefix(p.Law, "process/") && p.Law != "process/driver" && !clustertest.Campaign {
				replay = nil
			}
			caught(t, check(conformance.Options{}), p.Law, p.Says, replay)
		})
	}
}
