// Package skeleton writes the beginnings of a plugin: a Go module that builds and
// passes its test, with a file for its CI. Its algorithm is the example of the
// documents, under another name.
package skeleton

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/sqlcluster/sqlcluster/examples/plugins"
	"github.com/sqlcluster/sqlcluster/framework"
)

//go:embed all:files
var files embed.FS

// A Plugin is what is to be written.
type Plugin struct {
	Name    string // of the algorithm: words in lower case, with _ between them
	Version string // of the module of sqlcluster that the plugin needs
	Source  string // absolute path of the sources that take its place; "": they are downloaded
}

var goodName = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Check refuses what cannot be written.
func (p Plugin) Check() error {
	if !goodName.MatchString(p.Name) || len(p.Name) > 40 {
		return framework.Faultf(framework.Usage, "bad-plugin-name", "%q cannot be the name of an algorithm", p.Name).WithWhere("NAME").
			WithHint("use letters in lower case and digits, with _ between words")
	}
	if p.Source == "" {
		if !strings.HasPrefix(p.Version, "v") {
			return framework.Faultf(framework.Usage, "source-missing",
				"this program was not built from a published version, which the plugin could need").
				At("source").WithHint("name a clone of sqlcluster with %s", framework.SettingTo("source", "DIR"))
		}
		return nil
	}
	if _, err := os.Stat(filepath.Join(p.Source, "framework", "plugin")); err != nil {
		return framework.Faultf(framework.Usage, "bad-source", "%s does not have the sources of sqlcluster", p.Source).At("source")
	}
	return nil
}

// Type is the name of the algorithm's type in Go.
func (p Plugin) Type() (name string) {
	for word := range strings.SplitSeq(p.Name, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	return name
}

// Write makes the directory, which must not be there, and writes the files. It returns
// their names. Nothing is left if it fails.
func (p Plugin) Write(dir string) (names []string, err error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, framework.Faultf(framework.Usage, "directory-taken", "there is already a file or directory %s", dir).
				WithHint("use another name, or remove it")
		}
		return nil, unwritable(err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	all, err := p.files()
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, unwritable(err)
		}
		if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
			return nil, unwritable(err)
		}
		names = append(names, f.name)
	}
	return names, nil
}

func unwritable(err error) error {
	return framework.Faultf(framework.Internal, "unwritable", "the plugin cannot be written: %v", err)
}

type file struct{ name, text string }

// files returns the files. The names of templates end in .txt, so that Go does not take
// them for its own; a dot that a name begins with is written _.
func (p Plugin) files() (all []file, err error) {
	source := strings.NewReplacer("Spherical", p.Type(), `"my_spherical"`, fmt.Sprintf("%q", p.Name)).Replace(plugins.Spherical)
	all = append(all, file{"algorithm.go", source})
	err = fs.WalkDir(files, "files", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		t, err := template.ParseFS(files, path)
		if err != nil {
			return err
		}
		var text strings.Builder
		if err := t.Execute(&text, p); err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "files/"), ".txt")
		if rest, hidden := strings.CutPrefix(name, "_"); hidden {
			name = "." + rest
		}
		all = append(all, file{name, text.String()})
		return nil
	})
	return all, err
}
