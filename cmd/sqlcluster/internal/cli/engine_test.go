package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

const wineFile = "../../../../examples/wine.csv"

func TestAnEngineThatIsNoneIsRefusedBeforeAnythingIsOpened(t *testing.T) {
	for engine, says := range map[string]string{
		"mysql://ann:verysecret@host:3306/db":           `--engine is "mysql", which is no engine`,
		"duckdbb":                                       "did you mean: duckdb",
		"clickhouse:///db":                              "names no host",
		"clickhouse://host:9000/db/table":               "more than a database",
		"clickhouse://host:9000/db?password=verysecret": "says no password",
		"clickhouse://ann:verysecret@host:9000/db":      "a password in an address can be seen by others",
		"clickhouse://ann:verysecret@ho st:9000/db":     "cannot be read as a URL",
	} {
		for _, command := range [][]string{{"fit", "-k", "3"}, {"check", "-k", "3"}, {"path", "-a", "skfr", "-k", "3"},
			{"tune", "-k", "2:3", "--method", "silhouette"}} {
			code, out, errs := run(append(command, wineFile, "--id", "id", "--exclude", "class", "--engine", engine)...)
			if code != exitUsage || !strings.Contains(errs, says) || strings.Contains(out+errs, "verysecret") {
				t.Errorf("%v --engine %s: %d, %s%s", command, engine, code, out, errs)
			}
			for line := range strings.Lines(errs) {
				if len(strings.TrimSpace(line)) > 160 {
					t.Errorf("long: %s", line)
				}
			}
		}
	}
}

func TestWhatAnEngineCannotDoIsRefusedWithTheReason(t *testing.T) {
	for flags, says := range map[string]string{
		"fit -k 3 --pairs p": "--pairs is not possible with --engine: " +
			"rows with pairs are labelled one after the other",
		"fit -k 3 --labels p":                                "--labels is not possible with --engine",
		"fit -k 3 --trim 0.1":                                "--trim is not possible with --engine",
		"fit -k 3 --batch 1000":                              "--batch is not possible with --engine",
		"fit -k 3 --by class":                                "--by is not possible with --engine",
		"check -k 3 --features a --by class":                 "--by is not possible with --engine",
		"fit -k 3 --distances 2":                             "--distances is not possible with --engine",
		"fit -k 3 -a kmeans,skfr --sparsity 4":               "several algorithms begin with the same labels",
		"fit -k 3 --attach socket":                           "--attach is not possible with --engine",
		"fit -k 3 --cpuprofile f":                            "--cpuprofile is not possible with --engine",
		"fit -k 3 -o csv":                                    "-o json shows the other tables",
		"fit -k 3 --resume":                                  "--resume goes on with the run of --into",
		"fit -k auto --resume":                               "--resume goes on with the run of --into",
		"tune -k 2:4 --resume --replace --db x --into y":     "--resume goes on with the run of --into",
		"fit -k 3 -a pckm":                                   "pckm",
		"fit -k 3 --loss l1":                                 "needs all values of its cluster",
		"path -a skfr -k 3 --warm":                           "--warm is not possible with --engine",
		"path -a skfr -k 3 --assignments":                    "--assignments is not possible with --engine",
		"tune -k 2:4 --sample 0":                             "--sample is not possible with --engine: 0 stands for all rows",
		"tune -k 2:4 --truth class":                          "--truth is not possible with --engine",
		"tune -k 2:4 -a skfr --grid 2:4 --method silhouette": "chooses a number of clusters, and not sparsity",
	} {
		words := strings.Fields(flags)
		code, out, errs := run(append([]string{words[0], wineFile, "--id", "id", "--engine", "duckdb"}, words[1:]...)...)
		if code != exitUsage || !strings.Contains(errs, says) {
			t.Errorf("%s: %d, %s%s", flags, code, out, errs)
		}
	}
	code, _, errs := run("fit", wineFile, "-k", "3", "--resume", "--db", "x.duckdb", "--into", "y")
	if code != exitUsage || !strings.Contains(errs, "there is no --engine") {
		t.Errorf("%d, %s", code, errs)
	}
}

func TestCredentialsGoWithAnEngineThatTakesThem(t *testing.T) {
	code, _, errs := run("fit", wineFile, "-k", "3", "--engine-credentials", "f")
	if code != exitUsage || !strings.Contains(errs, "no engine is named that takes credentials") {
		t.Errorf("%d, %s", code, errs)
	}
	path := filepath.Join(t.TempDir(), "credentials")
	must.Do(t, os.WriteFile(path, []byte("bob:verysecret"), 0o600))
	code, out, errs := run("fit", wineFile, "-k", "3", "--engine", "clickhouse://127.0.0.1:1/db", "--engine-credentials", path)
	if code == exitDone || strings.Contains(out+errs, "verysecret") || !strings.Contains(errs, "user=NAME and password=WORD") {
		t.Errorf("%d, %s%s", code, out, errs)
	}
}

func TestWhatIsRecordedOfAnEngineHasNoUserAndNoSettings(t *testing.T) {
	a := newApp(nil, nil)
	for engine, want := range map[string]string{"duckdb": "duckdb", "clickhouse://h:8123/db": "clickhouse://h:8123/db",
		"clickhouses://ann@h/db?cluster=c&format_key=verysecret": "clickhouses://h/db"} {
		if a.Flags.Engine = engine; a.engineName() != want {
			t.Errorf("%s is recorded as %s", engine, a.engineName())
		}
	}
}
