package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/distant"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// cutting is an engine that ends after some passes: by calling end, as Ctrl-C does.
type cutting struct {
	distant.Relation
	left *int
	end  func()
}

func (c cutting) Bind(f means.Formula, p framework.Problem) (distant.Bound, error) {
	b, err := c.Relation.Bind(f, p)
	return cuttingBound{b, c}, err
}

type cuttingBound struct {
	distant.Bound
	cutting
}

// atPass, if not nil, is called before each pass of cutting.
var atPass func()

func (b cuttingBound) Assign(ctx context.Context, m, before *framework.Model) (fit.Pass, error) {
	if atPass != nil {
		atPass()
	}
	if *b.left--; *b.left == 0 {
		b.end()
	}
	return b.Bound.Assign(ctx, m, before)
}

// runCut runs the command in this process, and interrupts it after some passes.
func runCut(t *testing.T, passes int, args ...string) (code int, errs string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	plain := openEngine
	defer func() { openEngine = plain }()
	openEngine = func(a *app, ctx context.Context, db *store.DB) (distant.Relation, func() error, error) {
		rows, closing, err := plain(a, ctx, db)
		return cutting{rows, &passes, cancel}, closing, err
	}
	var said strings.Builder
	code = newApp(io.Discard, &said, registry.BuiltIns()...).main(ctx, args)
	return code, said.String()
}

func TestAFitInAnEngineGoesOnWhereItWasInterrupted(t *testing.T) {
	db := filepath.Join(t.TempDir(), "out.duckdb")
	fit := []string{"fit", wineFile, "--id", "id", "--exclude", "class", "-a", "skfr", "-k", "3", "--sparsity", "6", "--restarts", "2",
		"--engine", "duckdb", "--db", db}
	if code, _, errs := run(append(fit, "--into", "whole", "-q")...); code != exitDone {
		t.Fatal(errs)
	}
	_, whole, _ := run("show", "whole", "trace", "--db", db, "-o", "csv")
	for _, passes := range []int{3, 9} {
		code, errs := runCut(t, passes, append(fit, "--into", "cut")...)
		if code != process.Interrupted || !strings.Contains(errs, "kept in cut; the same command with --resume goes on") {
			t.Fatalf("%d, %s", code, errs)
		}
		_, out, _ := run("runs", "--db", db)
		if !strings.Contains(out, "cut") {
			t.Error(out)
		}
		if code, out, errs = run("show", "cut", "--db", db); code != exitDone || !strings.Contains(out, "iteration") {
			t.Errorf("%d, %s%s", code, out, errs)
		}
		for _, other := range [][]string{append(fit, "--into", "cut"), append(fit, "--into", "cut", "--resume", "--seed", "2"),
			append(fit, "--into", "other", "--resume"), {"predict", "cut", wineFile, "--db", db},
			{"report", "cut", "--db", db, "--out", "/dev/null"}} {
			if code, out, errs := run(other...); code != exitData && code != exitUsage || out != "" || strings.Contains(errs, "internal") {
				t.Errorf("%v: %d, %s%s", other, code, out, errs)
			}
		}
		code, _, errs = run(append(fit, "--into", "cut", "--resume")...)
		if code != exitDone || !strings.Contains(errs, "goes on after iteration") {
			t.Fatalf("%d, %s", code, errs)
		}
		if _, got, _ := run("show", "cut", "trace", "--db", db, "-o", "csv"); got != whole {
			t.Errorf("after %d passes:\n%s\nand whole:\n%s", passes, got, whole)
		}
		if code, _, errs := run("drop", "cut", "--db", db); code != exitDone || strings.Contains(errs, "progress") {
			t.Errorf("%d, %s", code, errs)
		}
	}
}

// tablesOfTuning are those of a tuning and its fit that no clock decides.
var tablesOfTuning = []string{"tune", "tune_draws", "trace", "centers", "clusters", "features", "assignments", "fit"}

// shown returns tables of a run as CSV.
func shown(t *testing.T, db, of string, tables ...string) string {
	t.Helper()
	all := ""
	for _, table := range tables {
		code, out, errs := run("show", of, table, "--db", db, "-o", "csv")
		if code != exitDone {
			t.Fatal(errs)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		slices.Sort(lines[1:]) // draws are made in any order
		all += strings.Join(lines, "\n") + "\n"
	}
	return all
}

func TestATuningInAnEngineGoesOnWhereItWasInterrupted(t *testing.T) {
	registry.Here = true // a sample is fitted by what is built in
	defer func() { registry.Here = false }()
	for name, of := range map[string]struct {
		args   []string
		passes []int  // in the first point, in a later one, and in the fit of the chosen one
		says   string // of the last
	}{
		"all rows": {[]string{"tune", "-k", "2:4", "--method", "silhouette,davies-bouldin"}, []int{2, 12}, "of the next, are kept in cut"},
		"a sample": {[]string{"tune", "-k", "2:3", "--draws", "3"}, []int{1, 2, 4}, "12 of 12 fits, and "},
		"features": {[]string{"tune", "-a", "skfr", "-k", "3", "--grid", "2,6", "--draws", "3"}, []int{3}, "8 of 8 fits, and "},
		"fit":      {[]string{"fit", "-k", "auto"}, []int{4}, "start 1 of that of the chosen point, are kept in cut"},
	} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "out.duckdb")
			args := slices.Clip(slices.Concat(of.args, []string{wineFile, "--id", "id", "--exclude", "class", "--restarts", "2",
				"--engine", "duckdb", "--db", db}))
			if code, _, errs := run(append(args, "--into", "whole", "-q")...); code != exitDone {
				t.Fatal(errs)
			}
			whole := shown(t, db, "whole", tablesOfTuning...)
			for i, passes := range of.passes {
				code, errs := runCut(t, passes, append(args, "--into", "cut")...)
				if code != process.Interrupted || !strings.Contains(errs, "kept in cut; the same command with --resume goes on") ||
					i == len(of.passes)-1 && !strings.Contains(errs, of.says) {
					t.Fatalf("%d, %s", code, errs)
				}
				if code, out, errs := run("show", "cut", "--db", db); code != exitDone || strings.Contains(errs, "internal") {
					t.Errorf("%d, %s%s", code, out, errs)
				}
				for says, other := range map[string][]string{
					"--resume goes on with it": append(args, "--into", "cut"),
					"seed was 1, and is 2":     append(args, "--into", "cut", "--resume", "--seed", "2"),
					"no interrupted tuning":    append(args, "--into", "other", "--resume"),
					"no interrupted fit":       {"fit", wineFile, "--id", "id", "-k", "3", "--engine", "duckdb", "--db", db, "--into", "cut", "--resume"},
					"a tuning \"cut\" was":     {"fit", wineFile, "--id", "id", "-k", "3", "--engine", "duckdb", "--db", db, "--into", "cut"},
					"run":                      {"predict", "cut", wineFile, "--db", db},
				} {
					if code, out, errs := run(other...); code != exitData || out != "" || !strings.Contains(errs, says) {
						t.Errorf("%v: %d, %s%s", other, code, out, errs)
					}
				}
				if code, _, errs = run(append(args, "--into", "cut", "--resume", "-q")...); code != exitDone {
					t.Fatalf("%d, %s", code, errs)
				}
				if got := shown(t, db, "cut", tablesOfTuning...); got != whole {
					t.Errorf("after %d passes:\n%s\nand whole:\n%s", passes, got, whole)
				}
				if code, _, errs := run("drop", "cut", "--db", db); code != exitDone || strings.Contains(errs, "progress") {
					t.Errorf("%d, %s", code, errs)
				}
			}
		})
	}
}

// What a process that is killed leaves is what the files of its database have then.
func TestATuningInAnEngineGoesOnAfterItWasKilled(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name+".duckdb") }
	args := []string{"tune", wineFile, "--id", "id", "--exclude", "class", "-k", "2:4", "--method", "calinski-harabasz", "--restarts", "2",
		"--engine", "duckdb", "--into", "cut", "-q", "--db"}
	left, killed := 0, 0
	plain := openEngine
	openEngine = func(a *app, ctx context.Context, db *store.DB) (distant.Relation, func() error, error) {
		rows, closing, err := plain(a, ctx, db)
		return cutting{rows, &left, nil}, closing, err
	}
	atPass = func() {
		killed++
		for _, end := range []string{"", ".wal"} {
			text, err := os.ReadFile(path("whole") + end)
			if err == nil {
				must.Do(t, os.WriteFile(path(fmt.Sprint(killed))+end, text, 0o600))
			} else if end == "" || !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		}
	}
	code, _, errs := run(append(args, path("whole"))...)
	openEngine, atPass = plain, nil
	if code != exitDone || killed < 12 { // three points of two starts
		t.Fatalf("%d, after %d passes: %s", code, killed, errs)
	}
	want := shown(t, path("whole"), "cut", tablesOfTuning...)
	for i := 1; i <= killed; i += 5 {
		if code, _, errs := run(append(args, path(fmt.Sprint(i)), "--resume")...); code != exitDone {
			t.Fatalf("killed at pass %d: %d, %s", i, code, errs)
		}
		if got := shown(t, path(fmt.Sprint(i)), "cut", tablesOfTuning...); got != want {
			t.Errorf("killed at pass %d:\n%s\nand whole:\n%s", i, got, want)
		}
	}
}

func TestReplaceBeginsATuningAnewAndKeepsIt(t *testing.T) {
	db := filepath.Join(t.TempDir(), "out.duckdb")
	args := []string{"tune", wineFile, "--id", "id", "--exclude", "class", "-k", "2:4", "--method", "silhouette", "--restarts", "2",
		"--engine", "duckdb", "--db", db, "--into", "cut"}
	for range 2 { // an incomplete one is replaced at once
		if code, errs := runCut(t, 9, append(args, "--replace")...); code != process.Interrupted || !strings.Contains(errs, "--resume goes on") {
			t.Fatalf("%d, %s", code, errs)
		}
	}
	if code, _, errs := run(append(args, "--resume", "-q")...); code != exitDone {
		t.Fatal(errs)
	}
	whole := shown(t, db, "cut", tablesOfTuning...)
	code, errs := runCut(t, 9, append(args, "--replace")...) // one that has ended stays
	if code != process.Interrupted || !strings.Contains(errs, "nothing of the tuning is kept before") || strings.Contains(errs, "--resume") {
		t.Errorf("%d, %s", code, errs)
	}
	if got := shown(t, db, "cut", tablesOfTuning...); got != whole {
		t.Errorf("%s\nand before:\n%s", got, whole)
	}
}

func TestAPathInAnEngineKeepsWhatIsDone(t *testing.T) {
	db := filepath.Join(t.TempDir(), "out.duckdb")
	path := []string{"path", wineFile, "--id", "id", "--exclude", "class", "-a", "skfr", "-k", "3", "--grid", "2,4,6", "--restarts", "1",
		"--engine", "duckdb", "--db", db, "--into"}
	if code, _, errs := run(append(path, "whole", "-q")...); code != exitDone {
		t.Fatal(errs)
	}
	code, errs := runCut(t, 8, append(path, "cut", "--keep-partial")...)
	if code != process.Interrupted || !strings.Contains(errs, "of 3 values were fitted and written") {
		t.Fatalf("%d, %s", code, errs)
	}
	got := strings.TrimSpace(shown(t, db, "cut", "path"))
	if whole := shown(t, db, "whole", "path"); strings.Count(got, "\n") == 0 || !strings.HasPrefix(whole, got) {
		t.Errorf("%s\nand whole:\n%s", got, whole)
	}
}
