package cli

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/means"
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

func (b cuttingBound) Assign(ctx context.Context, m, before *framework.Model) (fit.Pass, error) {
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
