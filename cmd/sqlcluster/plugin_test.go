package main

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/plugins/skfr"
)

// thirdParty, as an argument, makes the test program serve an algorithm that
// sqlcluster does not know.
const thirdParty = "third-party"

// serveThird is the main of third-party programs, right and wrong.
func serveThird(role string) {
	switch role {
	case "right", "right again":
		plugin.Serve(third{"third", false})
	case "twin": // of a built-in algorithm
		plugin.Serve(third{"kmeans", false})
	case "wrong":
		plugin.Serve(third{"third", true})
	case "sets", "sets again":
		plugin.Serve(nil, theirs{"box"}, theirs{"monotone"}, theirs{"odd"})
	case "limits", "limits again":
		plugin.Serve(nil, theirSize{})
	case "set of a built-in kind":
		plugin.Serve(nil, badlyNamed{})
	case "other version":
		fmt.Println("1|99|unix|/nowhere|grpc|")
		hang()
	case "no plugin":
		fmt.Println("usage: something else")
	}
}

func hang() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGUSR1)
	<-never
}

// third is k-means under another name, which does harm when it is asked to.
type third struct {
	name  string
	wrong bool // it counts rows twice
}

func (a third) Describe() framework.Description {
	return framework.Description{Name: a.name, Version: "2.1", Summary: "k-means by somebody else", Paper: "none", Empty: framework.Reseed,
		Scale: "sd",
		Params: []framework.Param{
			{Name: "trouble", Type: framework.ChoiceParam, Default: "none", Choices: []string{"none", "kill", "freeze", "exit", "flood", "panic",
				"refuse", "hang"}, Doc: "what goes wrong"},
			{Name: "depth", Type: framework.IntParam, Default: "3", Min: new(1.0), Max: new(9.0), Doc: "how deep it looks"},
		}}
}

func (a third) New(p framework.Problem) (framework.Clusterer, error) {
	trouble := p.Params.Text("trouble")
	if trouble == "refuse" {
		return nil, framework.Faultf(framework.Data, "third-refuses", "no problem is good enough").WithHint("give up")
	}
	p.Params = framework.Params{"loss": "l2", "missing": "error"}
	c, err := skfr.KMeans{}.New(p)
	return &thirdClusterer{c, trouble, a.wrong}, err
}

type thirdClusterer struct {
	framework.Clusterer
	trouble string
	wrong   bool
}

func (c *thirdClusterer) Prepare(m *framework.Model) { c.Clusterer.(framework.Preparer).Prepare(m) }

func (c *thirdClusterer) Collect(b framework.Block, from, to []int32, s framework.Stats) error {
	if c.wrong {
		from = nil
	}
	return c.Clusterer.Collect(b, from, to, s)
}

func (c *thirdClusterer) Update(ctx context.Context, m *framework.Model, s framework.Stats, rows framework.Rows,
	labels []int32) (framework.Step, error) {
	if m.Round == 1 {
		switch c.trouble {
		case "kill":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			hang()
		case "freeze":
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			hang()
		case "exit":
			fmt.Fprintln(os.Stderr, "the licence has expired")
			os.Exit(3)
		case "flood":
			line := strings.Repeat("chatter ", 1000) + "\n"
			for range 8000 { // 64 MB
				fmt.Print(line)
			}
		case "hang":
			if err := os.WriteFile(filepath.Join(os.Getenv("HOME"), "hangs"), nil, 0o600); err != nil {
				panic(err)
			}
			hang()
		case "panic":
			panic("the third party is over")
		}
	}
	return c.Clusterer.Update(ctx, m, s, rows, labels)
}

// program writes the program of a third party: sqlcluster-plugin-NAME in a
// directory.
func program(t *testing.T, dir, name, role string) string {
	t.Helper()
	self := must.Get(filepath.Abs(os.Args[0]))(t)
	path := filepath.Join(dir, "sqlcluster-plugin-"+name)
	script := fmt.Sprintf("#!/bin/sh\nexec '%s' %s '%s'\n", self, thirdParty, role)
	must.Do(t, os.WriteFile(path, []byte(script), 0o755))
	return path
}

const squares = "SELECT i AS id, i * i AS a, i % 3 AS b FROM range(40) t(i)"

// fails runs the command and fails the test unless it ends with the code and the
// Fault.
func fails(t *testing.T, dir string, code int, fault string, args ...string) outcome {
	t.Helper()
	o := sqlcluster(t, dir, args...)
	if o.code != code || !strings.Contains("\n"+o.stderr, "\nerror["+fault+"]") { // perhaps after progress and notes
		t.Errorf("sqlcluster %q: exit code %d, want %d and %s\n%s%s", args, o.code, code, fault, o.stdout, o.stderr)
	}
	return o
}

func TestAnAddedPluginIsUsedLikeABuiltInOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := program(t, dir, "third", "right")
	fails(t, dir, 2, "unknown-algorithm", "fit", squares, "--id", "id", "-k", "2", "-a", "third")
	o := succeed(t, dir, "plugin", "add", path)
	says(t, o.stderr, "added plugin third from "+path+": third 2.1\nsha256 ")
	says(t, succeed(t, dir, "plugin", "list", "-o", "csv").stdout, "third,third,2.1,k-means by somebody else\n")
	says(t, succeed(t, dir, "plugin", "describe", "third", "-o", "csv").stdout,
		"depth,--depth,integer,3,between 1 and 9,how deep it looks\n")
	fit := []string{"fit", squares, "--id", "id", "-k", "3", "--db", "runs.duckdb", "--into"}
	shown := succeed(t, dir, append(fit, "theirs", "-a", "third", "--depth", "4")...)
	says(t, shown.stdout, " center 2\n") // it selects nothing, so all features
	succeed(t, dir, append(fit, "ours", "-a", "kmeans")...)
	d := opened(t, dir, "runs.duckdb")
	equal(t, tableRows(t, d, "ours", "assignments"), tableRows(t, d, "theirs", "assignments"), "the labels of the same algorithm as a plugin")
	_, hash, _ := strings.Cut(o.stderr, "sha256 ")
	hash, _, _ = strings.Cut(hash, "\n")
	for run, want := range map[string]bool{"theirs": true, "ours": false} { // a built-in one has no file of its own
		if cells := slices.Collect(maps.Values(tableRows(t, d, run, "fit")[0])); len(hash) != 64 || slices.Contains(cells, any(hash)) != want {
			t.Errorf("the fit of %s, with sha256 %s\n%v", run, hash, cells)
		}
	}
	predict := func(run string) string {
		return succeed(t, dir, "predict", run, "SELECT 7 AS id, 50 AS a, 2 AS b", "--id", "id", "--db", "runs.duckdb", "-o", "csv").stdout
	}
	if theirs, ours := predict("theirs"), predict("ours"); theirs != ours {
		t.Errorf("predictions %s%s", theirs, ours)
	}
	fails(t, dir, 2, "bad-parameter", "fit", squares, "--id", "id", "-k", "2", "-a", "third", "--depth", "10")
	fails(t, dir, 3, "third-refuses", "check", squares, "--id", "id", "-k", "2", "-a", "third", "--trouble", "refuse")
	succeed(t, dir, "check", squares, "--id", "id", "-k", "2", "-a", "third")
	succeed(t, dir, "plugin", "remove", "third")
	fails(t, dir, 2, "unknown-algorithm", "fit", squares, "--id", "id", "-k", "2", "-a", "third")
	fails(t, dir, 2, "unknown-algorithm", "predict", "theirs", squares, "--id", "id", "--db", "runs.duckdb")
	fails(t, dir, 2, "unknown-plugin", "plugin", "remove", "third")
}

func TestFlagsHelpAndCompletionOfAnAddedPluginStartNoProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := added(t, dir, "third", "right")
	must.Do(t, os.Remove(path)) // nothing is left that could be started
	says(t, succeed(t, dir, "fit", "-a", "third", "--help").stdout, "--depth", "how deep it looks (default 3)")
	says(t, succeed(t, dir, "__complete", "fit", "--dep").stdout, "--depth")
	says(t, succeed(t, dir, "__complete", "fit", "-a", "").stdout, "third\tk-means by somebody else")
	succeed(t, dir, "plugin", "describe", "third")
	fails(t, dir, 4, "plugin-missing", "fit", squares, "--id", "id", "-k", "2", "-a", "third")
}

func TestAChangedPluginIsRefusedUntilItIsAddedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := added(t, dir, "third", "right")
	program(t, dir, "third", "right again")
	for _, args := range [][]string{{"fit", squares, "--id", "id", "-k", "2", "-a", "third"}, {"plugin", "verify", "third"}} {
		o := fails(t, dir, 4, "plugin-changed", args...)
		if says(t, o.stderr, "where: "+path, "plugin add "+path); strings.Count(o.stderr, "sha256") != 2 {
			t.Error(o.stderr)
		}
	}
	says(t, succeed(t, dir, "plugin", "add", path).stderr, "it replaces the file with sha256 ")
	succeed(t, dir, "fit", squares, "--id", "id", "-k", "2", "-a", "third")
}

func TestAProjectRunsOnlyThePluginThatItIsLockedTo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := added(t, dir, "third", "right")
	args := []string{"fit", squares, "--id", "id", "-k", "2", "-a", "third"}
	locked := succeed(t, dir, "plugin", "lock").stdout
	must.Do(t, os.WriteFile(filepath.Join(dir, "sqlcluster.lock"), []byte(locked), 0o600))
	succeed(t, dir, args...)
	program(t, dir, "third", "right again")
	succeed(t, dir, "plugin", "add", path)
	fails(t, dir, 4, "plugin-not-of-the-project", args...)
	succeed(t, dir, "plugin", "remove", "third")
	says(t, succeed(t, dir, "plugin", "list").stderr, "sqlcluster.lock asks for plugin third, which has not been added")
	fails(t, dir, 2, "unknown-plugin", "plugin", "lock", "third")
	must.Do(t, os.WriteFile(filepath.Join(dir, "sqlcluster.lock"), []byte("third\n"), 0o600))
	fails(t, dir, 2, "bad-lock", "plugin", "add", path)
}

func TestAPluginIsFoundByItsNameInTheDocumentedOrder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own, inPath := filepath.Join(dir, ".config", "sqlcluster", "plugins"), filepath.Join(dir, "bin")
	for _, d := range []string{own, inPath} {
		must.Do(t, os.MkdirAll(d, 0o755))
	}
	add := func() outcome {
		return ended(t, command(t, dir, "plugin", "add", "third"), "PATH="+inPath+":"+os.Getenv("PATH"))
	}
	if o := add(); o.code != 4 || !strings.Contains(o.stderr, "looked in "+own+"\n  looked in PATH\n") {
		t.Error(o)
	}
	for _, d := range []string{inPath, own} { // the later one is looked at first
		if path := program(t, d, "third", "right"); !strings.Contains(add().stderr, "from "+path) {
			t.Errorf("%s is not found", path)
		}
	}
}

func TestWhatIsNoGoodPluginIsNotAdded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for role, fault := range map[string]string{"other version": "plugin-version", "no plugin": "not-a-plugin"} {
		fails(t, dir, 4, fault, "plugin", "add", program(t, dir, "third", role))
	}
	fails(t, dir, 4, "not-a-plugin", "plugin", "verify", program(t, dir, "third", "no plugin"))
	fails(t, dir, 4, "plugin-missing", "plugin", "add", filepath.Join(dir, "none"))
	fails(t, dir, 2, "algorithm-taken", "plugin", "add", program(t, dir, "third", "twin"))
	fails(t, dir, 2, "plugin-taken", "plugin", "add", program(t, dir, "skfr", "right"))
	added(t, dir, "third", "right")
	fails(t, dir, 2, "algorithm-taken", "plugin", "add", program(t, dir, "fourth", "right"))
	if entries, _ := filepath.Glob(filepath.Join(dir, ".config", "sqlcluster", "*")); len(entries) != 1 {
		t.Errorf("files %v", entries)
	}
	write(t, dir, ".config/sqlcluster/plugins.lock", "{")
	fails(t, dir, 2, "bad-lock", "plugin", "add", program(t, dir, "third", "right"))
	fails(t, dir, 2, "bad-lock", "plugin", "list")
	succeed(t, dir, "plugin", "describe", "skfr")
}

func TestTroubleInAnAddedPluginEndsInExitCode4AndChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	added(t, dir, "third", "right")
	unchanged := database(t, dir)
	for trouble, c := range map[string]struct{ fault, says string }{
		"kill":   {"plugin-crashed", "signal: killed"},
		"freeze": {"plugin-hung", "gave no sign of life"},
		"exit":   {"plugin-crashed", "the licence has expired"},
		"panic":  {"plugin-panic", "the third party is over"},
	} {
		if !clustertest.Campaign && trouble != "exit" && trouble != "panic" {
			continue // other tests send these signals to a plugin in mid-fit
		}
		t.Run(trouble, func(t *testing.T) {
			o := fails(t, dir, 4, c.fault, "fit", squares, "--id", "id", "-k", "2", "-a", "third", "--trouble", trouble,
				"--db", "out.duckdb", "--into", "run")
			if !strings.Contains(o.stderr, c.says) || strings.Contains(o.stderr, "goroutine") {
				t.Error(o.stderr)
			}
			unchanged(t)
		})
	}
	for _, driver := range []string{"plugin", "host"} {
		if !clustertest.Campaign && driver == "host" { // a set that hangs has its driver there
			continue
		}
		t.Run("hang with the driver in the "+driver, func(t *testing.T) {
			o := fails(t, dir, 4, "plugin-hung", "fit", squares, "--id", "id", "-k", "2", "-a", "third", "--trouble", "hang",
				"--driver", driver, "--step-timeout", "1s", "--db", "out.duckdb", "--into", "run")
			says(t, o.stderr, "took longer than 1s for ")
		})
	}
	if clustertest.Campaign { // framework/plugin has such a plugin too
		t.Run("flood", func(t *testing.T) {
			succeed(t, dir, "fit", squares, "--id", "id", "-k", "2", "-a", "third", "--trouble", "flood")
		})
	}
}

// .ci/run verifies the built-in plugins by all laws of the core: each takes a minute.
func TestVerifyOfABuiltInPlugin(t *testing.T) {
	t.Parallel()
	o := succeed(t, t.TempDir(), "plugin", "verify", "skm", "--law", "clusterer/merge", "--law", "process/by-hand")
	says(t, o.stdout, "plugin skm, profile core: ", "skm 1.1.1, profile core: ", "pass   clusterer/merge ", "pass   process/by-hand ")
}

func TestVerifySaysWhichLawAPluginBreaksAndHowToReplayIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := program(t, dir, "third", "wrong")
	law := []string{"plugin", "verify", path, "--law", "clusterer/moved-sums"}
	o := fails(t, dir, 4, "laws-broken", law...)
	says(t, o.stdout, "FAIL   clusterer/moved-sums ")
	says(t, o.stderr, "third: clusterer/moved-sums")
	_, replay, found := strings.Cut(o.stdout, "replay:  sqlcluster ")
	replay, _, _ = strings.Cut(replay, "\n")
	if again := sqlcluster(t, dir, strings.Fields(replay)...); !found || again.code != 4 || !strings.Contains(again.stdout, replay) {
		t.Errorf("%q ends with %d: %s", replay, again.code, again.stdout)
	}
	var report struct {
		Reports []struct{ Target, Outcome string }
	}
	o = fails(t, dir, 4, "laws-broken", append(law, "-o", "json")...)
	if err := json.Unmarshal([]byte(o.stdout), &report); err != nil || report.Reports[0].Outcome != "fail" ||
		report.Reports[0].Target != "third" {
		t.Errorf("%v %+v", err, report)
	}
	var suites struct {
		Suites []struct {
			Failures int `xml:"failures,attr"`
		} `xml:"testsuite"`
	}
	o = fails(t, dir, 4, "laws-broken", append(law, "-o", "junit")...)
	if err := xml.Unmarshal([]byte(o.stdout), &suites); err != nil || suites.Suites[0].Failures != 1 {
		t.Errorf("%v %+v", err, suites)
	}
	succeed(t, dir, append(law, "--expect-failure", "clusterer/moved-sums=it counts twice")...)
	fails(t, dir, 2, "bad-flag", append(law, "-o", "xml")...)
	fails(t, dir, 2, "unknown-law", "plugin", "verify", path, "--law", "clusterer/merg")
	fails(t, dir, 2, "unknown-law", "plugin", "verify", path, "--law", "set/feasible")
	fails(t, dir, 2, "case-without-law", "plugin", "verify", path, "--case", "3")
	fails(t, dir, 2, "unknown-profile", "plugin", "verify", path, "--profile", "all")
	fails(t, dir, 2, "unknown-plugin", "plugin", "verify", "nobody")
}

func TestPluginProtocolPrintsTheFileThatTheCallsAreMadeOf(t *testing.T) {
	t.Parallel()
	want := must.Get(os.ReadFile("../../framework/plugin/protocol/protocol.proto"))(t)
	if o := succeed(t, t.TempDir(), "plugin", "protocol"); o.stdout != string(want) {
		t.Errorf("it prints\n%s", o.stdout)
	}
}
