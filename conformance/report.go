package conformance

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// ReportVersion is the version of the JSON format of reports.
const ReportVersion = 1

// A Report is what a check found.
type Report struct {
	FormatVersion int       `json:"format_version"`
	Target        string    `json:"target"`
	Version       string    `json:"version"` // of the target
	Profile       Profile   `json:"profile"`
	Outcome       Outcome   `json:"outcome"`
	Declares      []string  `json:"declares,omitempty"` // what the target says that it can do: laws of what it does not declare are skipped
	LeftOut       []string  `json:"left_out,omitempty"` // laws of the profile that were disabled
	Verdicts      []Verdict `json:"laws"`
}

// An Outcome is the result of a whole report.
type Outcome string

// The outcomes.
const (
	Conformant    Outcome = "pass"
	Partial       Outcome = "partial" // nothing failed, but laws of the profile were disabled
	NotConformant Outcome = "fail"
)

func newReport(target, version string, o Options, verdicts []Verdict) *Report {
	r := &Report{FormatVersion: ReportVersion, Target: target, Version: version, Profile: cmp.Or(o.Profile, Core),
		Outcome: Conformant, Verdicts: verdicts}
	for _, v := range verdicts {
		switch {
		case v.Status == Failed || v.Status == Errored:
			r.Outcome = NotConformant
		case v.Status == Disabled && (v.Profile == Core || r.Profile == Full):
			r.LeftOut = append(r.LeftOut, v.Name)
		}
	}
	if r.Outcome == Conformant && r.LeftOut != nil {
		r.Outcome = Partial
	}
	return r
}

// declaring adds what the description of an algorithm declares.
func (r *Report) declaring(d framework.Description) *Report {
	for _, can := range []struct {
		declared bool
		what     string
	}{
		{d.Links, "links"}, {d.Trims, "trims"}, {d.Missing, "missing"}, {d.Categorical, "categorical"}, {d.Groups, "groups"},
		{d.Constraints, "constraints"}, {d.ObjectiveTerms != nil, "objective_terms"}, {d.Path != "", "path"}, {d.Looser != "", "looser"},
		{d.Predict != nil, "predict"},
	} {
		if can.declared {
			r.Declares = append(r.Declares, can.what)
		}
	}
	return r
}

// Count returns how many laws have the status.
func (r *Report) Count(s Status) int {
	n := 0
	for _, v := range r.Verdicts {
		if v.Status == s {
			n++
		}
	}
	return n
}

// Failed returns the names of the laws that failed or could not be checked.
func (r *Report) Failed() []string {
	var names []string
	for _, v := range r.Verdicts {
		if v.Status == Failed || v.Status == Errored {
			names = append(names, v.Name)
		}
	}
	return names
}

// Formats lists the formats that Write accepts.
var Formats = []string{"text", "json", "junit"}

// Write writes reports in one of the Formats.
func Write(w io.Writer, format string, reports ...*Report) error {
	switch format {
	case "json":
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(struct {
			FormatVersion int       `json:"format_version"`
			Reports       []*Report `json:"reports"`
		}{ReportVersion, reports})
	case "junit":
		return writeJUnit(w, reports)
	case "text":
		for i, r := range reports {
			if i > 0 {
				if _, err := fmt.Fprintln(w); err != nil {
					return err
				}
			}
			if _, err := io.WriteString(w, r.String()); err != nil {
				return err
			}
		}
		return nil
	}
	panic(fmt.Sprintf("conformance: no format %q; there are %v", format, Formats))
}

// summary is the report in one line.
func (r *Report) summary() string {
	parts := []string{fmt.Sprintf("%d passed", r.Count(Passed))}
	for _, p := range []struct {
		status Status
		what   string
	}{
		{Failed, "failed"}, {Errored, "could not be checked"}, {ExpectedFailed, "failed as expected"},
		{Skipped, "do not apply"}, {Disabled, "left out"},
	} {
		if n := r.Count(p.status); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, p.what))
		}
	}
	name := r.Target
	if r.Version != "" {
		name += " " + r.Version
	}
	return fmt.Sprintf("%s, profile %s: %s (%s)", name, r.Profile, r.Outcome, strings.Join(parts, ", "))
}

// String writes the report for people, failures first.
func (r *Report) String() string {
	var b strings.Builder
	b.WriteString(r.summary() + "\n")
	words := map[Status]string{Failed: "FAIL", Errored: "ERROR", ExpectedFailed: "known", Passed: "pass", Skipped: "skip"}
	for _, status := range []Status{Failed, Errored, ExpectedFailed, Passed, Skipped} {
		for _, v := range r.Verdicts {
			if v.Status != status {
				continue
			}
			fmt.Fprintf(&b, "%-5s  %-28s  %s\n", words[status], v.Name, v.Statement)
			if v.Finding != nil {
				b.WriteString(v.Finding.text(v.Source))
			}
			for _, line := range []string{v.Reason, v.Note} {
				if line != "" {
					fmt.Fprintf(&b, "       %s\n", line)
				}
			}
		}
	}
	return b.String()
}

// text says what failed, indented.
func (f *Finding) text(source string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "       found:   %s\n", f.Message)
	for i, line := range f.Input {
		fmt.Fprintf(&b, "       %-8s %s\n", map[bool]string{true: "given:", false: ""}[i == 0], line)
	}
	fmt.Fprintf(&b, "       source:  %s\n", source)
	fmt.Fprintf(&b, "       replay:  %s\n", f.Replay)
	return b.String()
}

// The elements of JUnit's XML, by the schema of Jenkins.
type (
	junitSuites struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		Time    string     `xml:"time,attr"`
		Failure *junitText `xml:"failure"`
		Error   *junitText `xml:"error"`
		Skipped *junitText `xml:"skipped"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func writeJUnit(w io.Writer, reports []*Report) error {
	var all junitSuites
	for _, r := range reports {
		s := junitSuite{Name: r.Target, Tests: len(r.Verdicts), Failures: r.Count(Failed), Errors: r.Count(Errored)}
		for _, v := range r.Verdicts {
			c := junitCase{Class: r.Target, Name: v.Name, Time: fmt.Sprintf("%.3f", v.Seconds)}
			switch v.Status {
			case Failed:
				c.Failure = &junitText{v.Finding.Message, v.Statement + "\n" + v.Finding.text(v.Source)}
			case Errored:
				c.Error = &junitText{v.Reason, v.Statement}
			case Skipped, Disabled, ExpectedFailed:
				s.Skipped++
				c.Skipped = &junitText{Message: v.Reason}
			}
			s.Cases = append(s.Cases, c)
		}
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// Worst returns the worst outcome of several reports.
func Worst(reports ...*Report) Outcome {
	order := []Outcome{Conformant, Partial, NotConformant}
	worst := 0
	for _, r := range reports {
		worst = max(worst, slices.Index(order, r.Outcome))
	}
	return order[worst]
}
