package flags

import (
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// guarded are the flags that say which files and tables are written, which SQL is run
// or written, whether extensions run, what a fit trusts, and to whom statements and
// credentials go. The file in the working directory does not
// set them: whoever runs a command in a directory that somebody else has filled must
// not lose anything by it.
var guarded = []string{"into", "replace", "out", "force", "cpuprofile", "trace", "allow-extensions", "command", "file", "from",
	"attach", "engine", "engine-credentials"}

// refuseHere refuses a guarded flag in the file of the working directory.
func refuseHere(flag, file string) error {
	if file != configFile || !slices.Contains(guarded, flag) {
		return nil
	}
	return framework.Faultf(framework.Usage, "bad-config",
		"%s cannot be set by the file of the working directory, which may be somebody else's", Setting(flag)).
		WithWhere("%s", configFile).WithHint("remove it there, and set it by %s", trusted(flag))
}

// MayWrite refuses to write to a database that the file in the working directory
// names.
func (v *Values) MayWrite() error {
	if v.Origins["db"] != configFile {
		return nil
	}
	return framework.Faultf(framework.Usage, "bad-config",
		"the database %s is only read: the file of the working directory names it, which may be somebody else's", v.DB).
		WithWhere("%s", configFile).WithHint("to write to it, set it by %s", trusted("db"))
}

// trusted lists where a guarded flag may come from.
func trusted(flag string) string {
	if path := userFile(); path != "" {
		return "--" + flag + ", " + variable(flag) + " or " + path
	}
	return "--" + flag + " or " + variable(flag)
}

// Setting is the name of a flag in a configuration file.
func Setting(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// variable is the name of a flag's variable in the environment.
func variable(flag string) string { return "SQLCLUSTER_" + strings.ToUpper(Setting(flag)) }
