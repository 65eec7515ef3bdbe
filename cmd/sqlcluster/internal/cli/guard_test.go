package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// inDirectory makes a directory with a sqlcluster.toml the working one, and
// another one that of the user.
func inDirectory(t *testing.T, here, own string) (dir string) {
	t.Helper()
	dir, user := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	for name, value := range map[string]string{"XDG_CONFIG_HOME": user, "HOME": user} {
		t.Setenv(name, value)
	}
	config, err := os.UserConfigDir() // not the same on every system
	must.Do(t, err)
	for path, text := range map[string]string{"sqlcluster.toml": here, filepath.Join(config, "sqlcluster", "config.toml"): own} {
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

const threeRows = "SELECT i AS id, i AS a FROM range(3) t(i)"

func TestTheFileOfTheWorkingDirectoryCannotSayWhatIsWritten(t *testing.T) {
	for name, test := range map[string]struct {
		file string
		args []string
		said string
	}{
		"into":             {"into = \"theirs\"\n", []string{"fit", threeRows, "-k", "2"}, "error[bad-config]: into cannot be set"},
		"replace":          {"replace = true\n", []string{"fit", threeRows, "-k", "2"}, "error[bad-config]: replace cannot be set"},
		"cpuprofile":       {"cpuprofile = \"precious\"\n", []string{"fit", threeRows, "-k", "2"}, "error[bad-config]: cpuprofile cannot be set"},
		"trace":            {"trace = \"precious\"\n", []string{"fit", threeRows, "-k", "2"}, "error[bad-config]: trace cannot be set"},
		"allow-extensions": {"allow_extensions = true\n", []string{"runs"}, "error[bad-config]: allow_extensions cannot be set"},
		"out":              {"out = \"precious\"\n", []string{"report", "r"}, "error[bad-config]: out cannot be set"},
		"force":            {"force = true\n", []string{"report", "r", "--out", "precious"}, "error[bad-config]: force cannot be set"},
		"from":             {"from = \"t; DROP TABLE t\"\n", []string{"export", "r"}, "error[bad-config]: from cannot be set"},
		"replace of predict": {"replace = true\n", []string{"predict", "r", threeRows, "--db", "precious", "--into", "t"},
			"error[bad-config]: replace cannot be set"},
		"db of fit": {"db = \"precious\"\n", []string{"fit", threeRows, "-k", "2", "--into", "r"},
			"error[bad-config]: the database precious is only read"},
		"db of path": {"db = \"precious\"\n", []string{"path", threeRows, "-a", "skm", "-k", "2", "--into", "r"},
			"error[bad-config]: the database precious is only read"},
		"db of predict": {"db = \"precious\"\n", []string{"predict", "r", threeRows, "--into", "t"},
			"error[bad-config]: the database precious is only read"},
		"db of drop": {"db = \"precious\"\n", []string{"drop", "r"}, "error[bad-config]: the database precious is only read"},
		"db of pairs suggest": {"db = \"precious\"\n", []string{"pairs", "suggest", threeRows, "--id", "id", "-k", "2", "--into", "t"},
			"error[bad-config]: the database precious is only read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := inDirectory(t, test.file, "")
			precious := filepath.Join(dir, "precious")
			must.Do(t, os.WriteFile(precious, []byte("precious"), 0o600))
			code, out, errs := run(test.args...)
			if code != exitUsage || out != "" || !strings.HasPrefix(errs, test.said) || !strings.Contains(errs, "\n  where: sqlcluster.toml\n") ||
				!strings.Contains(errs, filepath.Join("sqlcluster", "config.toml")) {
				t.Errorf("%d: %s%s", code, out, errs)
			}
			if text, err := os.ReadFile(precious); string(text) != "precious" {
				t.Errorf("the file has %q (%v)", text, err)
			}
		})
	}
}

func TestAGuardedFlagIsNamedAsTheEnvironmentAndFilesHaveIt(t *testing.T) {
	inDirectory(t, "allow_extensions = true\n", "")
	_, _, errs := run("runs")
	want := "hint:  remove it there, and set it by --allow-extensions, SQLCLUSTER_ALLOW_EXTENSIONS or "
	if !strings.Contains(errs, want) {
		t.Errorf("%s", errs)
	}
}

func TestTheFileOfTheWorkingDirectoryMaySayWhatIsRead(t *testing.T) {
	inDirectory(t, "db = \"absent.duckdb\"\ninto = \"r\"\n", "") // runs has no --into
	if code, _, errs := run("runs"); code != exitData || !strings.HasPrefix(errs,
		"error[database-not-found]: there is no database absent.duckdb") {
		t.Errorf("%d: %s", code, errs)
	}
}

func TestWhatIsWrittenMayBeSetByFlagEnvironmentAndTheUsersFile(t *testing.T) {
	const own = "into = \"own\"\nreplace = true\ncpuprofile = \"own\"\ntrace = \"own2\"\ndb = \"own.duckdb\"\n"
	configured := func(t *testing.T, args ...string) (*flags.Values, error) {
		a := newApp(nil, nil, builtIns...)
		fit, _, err := a.root().Find([]string{"fit"})
		must.Do(t, err)
		must.Do(t, fit.ParseFlags(args))
		return a.Flags, a.Flags.Configure(fit)
	}
	t.Run("the user's file", func(t *testing.T) {
		inDirectory(t, "", own)
		s, err := configured(t)
		if err != nil || s.Into != "own" || !s.Replace || s.CPUProfile != "own" || s.Trace != "own2" || s.DB != "own.duckdb" ||
			s.MayWrite() != nil {
			t.Errorf("%+v, %v, %v", s, err, s.MayWrite())
		}
	})
	t.Run("the environment and flags, which beat a file that is not asked", func(t *testing.T) {
		inDirectory(t, strings.ReplaceAll(own, "own", "theirs"), "")
		t.Setenv("SQLCLUSTER_INTO", "ours")
		t.Setenv("SQLCLUSTER_DB", "ours.duckdb")
		s, err := configured(t, "--replace=false", "--cpuprofile", "ours", "--trace", "ours2")
		if err != nil || s.Into != "ours" || s.Replace || s.CPUProfile != "ours" || s.Trace != "ours2" || s.DB != "ours.duckdb" ||
			s.MayWrite() != nil {
			t.Errorf("%+v, %v, %v", s, err, s.MayWrite())
		}
	})
}

func TestAConfigurationThatIsTooMuchIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"lists in lists":   "features = " + strings.Repeat("[", 1<<20-100),
		"tables in tables": strings.Repeat("a = {", 1<<16),
		"a long file":      "# " + strings.Repeat("x", 1<<20),
		"a long number":    "seed = " + strings.Repeat("9", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			must.Do(t, os.WriteFile("sqlcluster.toml", []byte(text), 0o600))
			code, _, errs := run("runs", "--db", "x.duckdb")
			if code != exitUsage || !strings.HasPrefix(errs, "error[bad-config]") || len(errs) > 1000 {
				t.Errorf("%d: %.300s", code, errs)
			}
		})
	}
}
