package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
)

// Options say what to check. The zero value checks every law of Core.
type Options struct {
	Profile Profile  // "": Core
	Laws    []string // names of laws, or beginnings of names; nil: all of the profile
	Case    *uint64  // the only case to look at; nil: those of the profile

	// Expected has the laws that are known to fail, with the reasons. A key is
	// "clusterer/merge", or "mine:clusterer/merge" for the algorithm mine of a
	// program that serves several.
	Expected map[string]string

	// Replay returns how to see a case again; nil: as the lines of a Go test.
	Replay func(law string, number uint64) string

	// Watchdog is how long one case may take before it counts as hung; 0: a
	// minute. Waits within a case take at most a quarter of it.
	Watchdog time.Duration

	// StepTimeout is host.Options.StepTimeout for processes.
	StepTimeout time.Duration

	// Progress, if not nil, is called with each verdict as soon as it is known.
	Progress func(Verdict)

	together int // how many cases of a law run at a time; 0: one
}

// Check returns what is wrong with the options, as a Fault of class Usage.
func (o Options) Check() error {
	if o.Profile != "" && !slices.Contains(Profiles, o.Profile) {
		return framework.Faultf(framework.Usage, "unknown-profile", "there is no profile %q", o.Profile).
			WithHint("the profiles are core and full")
	}
	names := o.Laws
	for name := range o.Expected {
		_, law := targetAndLaw(name)
		names = append(names[:len(names):len(names)], law)
	}
	for _, name := range names {
		if !slices.ContainsFunc(Laws(), func(l Law) bool { return isNamed(l, name) }) {
			f := framework.Faultf(framework.Usage, "unknown-law", "there is no law %q", name)
			var all []string
			for _, l := range Laws() {
				all = append(all, l.Name)
			}
			f.Similar = framework.Closest(name, all)
			return f
		}
	}
	if o.Case != nil && len(o.Laws) != 1 {
		return framework.Faultf(framework.Usage, "case-without-law", "a case belongs to one law, which must be named")
	}
	return nil
}

// targetAndLaw splits a key of Expected; the algorithm may be "".
func targetAndLaw(key string) (algorithm, law string) {
	if before, after, ok := strings.Cut(key, ":"); ok {
		return before, after
	}
	return "", key
}

// of returns the options for one algorithm: Expected has its own keys and those
// without an algorithm.
func (o Options) of(algorithm string) Options {
	expected := map[string]string{}
	for key, reason := range o.Expected {
		if a, law := targetAndLaw(key); a == "" || a == algorithm {
			expected[law] = reason
		}
	}
	o.Expected = expected
	return o
}

// isNamed reports whether name names the law or its group ("set").
func isNamed(l Law, name string) bool {
	return l.Name == name || strings.HasPrefix(l.Name, name+"/")
}

// disabled says why the options leave a law out; "" if they do not.
func (o Options) disabled(l Law) string {
	switch {
	case len(o.Laws) > 0 && !slices.ContainsFunc(o.Laws, func(name string) bool { return isNamed(l, name) }):
		return "not asked for"
	case len(o.Laws) == 0 && l.Profile == Full && o.Profile != Full:
		return "belongs to the profile full"
	}
	return ""
}

func (o Options) replay(law string, number uint64) string {
	if o.Replay != nil {
		return o.Replay(law, number)
	}
	return fmt.Sprintf("conformance.Options{Laws: []string{%q}, Case: new(uint64(%d))}", law, number)
}
