package duck

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

var (
	comment  = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|(?m:^#[^\n]*)`)
	handle   = regexp.MustCompile(`typedef struct \w+ \{\s*void \*internal_ptr;\s*\} ?\* ?(\w+);`)
	callback = regexp.MustCompile(`typedef (\w+ \*?)\(\*(\w+)\)\(([^)]*)\);`)
	declared = regexp.MustCompile(`(?m)^(?:DUCKDB_C_API )?(\w+ \*?)(duckdb_\w+)\(((?:[^()]|\([^()]*\))*)\);`)
	pointer  = regexp.MustCompile(`^(\w+ )\(\*\w*\)\((.*)\)$`)
	word     = regexp.MustCompile(`\w+|\*`)
)

// A header is what a type of another name is in aggregate.h.
type header map[string]string

// signature is a function without the names of its arguments.
func (h header) signature(result, arguments string) string {
	var all []string
	depth, from := 0, 0
	for i, c := range arguments + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			all = append(all, h.typeOf(strings.Join(strings.Fields(arguments[from:i]), " ")))
			from = i + 1
		}
	}
	if slices.Equal(all, []string{"void"}) {
		all = []string{""}
	}
	return h.typeOf(result) + "(" + strings.Join(all, ", ") + ")"
}

// typeOf is the type of an argument or result.
func (h header) typeOf(text string) string {
	if m := pointer.FindStringSubmatch(text); m != nil {
		return h.signature(m[1], m[2])
	}
	words := word.FindAllString(text, -1)
	named := len(words) > 1 && words[len(words)-1] != "*" && (words[0] != "const" || len(words) > 2)
	if named {
		words = words[:len(words)-1]
	}
	for i, w := range words {
		if is, known := h[w]; known {
			words[i] = is
		}
	}
	return strings.Join(words, " ")
}

// The types of DuckDB's header are known here by other names: this package cannot
// include it.
func TestWhatIsDeclaredAgreesWithTheHeaderOfTheBindings(t *testing.T) {
	dir := must.Get(exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/duckdb/duckdb-go-bindings").Output())(t)
	text := read(t, filepath.Join(strings.TrimSpace(string(dir)), "include", "duckdb.h"))
	theirs := header{"duckdb_state": "int"}
	for _, m := range handle.FindAllStringSubmatch(text, -1) {
		theirs[m[1]] = "void *"
	}
	for _, m := range callback.FindAllStringSubmatch(text, -1) {
		theirs[m[2]] = theirs.signature(m[1], m[3])
	}
	want := map[string]string{}
	for _, m := range declared.FindAllStringSubmatch(text, -1) {
		want[m[2]] = theirs.signature(m[1], m[3])
	}
	files := must.Get(filepath.Glob("*.h"))(t)
	n := 0
	for _, file := range files {
		for _, m := range declared.FindAllStringSubmatch(read(t, file), -1) {
			n++
			if got := (header{}).signature(m[1], m[3]); got != want[m[2]] {
				t.Errorf("%s: %s is %s, DuckDB has %q", file, m[2], got, want[m[2]])
			}
		}
		n -= strings.Count(read(t, file), "duckdb_") // each is one of a declaration
	}
	if n != 0 || len(want) < 400 { // DuckDB 1.4 has more than 400 functions
		t.Errorf("%d declarations more than names; the header has %d", n, len(want))
	}
}

// read reads a header without comments.
func read(t *testing.T, file string) string {
	t.Helper()
	return comment.ReplaceAllString(string(must.Get(os.ReadFile(file))(t)), "")
}
