package cli

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/framework"
)

// told is an algorithm that tells of each clusterer before it is made.
type told struct {
	framework.Algorithm
	made func()
}

func (a told) New(p framework.Problem) (framework.Clusterer, error) {
	a.made()
	return a.Algorithm.New(p)
}

// runTold runs the command in this process, with algorithms that are told.
func runTold(ctx context.Context, made func(), args ...string) (code int, errs string) {
	builtIns := registry.BuiltIns()
	for i, b := range builtIns {
		b.Algorithms = slices.Clone(b.Algorithms)
		for j, a := range b.Algorithms {
			b.Algorithms[j] = told{a, made}
		}
		builtIns[i] = b
	}
	var said strings.Builder
	code = newApp(io.Discard, &said, builtIns...).main(ctx, args)
	return code, said.String()
}

func TestATuningOfRowsThatAreReadGoesOnWhereItWasInterrupted(t *testing.T) {
	registry.Here = true
	defer func() { registry.Here = false }()
	for name, of := range map[string][]string{
		"numbers":  {"tune", "-k", "2:4", "--draws", "3"},
		"features": {"tune", "-a", "skfr", "-k", "3", "--grid", "2,6", "--draws", "3"},
		"both":     {"tune", "-a", "skfr", "-k", "2:3", "--grid", "2,6", "--draws", "3"},
		"fit":      {"fit", "-k", "auto", "--max-iter", "5"},
	} {
		t.Run(name, func(t *testing.T) {
			db := filepath.Join(t.TempDir(), "out.duckdb")
			args := slices.Clip(slices.Concat(of, []string{wineFile, "--id", "id", "--exclude", "class", "--restarts", "1", "--threads", "1",
				"--db", db}))
			var all atomic.Int64 // clusterers that are made
			if code, errs := runTold(t.Context(), func() { all.Add(1) }, append(args, "--into", "whole", "-q")...); code != exitDone {
				t.Fatalf("%d, %s", code, errs)
			}
			whole := shown(t, db, "whole", tablesOfTuning...)
			// The first one is made before anything is written.
			for _, most := range []int64{2, all.Load() / 2, all.Load() - 1, all.Load()} {
				ctx, cancel := context.WithCancel(t.Context())
				left := most
				cut := func() {
					if left--; left == 0 {
						cancel()
					}
				}
				code, errs := runTold(ctx, cut, append(args, "--into", "cut")...)
				cancel()
				if code != process.Interrupted || !strings.Contains(errs, "kept in cut; the same command with --resume goes on") ||
					strings.Contains(errs, "0 of 0") {
					t.Fatalf("before clusterer %d of %d: %d, %s", most, all.Load(), code, errs)
				}
				for says, other := range map[string][]string{
					"--resume goes on with it": append(args, "--into", "cut"),
					"seed was 1, and is 2":     append(args, "--into", "cut", "--resume", "--seed", "2"),
					"no interrupted tuning":    append(args, "--into", "other", "--resume"),
					"no interrupted fit":       {"fit", wineFile, "--id", "id", "-k", "3", "--engine", "duckdb", "--db", db, "--into", "cut", "--resume"},
					"a tuning \"cut\" was":     {"fit", wineFile, "--id", "id", "-k", "3", "--db", db, "--into", "cut"},
					"run":                      {"predict", "cut", wineFile, "--db", db},
				} {
					if code, out, errs := run(other...); code != exitData || out != "" || !strings.Contains(errs, says) {
						t.Errorf("%v: %d, %s%s", other, code, out, errs)
					}
				}
				var again atomic.Int64
				if code, errs := runTold(t.Context(), func() { again.Add(1) }, append(args, "--into", "cut", "--resume", "-q")...); code != exitDone {
					t.Fatalf("%d, %s", code, errs)
				}
				if most >= all.Load()-1 && again.Load() >= all.Load() {
					t.Errorf("ended before clusterer %d of %d: %d are made then", most, all.Load(), again.Load())
				}
				if got := shown(t, db, "cut", tablesOfTuning...); got != whole {
					t.Errorf("ended before clusterer %d of %d:\n%s\nand whole:\n%s", most, all.Load(), got, whole)
				}
				if code, _, errs := run("drop", "cut", "--db", db); code != exitDone {
					t.Errorf("%d, %s", code, errs)
				}
			}
		})
	}
}
