package skeleton_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/skeleton"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestANewPluginIsAProgramUnderItsOwnName(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	p := skeleton.Plugin{Name: "two_words2", Source: must.Get(filepath.Abs("../../../.."))(t)}
	names := must.Get(p.Write(dir))(t)
	slices.Sort(names)
	must.Equal(t, []string{".github/workflows/test.yml", ".gitignore", "README.md", "algorithm.go", "algorithm_test.go", "go.mod",
		"main.go"}, names)
	for _, name := range names {
		text := string(must.Get(os.ReadFile(filepath.Join(dir, name)))(t))
		if strings.Contains(text, "pherical{") || strings.Contains(text, "{{.") {
			t.Errorf("%s: %s", name, text)
		}
		if filepath.Ext(name) == ".go" {
			must.Get(parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution))(t)
		}
		for of, part := range map[string]string{"main.go": "plugin.Serve(TwoWords2{})", "algorithm.go": `Name: "two_words2"`,
			"algorithm_test.go": "RunClusterer(t, TwoWords2{}", "go.mod": "=> \"" + p.Source + "\""} {
			if of == name && !strings.Contains(text, part) {
				t.Errorf("%s has no %s: %s", name, part, text)
			}
		}
	}
}

func TestAPluginThatCannotBeWrittenLeavesNothing(t *testing.T) {
	there := t.TempDir()
	for name, c := range map[string]struct {
		p    skeleton.Plugin
		dir  string
		code string
	}{
		"a name for no algorithm": {skeleton.Plugin{Name: "A b", Version: "v1.0.0"}, "", "bad-plugin-name"},
		"no name":                 {skeleton.Plugin{Version: "v1.0.0"}, "", "bad-plugin-name"},
		"no version":              {skeleton.Plugin{Name: "mine", Version: "(devel)"}, "", "source-missing"},
		"other sources":           {skeleton.Plugin{Name: "mine", Source: there}, "", "bad-source"},
		"a directory is there":    {skeleton.Plugin{Name: "mine", Version: "v1.0.0"}, there, "directory-taken"},
		"no place":                {skeleton.Plugin{Name: "mine", Version: "v1.0.0"}, filepath.Join(there, "no", "place"), "unwritable"},
	} {
		dir := c.dir
		if dir == "" {
			dir = filepath.Join(there, "new")
		}
		_, err := c.p.Write(dir)
		if f := framework.AsFault(err); f == nil || f.Code != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
	if left := must.Get(os.ReadDir(there))(t); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
}
