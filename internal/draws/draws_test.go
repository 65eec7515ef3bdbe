package draws_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestEveryPackageThatDrawsDrawsTheSameCasesEachTime(t *testing.T) {
	const rapid, draws = `"pgregory.net/rapid"`, `"github.com/sqlcluster/sqlcluster/internal/draws"`
	imports := map[string]map[string]bool{} // of the tests in each directory
	must.Do(t, filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		if imports[dir] == nil {
			imports[dir] = map[string]bool{}
		}
		for _, s := range file.Imports {
			imports[dir][s.Path.Value] = true
		}
		return nil
	}))
	drawing := 0
	for dir, has := range imports {
		if has[rapid] {
			drawing++
			if !has[draws] {
				t.Errorf("the tests in %s import %s, and not %s", dir, rapid, draws)
			}
		}
	}
	if drawing == 0 {
		t.Fatal("no package was found whose tests draw")
	}
}
