package framework_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func ExampleFault_Render() {
	f := framework.Faultf(framework.Data, "missing-values", "%s refuses missing cells", framework.SettingTo("missing", "error")).
		At("missing").WithHint("use %s", framework.SettingTo("nulls", "drop"))
	fmt.Println(f)

	sql := f.Render(func(setting, value string) string {
		if value == "" {
			return setting
		}
		return fmt.Sprintf("%s := '%s'", setting, value)
	})
	fmt.Printf("%s (%s): %s\n", sql.Summary, sql.Where, sql.Hint)
	// Output:
	// missing-values: missing = error refuses missing cells
	// missing := 'error' refuses missing cells (missing): use nulls := 'drop'
}

func TestOnlySettingsAreRenderedAndOnlyInACopy(t *testing.T) {
	const begins, ends = "50% = <a> --x \uFDD0 ", " \uFDD1 {b}" // what users write does not name a setting by half
	f := &framework.Fault{
		Summary: begins + framework.Setting("k"), Details: []string{ends, framework.SettingTo("share", 0.5)},
		Hint: framework.SettingTo("param", "a=b") + ends, Similar: begins + ends,
	}
	text := must.Get(json.Marshal(f))(t)
	var read framework.Fault
	must.Do(t, json.Unmarshal(text, &read))
	got := read.Render(func(setting, value string) string { return "[" + setting + "|" + value + "]" })
	want := &framework.Fault{Summary: begins + "[k|]", Details: []string{ends, "[share|0.5]"}, Hint: "[param|a=b]" + ends,
		Similar: begins + ends}
	must.Equal(t, want, got)
	if diff := cmp.Diff(f, &read); diff != "" {
		t.Errorf("the rendered fault has changed: %s", diff)
	}
}

// A flag, a letter of one, or a command.
var ofTheCommandLine = regexp.MustCompile(`(^|[^\w-])--[a-z]|(^|\s)-[a-z]\b|` +
	`sqlcluster (fit|path|tune|check|predict|score|pairs|show|runs|drop|plugin) `)

func TestNoTextOfTheFrameworkSpeaksOfTheCommandLine(t *testing.T) {
	for _, root := range []string{".", "../plugins"} {
		must.Do(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					if text, _ := strconv.Unquote(literal.Value); ofTheCommandLine.MatchString(text) {
						t.Errorf("%s: %q: name the setting, with framework.Setting", files.Position(literal.Pos()), text)
					}
				}
				return true
			})
			return nil
		}))
	}
}
