package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestABadValueIsBlamedOnThePlaceThatItCameFrom(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	must.Do(t, os.MkdirAll(registry.UserDir(), 0o700))
	user := filepath.Join(registry.UserDir(), "config.toml")
	for name, c := range map[string]struct {
		file, users, variable string // name=value; or nothing
		args                  string
		want                  string
	}{
		"a flag":                     {`scale = "x"`, "", "", "--scale y", "--scale"},
		"the file here":              {`scale = "x"`, "", "", "", "scale in sqlcluster.toml"},
		"the user's file":            {"", `init_space = "x"`, "", "", "init_space in " + user},
		"the file here comes first":  {`scale = "x"`, `scale = "z"`, "", "", "scale in sqlcluster.toml"},
		"a variable":                 {`scale = "x"`, "", "SQLCLUSTER_SCALE=z", "", "SQLCLUSTER_SCALE"},
		"a choice":                   {`nulls = "x"`, "", "", "", "nulls in sqlcluster.toml"},
		"k":                          {"k = 0", "", "", "", "k in sqlcluster.toml"},
		"one of many columns":        {`features = ["a", "zzz"]`, "", "", "", "features in sqlcluster.toml, item 2 of 2"},
		"columns of a variable":      {"", "", "SQLCLUSTER_EXCLUDE=a,zzz", "", "SQLCLUSTER_EXCLUDE, item 2 of 2"},
		"a parameter":                {`loss = "x"`, "", "", "", "loss in sqlcluster.toml"},
		"a parameter in a list":      {`param = ["loss=x"]`, "", "", "", "param loss in sqlcluster.toml"},
		"a parameter in a flag":      {"", "", "", "--param loss=x", "--param loss"},
		"a value of another setting": {`scale = "x"`, "", "", "--scale sd --nulls x", "--nulls"},
	} {
		t.Run(name, func(t *testing.T) {
			for path, text := range map[string]string{"sqlcluster.toml": c.file, user: c.users} {
				must.Do(t, os.WriteFile(path, []byte(text), 0o600))
			}
			if variable, value, ok := strings.Cut(c.variable, "="); ok {
				t.Setenv(variable, value)
			}
			args := []string{"check", "SELECT i AS a, i % 3 AS b FROM range(9) t(i)"}
			if !strings.Contains(c.file, "k =") {
				args = append(args, "-k", "2")
			}
			var errs strings.Builder // not by command, which has a configuration of its own
			if code := Main(append(args, strings.Fields(c.args)...), &strings.Builder{}, &errs); code == 0 ||
				!strings.Contains(errs.String(), "\n  where: "+c.want+"\n") {
				t.Errorf("exit code %d: %s", code, errs.String())
			}
		})
	}
}
