package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestTheWorkingDirectoryDoesNotAllowExtensions(t *testing.T) {
	dir, own := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_CONFIG_HOME", own)
	t.Setenv("HOME", own)
	// The configuration is read before the relation is missed.
	tried := func(args ...string) string {
		_, _, errs := run(append([]string{"check", "absent.csv", "-k", "2"}, args...)...)
		return strings.SplitN(errs, ":", 2)[0]
	}
	write := func(path string) {
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.Do(t, os.WriteFile(path, []byte("allow_extensions = true\n"), 0o600))
	}
	const refused, went = "error[bad-config]", "error[file-not-found]"
	if got := tried("--allow-extensions"); got != went {
		t.Errorf("as a flag: %s", got)
	}
	t.Setenv("SQLCLUSTER_ALLOW_EXTENSIONS", "true")
	if got := tried(); got != went {
		t.Errorf("in the environment: %s", got)
	}
	write("sqlcluster.toml")
	if got := tried(); got != went {
		t.Errorf("in the environment, which beats a file that is not asked: %s", got)
	}
	t.Setenv("SQLCLUSTER_ALLOW_EXTENSIONS", "")
	if got := tried(); got != refused {
		t.Errorf("in the working directory: %s", got)
	}
	must.Do(t, os.Remove("sqlcluster.toml"))
	write(filepath.Join(own, "sqlcluster", "config.toml"))
	if got := tried(); got != went {
		t.Errorf("in the user's own file: %s", got)
	}
}

func TestADatabaseThatIsNoFileIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"fit", "SELECT 1 AS x", "-k", "1", "--into", "r"}, {"check", "SELECT 1 AS x", "-k", "1"}, {"predict", "r", "SELECT 1 AS x"}, {"runs"},
	} {
		code, _, errs := run(append(args, "--db", "md:x")...)
		if code != exitUsage || !strings.HasPrefix(errs, "error[database-not-a-file]: md:x ") || !strings.Contains(errs, "./md:x") {
			t.Errorf("%s: %d, %s", args, code, errs)
		}
	}
}
