package duck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAPanicOfATableFunctionEndsItsStatementAlone(t *testing.T) {
	db := memory(t)
	must.Do(t, db.RegisterListed(Listed{Name: "wrong_rows", Columns: []ListedColumn{{Name: "a"}},
		Rows: func([]string) ([][]any, error) { panic("no rows") }}))
	must.Do(t, db.RegisterListed(Listed{Name: "short_rows", Columns: []ListedColumn{{Name: "a"}, {Name: "b"}},
		Rows: func([]string) ([][]any, error) { return [][]any{{"one cell"}}, nil }}))
	must.Do(t, db.RegisterTokens(Tokens{Name: "wrong_token", Begin: func() int64 { panic("no token") }, End: func(int64) {}, Gone: func() {}}))
	for query, want := range map[string]string{
		"FROM wrong_rows()":  "internal error: no rows",
		"FROM short_rows()":  "internal error: runtime error: index out of range",
		"FROM wrong_token()": "internal error: no token",
	} {
		_, err := db.Rows(t.Context(), query)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", query, err, want)
		}
	}
	must.Equal(t, [][]any{{int64(1)}}, must.Get(db.Rows(t.Context(), "SELECT 1"))(t))
}

func TestAPanicOfWhoTakesRowsIsAnError(t *testing.T) {
	db := memory(t)
	err := db.locked(t.Context(), func() error {
		return db.whole(t.Context(), "FROM range(10)", func(Chunk) error { panic("no place") })
	})
	if err == nil || !strings.Contains(err.Error(), "internal error: no place") {
		t.Errorf("%v", err)
	}
}

// A panic in what C calls ends the program, which in an extension is another's.
func TestEveryFunctionThatCCallsRecovers(t *testing.T) {
	n := 0
	for _, dir := range []string{".", "../extension"} {
		for _, file := range must.Get(filepath.Glob(filepath.Join(dir, "*.go")))(t) {
			for _, d := range must.Get(parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments))(t).Decls {
				f, is := d.(*ast.FuncDecl)
				if !is || f.Doc == nil || !strings.Contains(f.Doc.List[len(f.Doc.List)-1].Text, "//export ") {
					continue
				}
				n++
				if !recovers(f) {
					t.Errorf("%s: %s does not begin with a recover, or with nothing but what cannot panic", file, f.Name)
				}
			}
		}
	}
	if n < 15 {
		t.Errorf("%d functions", n)
	}
}

// recovers reports whether a function defers a recover before it calls anything else, but
// for what tells whom an error goes to, or is one call of called, which does.
func recovers(f *ast.FuncDecl) bool {
	for _, s := range f.Body.List {
		switch s := s.(type) {
		case *ast.AssignStmt: // info := mapping.FunctionInfo{…}, or how an error is told
			for _, x := range s.Rhs {
				if _, calls := x.(*ast.CallExpr); calls {
					return false
				}
			}
		case *ast.DeferStmt:
			found := false
			ast.Inspect(s.Call, func(x ast.Node) bool {
				id, is := x.(*ast.Ident)
				found = found || is && (id.Name == "recover" || id.Name == "answered")
				return true
			})
			return found
		case *ast.ExprStmt:
			call, is := s.X.(*ast.CallExpr)
			if !is {
				return false
			}
			name, is := call.Fun.(*ast.Ident)
			return is && name.Name == "called"
		default:
			return false
		}
	}
	return false
}
