package duck

import (
	"regexp"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// elsewhere matches what DuckDB takes for something else than a path: the name of
// an extension before a colon (md:x), for which it would load the extension
// whatever the settings say, or an address.
var elsewhere = regexp.MustCompile(`^([A-Za-z0-9_]{2,}:|[A-Za-z][A-Za-z0-9+.-]+://)`)

// checkLocal refuses a database that is not a file.
func checkLocal(path string) error {
	if !elsewhere.MatchString(path) {
		return nil
	}
	return framework.Faultf(framework.Usage, "database-not-a-file", "%s is not the path of a file, and a database must be one", path).
		At("db").WithHint("give a DuckDB file; if it is really called that: ./%s", path)
}

// needsExtension finds the name of an extension in an error of DuckDB.
var needsExtension = regexp.MustCompile(`requires the extension (\w+) to be loaded|it exists in the (\w+) extension`)

// ExtensionFault says how a query gets an extension that it needs; nil if err is
// about something else.
func ExtensionFault(err error, label string) *framework.Fault {
	found := needsExtension.FindStringSubmatch(err.Error())
	if found == nil {
		return nil
	}
	name := found[1] + found[2]
	f := framework.Faultf(framework.Data, "extension-needed", "%s cannot be read without DuckDB's extension %s, which is not loaded",
		label, name)
	if !strings.Contains(err.Error(), "autoload_known_extensions") { // DuckDB loads it for those who ask only
		return f.WithHint("make a table of it with DuckDB itself")
	}
	return f.WithHint("if what it reads can be trusted, let DuckDB install and load its extensions: %s", framework.Setting("allow_extensions"))
}
