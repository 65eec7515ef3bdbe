package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/framework"
)

// Demands are the hashes that a project asks of plugins, by name. They add no plugin:
// one that a user has added with another hash is not run in that project.
type Demands map[string]string

// mostDemands bounds the file of a project, in bytes.
const mostDemands = 1 << 20

// ReadDemands reads the file of a project: a line for each plugin, with its SHA-256 and
// its name, as sha256sum prints them. Empty lines and those that begin with # say
// nothing. A missing file demands nothing.
func ReadDemands(path string) (Demands, error) {
	text, err := process.ReadAtMost(path, mostDemands)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	all := Demands{}
	for i, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if err != nil || len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		switch {
		case len(words) != 2 || !hexDigest().MatchString(words[0]) || !GoodName(words[1]):
			err = fmt.Errorf("line %d is no SHA-256 with the name of a plugin behind it", i+1)
		case all[words[1]] != "":
			err = fmt.Errorf("plugin %s is there twice", words[1])
		default:
			all[words[1]] = words[0]
		}
	}
	if err != nil {
		return nil, framework.Faultf(framework.Usage, "bad-lock", "the plugins of this project cannot be read: %v", err).
			WithWhere("%s", path).WithHint("sqlcluster plugin lock prints such a file")
	}
	return all, nil
}

// Check refuses a plugin that has another hash than the project demands.
func (d Demands) Check(p Plugin, path string) error {
	sha, ok := d[p.Name]
	if !ok || sha == p.SHA256 {
		return nil
	}
	f := framework.Faultf(framework.Plugin, "plugin-not-of-the-project",
		"this project is locked to another file of plugin %s, so it is not run", p.Name)
	return f.WithWhere("%s", path).WithHint("add the file that the project means: sqlcluster plugin add PATH").
		WithDetails([]string{"sha256 in the project:    " + sha, "sha256 of what you added: " + p.SHA256})
}
