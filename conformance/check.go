package conformance

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/conformance/internal/clusterers"
	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/conformance/internal/labelsets"
	"github.com/sqlcluster/sqlcluster/conformance/internal/processes"
	"github.com/sqlcluster/sqlcluster/conformance/internal/sets"
	"github.com/sqlcluster/sqlcluster/conformance/internal/testbed"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// A SetTarget is a constraint set to be checked, or a family of them.
type SetTarget struct {
	Name string

	// New makes a set for points of rows × cols. It is called for every case, and
	// must draw from r alone, so that a case can be replayed.
	New func(r *rand.Rand, rows, cols int) framework.Set

	// Rows and Cols fix the shape of points for sets that take only one; 0: any.
	Rows, Cols int

	// Nested, if not nil, returns sets of a family for the shape, each a superset
	// of the one before.
	Nested func(rows, cols int) []framework.Set

	_ struct{} // other packages name the fields, so that there can be more
}

// CheckSet checks the laws of constraint sets.
func CheckSet(ctx context.Context, target SetTarget, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	set := sets.Target{Name: target.Name, New: target.New, Rows: target.Rows, Cols: target.Cols, Nested: target.Nested}
	return newReport("set "+target.Name, "", o, checkLaws(ctx, sets.Laws, set, o)), nil
}

// CheckKind checks the laws of kinds of constraint sets, and those of sets, on sets like
// the Example of the kind's description.
func CheckKind(ctx context.Context, k framework.SetKind, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	d := k.Describe()
	if err := d.Check(); err != nil {
		return nil, err
	}
	return newReport("set "+d.Kind, d.Version, o, kindVerdicts(ctx, sets.Kind{Description: d, Make: k.Make}, o)), nil
}

// CheckLabelKind checks the laws of kinds of sets of labels, on sets like the Example of the
// kind's description.
func CheckLabelKind(ctx context.Context, k framework.LabelKind, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	d := k.Describe()
	if err := d.Check(); err != nil {
		return nil, err
	}
	return newReport("set "+d.Kind, d.Version, o, checkLaws(ctx, labelsets.Laws, labelsets.Kind{Description: d, Make: k.Make}, o)), nil
}

// kindVerdicts checks the laws of a kind, and of its sets.
func kindVerdicts(ctx context.Context, k sets.Kind, o Options) []Verdict {
	return slices.Concat(checkLaws(ctx, sets.KindLaws, k, o), checkLaws(ctx, sets.Laws, k.Target(), o))
}

// CheckAlgorithm checks the laws of algorithms and their clusterers, on an
// algorithm in this process.
func CheckAlgorithm(ctx context.Context, a framework.Algorithm, o Options) (*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	d := a.Describe()
	return newReport(d.Name, d.Version, o, checkLaws(ctx, clusterers.Laws, testbed.Here(a), o.of(d.Name))).declaring(d), nil
}

// mostTogether is how many cases run at a time in one process. Most of a case is
// waiting for answers, and waking up for them.
const mostTogether = 4

// CheckPlugin starts a program and checks the laws of processes, then the laws of
// clusterers for each of its algorithms, with every step a call, and the laws of
// sets for each of its kinds of sets. names are the algorithms and kinds to check;
// nil means all. The first report is about the process, unless the options leave
// out all its laws. A program that does not start is an error.
func CheckPlugin(ctx context.Context, program host.Program, names []string, o Options) ([]*Report, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	process, err := processes.Start(ctx, program, o.StepTimeout, names)
	if err != nil {
		return nil, err
	}
	defer process.Close()
	var reports []*Report
	add := func(r *Report) {
		if r.Count(Disabled) < len(r.Verdicts) { // some law was asked for
			reports = append(reports, r)
		}
	}
	name := cmp.Or(program.Name, program.Path)
	add(newReport("plugin "+name, "", o, checkLaws(ctx, process.Laws(), process, o.of(""))))
	wanted := func(name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	for _, d := range process.Served {
		if wanted(d.Name) {
			of := o.of(d.Name)
			of.together = mostTogether
			verdicts := checkLaws(ctx, clusterers.Laws, process.Remote(ctx, d.Name), of)
			add(newReport(d.Name, d.Version, o, verdicts).declaring(d))
		}
	}
	for _, d := range process.Kinds {
		switch {
		case !wanted(d.Kind):
		case d.Labels:
			add(newReport("set "+d.Kind, d.Version, o, checkLaws(ctx, labelsets.Laws, process.LabelSets(ctx, d), o)))
		default:
			add(newReport("set "+d.Kind, d.Version, o, kindVerdicts(ctx, process.Sets(ctx, d), o)))
		}
	}
	if len(reports) == 0 {
		return nil, framework.Faultf(framework.Usage, "unknown-law", "no law of what the plugin serves is called %s", strings.Join(o.Laws, ", ")).
			WithHint("the names begin with process/, with clusterer/ for algorithms, and with kind/ and set/ for kinds of sets of " +
				"centers, and with labels/ for those of labels")
	}
	return reports, nil
}

// checkLaws checks the laws one after the other.
func checkLaws[T any](ctx context.Context, laws []judge.Law[T], target T, o Options) []Verdict {
	verdicts := make([]Verdict, len(laws))
	which := judge.Options{Full: o.Profile == Full, Only: o.Case, Watchdog: o.Watchdog, Together: o.together}
	for i, named := range lawsOf(laws) {
		v := &verdicts[i]
		began := time.Now()
		if why := o.disabled(named); why != "" {
			*v = Verdict{Law: named, Status: Disabled, Reason: why}
		} else {
			*v = verdictOf(named, laws[i].Try(ctx, target, which), o)
			v.Seconds = time.Since(began).Seconds()
		}
		if reason, expected := o.Expected[named.Name]; expected {
			v.expect(reason, o)
		}
		if o.Progress != nil {
			o.Progress(*v)
		}
	}
	return verdicts
}

// verdictOf says what the cases of a law have shown.
func verdictOf(l Law, r judge.Result, o Options) Verdict {
	v := Verdict{Law: l, Status: Passed, Note: r.Note, Cases: r.Cases}
	switch {
	case r.Err != nil:
		v.Status, v.Reason = Errored, r.Err.Error()
	case r.Finding != nil:
		v.Status = Failed
		v.Finding = &Finding{r.Finding.Number, r.Finding.Input, r.Finding.Message, o.replay(l.Name, r.Finding.Number)}
	case r.Cases == 0:
		v.Status, v.Reason = Skipped, r.Skipped
	}
	return v
}

// expect applies an expected failure, of which it is a failure to pass.
func (v *Verdict) expect(reason string, o Options) {
	switch v.Status {
	case Failed:
		v.Status, v.Reason = ExpectedFailed, reason
	case Passed:
		v.Status = Failed
		v.Finding = &Finding{Message: fmt.Sprintf("the law holds, but is expected to fail (%s): the expectation is out of date", reason),
			Replay: o.replay(v.Name, 0)}
	}
}
