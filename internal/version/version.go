// Package version says which version of sqlcluster a program is. The go command writes it
// into the program: that of the module, or what git says of the tree that it was built in.
package version

import (
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
)

// given is a version for a build from files without git, as packagers of distributions
// make: -ldflags "-X github.com/sqlcluster/sqlcluster/internal/version.given=v1.2.3".
var given string

// Unknown is the name of a version of which nothing is known.
const Unknown = "(devel)"

// A Version is what a program was built from.
type Version struct {
	// Name is v1.2.3 at the commit that has this tag. Elsewhere it is a name that sorts
	// behind that of the last tag, with the time and the commit in it, and +dirty at the
	// end if files were changed; or Unknown.
	Name string

	Commit  string // 40 hexadecimal digits; "": unknown
	Date    string // of the commit, 2006-01-02; "": unknown
	Changed bool   // files were not those of the commit
}

// Current returns the version of this program.
var Current = sync.OnceValue(func() Version {
	info, _ := debug.ReadBuildInfo()
	return of(info, given)
})

// of reads a version off what the go command has written; nil: nothing.
func of(info *debug.BuildInfo, given string) Version {
	v := Version{Name: Unknown}
	if info != nil {
		if info.Main.Version != "" {
			v.Name = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Commit = s.Value
			case "vcs.time":
				v.Date, _, _ = strings.Cut(s.Value, "T")
			case "vcs.modified":
				v.Changed = s.Value == "true"
			}
		}
	}
	if v.Name == Unknown && given != "" {
		v.Name = given
	}
	return v
}

// Origin says in words where the program is from: its commit, and how far it is that.
func (v Version) Origin() string {
	switch {
	case v.Commit == "" && v.Name == Unknown:
		return "built from files without a version"
	case v.Commit == "":
		return ""
	case v.Changed:
		return fmt.Sprintf("commit %.12s of %s and changes", v.Commit, v.Date)
	}
	return fmt.Sprintf("commit %.12s of %s", v.Commit, v.Date)
}
