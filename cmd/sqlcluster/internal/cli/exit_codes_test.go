package cli

import (
	"strings"
	"testing"
)

// What no data could make right is exit code 2, and what other data could is 3, as
// the topic exit-codes says.
func TestAValueThatNoDataAllowIsTheCommandLinesFault(t *testing.T) {
	const rows = "SELECT i AS id, i % 3 AS x, i % 5 AS y FROM range(9) t(i)"
	for flags, want := range map[string]int{
		"-k 0":                           exitUsage,
		"-k 1000":                        exitData,
		"-k 2 -a skfr --sparsity 0":      exitUsage,
		"-k 2 -a skfr --sparsity 1.5":    exitUsage,
		"-k 2 -a skfr --param sparsty=1": exitUsage,
		"-k 2 --sparsity 1":              exitUsage,
		"-k 2 --loss l3":                 exitUsage,
		"-k 2 --loss l1 --missing kpod":  exitUsage,
		"-k 2 -a skfr --sparsity 99":     exitData,
		"-k 2 -a skm --l1-bound 0.5":     exitUsage,
		"-k 2 -a skm --l1-bound 50":      exitData,
		"-k 2 -a groupskm --lambda -1":   exitUsage,
		"-k 2 --features nosuch":         exitData,
		"-k 2 --exclude [":               exitUsage,
		"-k 2 --exclude z*":              exitData,
		"-k 2 --weight id":               exitUsage,
		"-k 2 -a groupskm --lambda 0.1 --group-penalty weights": exitUsage,
	} {
		args := append([]string{"check", rows, "--id", "id"}, strings.Fields(flags)...)
		if code, _, errs := run(args...); code != want {
			t.Errorf("%s: exit code %d, want %d: %s", flags, code, want, errs)
		}
	}
}

func TestReplaceWithoutANameIsRefusedOnTheCommandLineAlone(t *testing.T) {
	if code, _, errs := run("check", "SELECT 1 AS a", "-k", "1", "--replace"); code != exitUsage ||
		!strings.Contains(errs, "nothing to replace without --into") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	t.Setenv("SQLCLUSTER_REPLACE", "true") // for the commands that have an --into
	if _, _, errs := run("check", "SELECT 1 AS a", "-k", "1"); strings.Contains(errs, "--into") {
		t.Error(errs)
	}
}
