package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/conformance"
	"github.com/sqlcluster/sqlcluster/conformance/internal/zoo"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/constraint"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// wrongAndRight returns the reports of a set that breaks a law and of a right one.
func wrongAndRight(t *testing.T, o conformance.Options) []*conformance.Report {
	t.Helper()
	var reports []*conformance.Report
	for _, p := range []zoo.Projection{zoo.WrongProjections()[2], zoo.RightProjections()[0]} { // top s − 1, box
		r := must.Get(conformance.CheckSet(t.Context(), setTarget(p), o))(t)
		reports = append(reports, r)
	}
	return reports
}

func verdict(t *testing.T, r *conformance.Report, law string) conformance.Verdict {
	t.Helper()
	i := slices.IndexFunc(r.Verdicts, func(v conformance.Verdict) bool { return v.Name == law })
	if i < 0 {
		t.Fatalf("no verdict of %s", law)
	}
	return r.Verdicts[i]
}

func TestAReportSaysWhatFailedWithWhatAndHowToSeeItAgain(t *testing.T) {
	r := wrongAndRight(t, conformance.Options{})[0]
	if r.Outcome != conformance.NotConformant || !slices.Contains(r.Failed(), "set/closest-accepted") {
		t.Fatalf("outcome %s, failed %v", r.Outcome, r.Failed())
	}
	text := r.String()
	for _, part := range []string{
		"set top s − 1, profile core: fail (",
		"FAIL   set/closest-accepted", "No point near the projection that Violation accepts is nearer to the point.",
		"found:   Px = ", "is not the nearest point", "given:   set top s − 1", "X = ", "source:  framework.Set",
		`replay:  conformance.Options{Laws: []string{"set/closest-accepted"}, Case: new(uint64(`,
		"skip   set/obtuse-angle", "the set does not say that it is convex",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the report has no %q:\n%s", part, text)
		}
	}
}

func TestAReportSaysWhatWasDeclaredAndWhatWasLeftOut(t *testing.T) {
	r := must.Get(conformance.CheckAlgorithm(t.Context(), zoo.Noisy(), conformance.Options{Laws: []string{"clusterer/plan"}}))(t)
	must.Equal(t, []string{"missing", "groups", "constraints"}, r.Declares)
	if r.Outcome != conformance.Partial || len(r.LeftOut) != r.Count(conformance.Disabled)-3 { // the core has not the 3 laws of Full
		t.Errorf("the outcome is %s; left out are %v", r.Outcome, r.LeftOut)
	}
}

func TestTheThreeFormatsSayTheSame(t *testing.T) {
	reports := wrongAndRight(t, conformance.Options{})
	var out bytes.Buffer
	must.Do(t, conformance.Write(&out, "json", reports...))
	var read struct {
		FormatVersion int                   `json:"format_version"`
		Reports       []*conformance.Report `json:"reports"`
	}
	if err := json.Unmarshal(out.Bytes(), &read); err != nil || read.FormatVersion != conformance.ReportVersion {
		t.Fatalf("version %d, %v", read.FormatVersion, err)
	}
	if !reflect.DeepEqual(read.Reports, reports) {
		t.Error("the reports are not what was written as JSON")
	}

	out.Reset()
	must.Do(t, conformance.Write(&out, "junit", reports...))
	var suites struct {
		Suites []struct {
			Name     string `xml:"name,attr"`
			Tests    int    `xml:"tests,attr"`
			Failures int    `xml:"failures,attr"`
			Skipped  int    `xml:"skipped,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	must.Do(t, xml.Unmarshal(out.Bytes(), &suites))
	for i, s := range suites.Suites {
		r := reports[i]
		if s.Name != r.Target || s.Tests != len(r.Verdicts) || len(s.Cases) != s.Tests || s.Failures != r.Count(conformance.Failed) ||
			s.Skipped != r.Count(conformance.Skipped)+r.Count(conformance.Disabled) {
			t.Errorf("suite %s has %d tests, %d failures, %d skipped: %s", s.Name, s.Tests, s.Failures, s.Skipped, r.String())
		}
		for j, c := range s.Cases {
			v := r.Verdicts[j]
			if c.Name != v.Name || (c.Failure != nil) != (v.Status == conformance.Failed) ||
				c.Failure != nil && c.Failure.Message != v.Finding.Message {
				t.Errorf("test case %+v of the verdict %+v", c, v)
			}
		}
	}

	out.Reset()
	must.Do(t, conformance.Write(&out, "text", reports...))
	if want := reports[0].String() + "\n" + reports[1].String(); out.String() != want {
		t.Errorf("text %q", out.String())
	}
	if got := conformance.Worst(reports...); got != conformance.NotConformant {
		t.Errorf("together the outcome is %s", got)
	}
}

func TestAFailureIsExpectedOfTheAlgorithmThatIsNamed(t *testing.T) {
	const law = "clusterer/describe"
	unversioned := slices.IndexFunc(zoo.Clusterers(), func(a zoo.Animal) bool { return a.What == "has no version" })
	wrong := zoo.Clusterers()[unversioned] // it is called zoo
	for key, want := range map[string]conformance.Status{
		law: conformance.ExpectedFailed, "zoo:" + law: conformance.ExpectedFailed, "other:" + law: conformance.Failed,
	} {
		r, err := conformance.CheckAlgorithm(t.Context(), wrong.Algorithm,
			conformance.Options{Laws: []string{law}, Expected: map[string]string{key: "it is young"}})
		must.Do(t, err)
		if v := verdict(t, r, law); v.Status != want {
			t.Errorf("with %s expected, the verdict is %s", key, v.Status)
		}
	}
	misspelt := conformance.Options{Expected: map[string]string{"zoo:clusterer/merg": "x"}}
	if f := framework.AsFault(misspelt.Check()); f == nil || f.Similar != "clusterer/merge" {
		t.Errorf("a law that is not there is expected to fail: %v", f)
	}
}

func TestAnExpectedFailureIsNoneAndAnUnexpectedPassIs(t *testing.T) {
	const law = "set/closest-accepted"
	reports := wrongAndRight(t, conformance.Options{Laws: []string{law}, Expected: map[string]string{law: "keeps one too few"}})
	for i, want := range []conformance.Status{conformance.ExpectedFailed, conformance.Failed} {
		if v := verdict(t, reports[i], law); v.Status != want {
			t.Errorf("%s: %s %+v", reports[i].Target, v.Status, v.Finding)
		}
	}
	if len(reports[0].Failed()) > 0 {
		t.Errorf("failed: %v", reports[0].Failed())
	}
	if text := reports[1].String(); !strings.Contains(text, "the expectation is out of date") {
		t.Error(text)
	}
}

func TestALawThatIsLeftOutMakesAReportPartial(t *testing.T) {
	r := wrongAndRight(t, conformance.Options{Laws: []string{"set/feasible"}})[1]
	if r.Outcome != conformance.Partial || r.Count(conformance.Passed) != 1 || r.Count(conformance.Disabled) != len(r.Verdicts)-1 {
		t.Errorf("%s", r)
	}
	if r := wrongAndRight(t, conformance.Options{})[1]; r.Outcome != conformance.Conformant || r.Count(conformance.Disabled) == 0 {
		t.Errorf("laws of full alone are left out of core, but: %s", r)
	}
}

func TestTheSameCaseIsTheSameAgain(t *testing.T) {
	first, second := wrongAndRight(t, conformance.Options{})[0], wrongAndRight(t, conformance.Options{})[0]
	for i := range first.Verdicts {
		first.Verdicts[i].Seconds, second.Verdicts[i].Seconds = 0, 0
	}
	if !reflect.DeepEqual(first, second) {
		t.Errorf("%s\n%s", first, second)
	}
}

func TestOptionsThatMakeNoSenseAreRefused(t *testing.T) {
	for code, o := range map[string]conformance.Options{
		"unknown-profile":  {Profile: "all"},
		"unknown-law":      {Laws: []string{"set/feasibel"}},
		"case-without-law": {Case: new(uint64(3))},
	} {
		err := o.Check()
		if f := framework.AsFault(err); f == nil || f.Code != code || f.Class != framework.Usage {
			t.Errorf("%s: %v", code, err)
		}
		if _, got := conformance.CheckSet(t.Context(), conformance.SetTarget{}, o); got == nil {
			t.Errorf("%s: checked all the same", code)
		}
		if _, got := conformance.CheckAlgorithm(t.Context(), zoo.Right(), o); got == nil {
			t.Errorf("%s: checked all the same", code)
		}
	}
	misspelt := conformance.Options{Expected: map[string]string{"set/feasibel": "x"}}
	if f := framework.AsFault(misspelt.Check()); f == nil || f.Similar != "set/feasible" {
		t.Errorf("%+v", f)
	}
}

// stuck is a set that does not return from Project.
type stuck struct{ constraint.Sparsity }

func (stuck) Project(framework.Matrix, framework.Point) error { select {} }

func TestACaseThatDoesNotReturnFails(t *testing.T) {
	r, err := conformance.CheckSet(t.Context(),
		conformance.SetTarget{Name: "stuck", New: func(*rand.Rand, int, int) framework.Set { return stuck{} }},
		conformance.Options{Laws: []string{"set/feasible"}, Watchdog: 10 * time.Millisecond})
	must.Do(t, err)
	v := verdict(t, r, "set/feasible")
	if v.Status != conformance.Failed || !strings.Contains(v.Finding.Message, "did not return within 10ms") {
		t.Errorf("%s %+v", v.Status, v.Finding)
	}
}

func TestACheckThatIsCancelledSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := conformance.CheckAlgorithm(ctx, zoo.Right(), conformance.Options{})
	if err != nil || r.Outcome != conformance.NotConformant || r.Count(conformance.Errored) == 0 || r.Count(conformance.Passed) > 0 {
		t.Errorf("%v %s", err, r)
	}
}

func TestLawsHaveNamesOfTheirOwnAndSaySomething(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range conformance.Laws() {
		if seen[l.Name] || l.Source == "" || !strings.HasSuffix(l.Statement, ".") || !slices.Contains(conformance.Profiles, l.Profile) {
			t.Errorf("law %+v", l)
		}
		seen[l.Name] = true
	}
}
