package store

import (
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

func FuzzNames(f *testing.F) {
	for _, pair := range [][2]string{{"main", "t"}, {"a.b", `c"d`}, {"", "t"}, {`"`, `""`}, {"A b", "ß"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, schemaName, name string) {
		want := []string{schemaName, name}
		if got := splitName(schema.Qualified(schemaName, name)); schemaName != "" && name != "" && !slices.Equal(got, want) {
			t.Errorf("%q became %q", want, got)
		}
		tables := []table{{schema: schemaName, name: name}, {schema: "main", name: "t", current: true}}
		if schemaName != "" && name != "" {
			if _, ok := findTable(tables, schema.Qualified(schemaName, name)); !ok {
				t.Errorf("%q is not found", want)
			}
		}
		findTable(tables, name)
	})
}

func FuzzPattern(f *testing.F) {
	for _, p := range []string{"a", "pc*", "[", "[a-]", `\`, "?", "[^x]*", "", "*"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		r := &relation{label: "t", columns: []column{{name: "a", typ: "DOUBLE"}, {name: "pc[1]", typ: "DOUBLE"}, {name: `x"y`, typ: "DOUBLE"}}}
		set, err := new(selection).matched(r, []string{pattern}, "exclude")
		if err != nil && framework.AsFault(err) == nil || err == nil && len(set) == 0 {
			t.Errorf("%d columns, %v", len(set), err)
		}
	})
}

// FuzzWords holds what is in quotes and comments apart from words.
func FuzzWords(f *testing.F) {
	for _, text := range []string{`SELECT a."b c", 'd' -- e`, "/* a */ b", `"a""b"`, `"`, "$a$ b $a$", "e'\\' a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range words(text) {
			if !strings.Contains(text, w) {
				t.Errorf("%q is not in %q", w, text)
			}
		}
		if strings.ContainsAny(text, `'"$-/`) || !strings.Contains(text, " disable_logging ") {
			return
		}
		if !slices.Contains(words(text), "disable_logging") {
			t.Errorf("%q hides a word", text)
		}
	})
}
