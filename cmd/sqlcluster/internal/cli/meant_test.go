package cli

import (
	"strings"
	"testing"
)

func TestAWordThatIsNoCommandIsNamedBeforeItsFlags(t *testing.T) {
	for line, want := range map[string]string{
		"ft wine.csv --id id":               `unknown command "ft" for "sqlcluster"|did you mean: fit`,
		"--db x ft wine.csv --id id":        `unknown command "ft"|did you mean: fit`,
		"cluster wine.csv -k 3":             `unknown command "cluster"|did you mean: fit`,
		"pairs sugest wine.csv --id id":     `unknown command "sugest" for "sqlcluster pairs"|did you mean: suggest`,
		"plugin ls":                         `did you mean: list`,
		"meant_test.go -k 3":                `unknown command "meant_test.go"|sqlcluster fit RELATION -k NUMBER`,
		"fit wine.csv --n_clusters 3":       `did you mean: -k`,
		"fit wine.csv --key id":             `did you mean: --id`,
		"fit wine.csv --algo skfr":          `did you mean: --algorithm`,
		"predict run wine.csv -a skfr":      `predict has no flag -a|it is a flag of check, fit, path, tune`,
		"help exit":                         `did you mean: exit-codes`,
		"fit wine.csv --ID id":              `did you mean: --id`,
		"fit wine.csv --ignore_text":        `did you mean: --ignore-text`,
		"fit wine.csv -k 2-6":               `give numbers, as in 2,3,5, or FROM:TO, as in 2:10`,
		"fit wine.csv -k 3 -a skm":          `give --l1-bound VALUE; sqlcluster path ... -a skm tries several`,
		"path wine.csv -k 3":                `use -a skfr`,
		"fit wine.csv --id":                 `--id needs a value`,
		"show run --clusters 3":             `show has no flag --clusters`,
		"--nosuch fitt wine.csv --id iddle": `sqlcluster has no flag --nosuch`,
	} {
		code, _, errs := run(strings.Fields(line)...)
		for part := range strings.SplitSeq(want, "|") {
			if code != exitUsage || !strings.Contains(errs, part) {
				t.Errorf("%s: exit code %d, without %q:\n%s", line, code, part, errs)
			}
		}
	}
}

func TestAMisspelledQueryIsToldHowQueriesBegin(t *testing.T) {
	if code, _, errs := run("check", "SELEC 1 AS a", "-k", "1"); code != exitData ||
		!strings.Contains(errs, "a query begins with SELECT, FROM or WITH") {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
