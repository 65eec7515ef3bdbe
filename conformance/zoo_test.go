package conformance_test

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/conformance/internal/zoo"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func setTarget(p zoo.Projection) conformance.SetTarget {
	return conformance.SetTarget{Name: p.What, New: p.New, Nested: p.Nested}
}

func TestRightProjectionsObeyAllLaws(t *testing.T) {
	for _, p := range zoo.RightProjections() {
		t.Run(p.What, func(t *testing.T) { conformance.RunSetTarget(t, setTarget(p), thorough) })
	}
}

func TestRightKindsOfSetsObeyAllLaws(t *testing.T) {
	for _, k := range []framework.SetKind{zoo.Total{}, zoo.Band{}} {
		t.Run(k.Describe().Kind, func(t *testing.T) { conformance.RunKind(t, k, thorough) })
	}
}

func TestRightSetsOfLabelsObeyAllLaws(t *testing.T) {
	conformance.RunLabelKind(t, zoo.Even{}, thorough)
}

func TestEachWrongSetOfLabelsIsCaughtByItsLaw(t *testing.T) {
	for _, k := range zoo.WrongLabelSets() {
		catches(t, k.What, k.Law, k.Says, func(o conformance.Options) (*conformance.Report, error) {
			return conformance.CheckLabelKind(t.Context(), k.Kind, o)
		})
	}
}

// caught fails unless the law has failed with a message that contains says, and can
// be replayed (if replay is not nil).
func caught(t *testing.T, r *conformance.Report, law, says string, replay func(o conformance.Options) *conformance.Report) {
	t.Helper()
	v := verdict(t, r, law)
	if v.Status != conformance.Failed {
		t.Fatalf("%s %s (%s)", law, v.Status, v.Reason)
	}
	if !strings.Contains(v.Finding.Message, says) {
		t.Errorf("%s says %q; want %q in it", law, v.Finding.Message, says)
	}
	if replay == nil {
		return
	}
	again := replay(conformance.Options{Profile: conformance.Full, Laws: []string{law}, Case: &v.Finding.Case})
	if got := verdict(t, again, law); got.Status != conformance.Failed || got.Finding.Case != v.Finding.Case {
		t.Errorf("case %d of %s does not fail when it is replayed: %s", v.Finding.Case, law, got.Status)
	}
}

// catches fails unless the law catches what is wrong with a target, and again when
// the case is replayed.
func catches(t *testing.T, what, law, says string, check func(o conformance.Options) (*conformance.Report, error)) {
	t.Run(what, func(t *testing.T) {
		report := func(o conformance.Options) *conformance.Report {
			const tries = 50 // of a law that skips cases in which a busy machine has left all work to one thread
			r := must.Get(check(o))(t)
			for i := 1; i < tries && verdict(t, r, law).Status == conformance.Skipped; i++ {
				r = must.Get(check(o))(t)
			}
			return r
		}
		caught(t, report(smallest(t, law)), law, says, report)
	})
}

// smallest returns options for this law alone, in the smallest profile that has it.
// (Some wrong clusterers have data races under other laws.)
func smallest(t *testing.T, law string) conformance.Options {
	t.Helper()
	for _, l := range conformance.Laws() {
		if l.Name == law {
			return conformance.Options{Profile: l.Profile, Laws: []string{law}}
		}
	}
	t.Fatalf("there is no law %s", law)
	return conformance.Options{}
}

func TestEachWrongProjectionIsCaughtByItsLaw(t *testing.T) {
	for _, p := range zoo.WrongProjections() {
		catches(t, p.What, p.Law, p.Says, func(o conformance.Options) (*conformance.Report, error) {
			return conformance.CheckSet(t.Context(), setTarget(p), o)
		})
	}
}

func TestEachWrongKindOfSetsIsCaughtByItsLaw(t *testing.T) {
	for _, k := range zoo.Kinds() {
		catches(t, k.What, k.Law, k.Says, func(o conformance.Options) (*conformance.Report, error) {
			return conformance.CheckKind(t.Context(), k, o)
		})
	}
}

func TestTheRightClustererObeysAllLaws(t *testing.T) {
	conformance.RunClusterer(t, zoo.Right(), thorough)
}

func TestAPenaltyOnCentersObeysAllLaws(t *testing.T) {
	conformance.RunClusterer(t, zoo.Penalised(), thorough)
}

func TestNoiseThatIsDeclaredObeysAllLaws(t *testing.T) {
	conformance.RunClusterer(t, zoo.Noisy(), thorough)
}

func TestDistancesThatAreNoPowerNeedNotSayWhetherTheyAreSquares(t *testing.T) {
	r := must.Get(conformance.CheckAlgorithm(t.Context(), zoo.Huber(), smallest(t, "clusterer/squared")))(t)
	if r.Count(conformance.Failed) != 0 {
		t.Errorf("%+v", r.Verdicts)
	}
}

func TestEachWrongClustererIsCaughtByItsLaw(t *testing.T) {
	for _, a := range zoo.Clusterers() {
		catches(t, a.What, a.Law, a.Says, func(o conformance.Options) (*conformance.Report, error) {
			return conformance.CheckAlgorithm(t.Context(), a.Algorithm, o)
		})
	}
}

// uncaught has the laws that nothing in the zoo breaks, and why.
var uncaught = map[string]string{
	"process/unknown-algorithm": "plugin.Serve refuses the name before any code of an author runs; a server of another make could break it",
	"process/data-handle":       "plugin.Serve refuses the handle before any code of an author runs; a server of another make could break it",
	"process/closed-session":    "plugin.Serve refuses the step before any code of an author runs; a server of another make could break it",
	"process/unknown-kind":      "plugin.Serve refuses the kind before any code of an author runs; a server of another make could break it",
	"process/closed-set":        "plugin.Serve refuses the call before any code of an author runs; a server of another make could break it",
	"process/strangers": "plugin.Serve demands the certificate before any code of an author runs; " +
		"a server of another make could break it",
	"process/close": "the host kills a process that does not end by itself, and no process survives that signal",
}

func TestEveryLawHasSomethingWrongThatItCatches(t *testing.T) {
	caught := map[string]bool{}
	for _, p := range zoo.WrongProjections() {
		caught[p.Law] = true
	}
	for _, a := range zoo.Clusterers() {
		caught[a.Law] = true
	}
	for _, p := range zoo.Processes() {
		caught[p.Law] = true
	}
	for _, k := range zoo.Kinds() {
		caught[k.Law] = true
	}
	for _, k := range zoo.WrongLabelSets() {
		caught[k.Law] = true
	}
	for _, l := range conformance.Laws() {
		_, excepted := uncaught[l.Name]
		switch {
		case !caught[l.Name] && !excepted:
			t.Errorf("nothing in the zoo is caught by %s", l.Name)
		case caught[l.Name] && excepted:
			t.Errorf("something in the zoo is caught by %s: it is no exception any more", l.Name)
		}
		delete(caught, l.Name)
	}
	for law := range caught {
		t.Errorf("there is no law %s", law)
	}
}
