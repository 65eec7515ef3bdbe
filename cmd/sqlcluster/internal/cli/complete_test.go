package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// proposals returns what a shell is proposed for the last word, without
// descriptions, and how it takes them (the bits of cobra.ShellCompDirective).
func proposals(t *testing.T, words ...string) (names []string, directive string) {
	t.Helper()
	out, errs, code := command(t, append([]string{"__complete"}, words...)...)
	if code != 0 || strings.Contains(errs, "error[") {
		t.Errorf("%q: exit code %d: %s", words, code, errs)
	}
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if bits, ok := strings.CutPrefix(line, ":"); ok {
			return names, bits
		}
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	return names, ""
}

func TestNamesAreProposed(t *testing.T) {
	defer func(of time.Duration) { help.CompletionTime = of }(help.CompletionTime)
	help.CompletionTime = time.Minute // the machine may be busy
	t.Chdir(t.TempDir())
	writeRun(t, "runs.duckdb", "{}", "{}") // the run is called run, and was fitted to the query q, which is no relation
	must.Do(t, os.WriteFile("a.csv", []byte("id,\"say \"\"hi\"\"\",\"a,b\",x y\n1,2,3,4\n"), 0o600))
	before := must.Get(os.ReadFile("runs.duckdb"))(t)
	const tables = "run_assignments run_centers run_clusters run_features run_fit run_run run_trace"
	for words, c := range map[string]struct{ want, directive string }{
		"show --db runs.duckdb ":     {"run", "4"},
		"score --db runs.duckdb ":    {"run", "4"},
		"predict --db=runs.duckdb r": {"run", "4"},
		"drop --db no.duckdb ":       {"", "4"},
		"drop --db a.csv ":           {"", "4"}, // no database
		"drop ":                      {"", "4"},
		"show run cl": {"assignments centers features clusters trace violations limits distances path path_features " +
			"path_assignments tune tune_folds tune_draws stability stability_features stability_draws stability_clusters " +
			"silhouettes progress models fit " +
			"run params", "4"},
		"show run fit ":                                      {"", "4"},
		"predict run --db runs.duckdb ":                      {tables, "0"}, // or a file
		"fit --db runs.duckdb ":                              {tables, "0"},
		"fit -k 2 --pairs ":                                  {"", "0"},
		"fit --db runs.duckdb --groups ":                     {tables, "0"},
		"fit --db runs.duckdb run_trace --id ":               {"restart iteration objective moved selected", "4"},
		"fit a.csv --id ":                                    {`id|say "hi"|a,b|x y`, "4"},
		"fit a.csv --weight ":                                {`id|say "hi"|a,b|x y`, "4"},
		"fit a.csv --features ":                              {`id|"say ""hi"""|"a,b"|x y`, "6"}, // and no space behind it
		`check a.csv --exclude id,"a`:                        {`id,"say ""hi"""|id,"a,b"|id,x y`, "6"},
		`tune a.csv --categorical "a,b",x`:                   {`"a,b",id|"a,b","say ""hi"""|"a,b",x y`, "6"},
		"tune a.csv --truth ":                                {`id|say "hi"|a,b|x y`, "4"},
		"score run a.csv --db runs.duckdb --truth ":          {`id|say "hi"|a,b|x y`, "4"},
		"score run --db runs.duckdb --truth ":                {"", "4"},
		"fit --id ":                                          {"", "4"},
		"fit no.csv --id ":                                   {"", "4"},
		"fit FROM|'a.csv' --id ":                             {`id|say "hi"|a,b|x y`, "4"},
		"fit DROP|TABLE|t --id ":                             {"", "4"},
		"fit PIVOT|'a.csv'|ON|id|USING|count(*) --features ": {"", "6"},
		"fit a.csv --init ":                                  {"kmeans++ kmeans|| random maximin dkm++ robin seeding", "4"},
		"fit a.csv -a skfr,mpckm,pc": {"skfr,mpckm,kmeans skfr,mpckm,spherical skfr,mpckm,skm skfr,mpckm,groupskm " +
			"skfr,mpckm,pcskm skfr,mpckm,pckm", "4"},
		"fit a.csv --long id,":          {`id,"say ""hi"""|id,"a,b"|id,x y`, "6"},
		"predict run a.csv --repeated ": {"error sum", "4"},
		"fit a.csv --nulls ":            {"keep error drop", "4"},
		"runs -o ":                      {"table json jsonl csv markdown", "4"},
		"plugin verify skfr -o ":        {"text json junit", "4"},
		"runs --color ":                 {"auto always never", "4"},
		"predict run a.csv --unseen ":   {"error ignore nearest", "4"},
		"export run --as ":              {"sql macro", "4"},
		"export run --dialect ":         {"clickhouse duckdb postgres", "4"},
		"export --db runs.duckdb ":      {"run", "4"},
		"export run -o ":                {"", "0"}, // a file
		"fit a.csv --norm ":             {"none l2", "4"},
		"fit a.csv --init-space ":       {"fitted raw both", "4"},
		"fit a.csv --scale ":            {"sd sd_n robust none raw", "4"},
		"fit a.csv --empty ":            {"reseed origin fail", "4"},
		"fit a.csv --loss ":             {"l2 l1", "4"},
		"fit a.csv -a skfr --scope ":    {"global local", "4"},
		"fit a.csv -a pcskm --scope ":   {"", "4"}, // which has no such parameter
		"fit a.csv -k ":                 {"", "4"},
		"fit a.csv --into ":             {"", "4"},
		"fit a.csv --db ":               {"", "0"}, // a file
		"tune a.csv --method ":          {"cv gap gap-axes silhouette calinski-harabasz davies-bouldin stability", "4"},
		"plugin describe sk":            {"skfr skm", "4"},
		"plugin remove ":                {"", "4"},
	} {
		split := strings.Split(words, " ")
		for i := range split {
			split[i] = strings.ReplaceAll(split[i], "|", " ")
		}
		names, directive := proposals(t, split...)
		if words == "plugin describe sk" { // cobra leaves the choice to the shell
			names = cut(names, "sk")
		}
		want := strings.Split(c.want, " ")
		switch {
		case c.want == "":
			want = nil
		case strings.Contains(c.want, "|") && !strings.Contains(c.want, "kmeans"):
			want = strings.Split(c.want, "|")
		}
		if d := cmp.Diff(want, names); d != "" || directive != c.directive {
			t.Errorf("%s: %s, want %s\n%s", words, directive, c.directive, d)
		}
	}
	after, err := os.ReadFile("runs.duckdb")
	if left, _ := filepath.Glob("*"); err != nil || string(after) != string(before) || strings.Join(left, " ") != "a.csv runs.duckdb" {
		t.Errorf("the database has changed, or there is more now: %q, %v", left, err)
	}
	t.Setenv("SQLCLUSTER_DB", "runs.duckdb")
	if names, _ := proposals(t, "show", ""); strings.Join(names, " ") != "run" {
		t.Errorf("the configuration may name the database: %q", names)
	}
	must.Do(t, os.WriteFile("sqlcluster.toml", []byte("db = ["), 0o600))
	if names, _ := proposals(t, "fit", "--nulls", ""); len(names) != 3 {
		t.Errorf("with a configuration that is wrong: %q", names)
	}
}

// cut returns the names that begin with a text.
func cut(names []string, prefix string) (left []string) {
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			left = append(left, name)
		}
	}
	return left
}
