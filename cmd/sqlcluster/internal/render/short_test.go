package render_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAShortTextIsTheWholeOneOrItsTwoEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		limit := rapid.IntRange(3, 30).Draw(t, "limit")
		short := render.Short(text, limit)
		if utf8.RuneCountInString(text) <= limit {
			if short != text {
				t.Fatalf("%q became %q", text, short)
			}
			return
		}
		// The last ellipsis may be one of the text's own; some cut of the result into two gives both ends.
		for at := range short {
			before, after, cut := short[:at], strings.TrimPrefix(short[at:], "…"), strings.HasPrefix(short[at:], "…")
			if cut && strings.HasPrefix(text, before) && strings.HasSuffix(text, after) && utf8.RuneCountInString(short) == limit {
				return
			}
		}
		t.Fatalf("%q became %q, of %d characters", text, short, limit)
	})
}

// A query, a category and a key may be as long as they like.
func TestPeopleSeeTheEndsOfLongTextsAndProgramsAllOfThem(t *testing.T) {
	long := "first " + strings.Repeat("x", 1000) + " last"
	table := render.Table{Name: "t", Columns: []string{"a", "b"}, Rows: [][]any{{long, 1}}}
	for format, whole := range map[string]bool{"table": false, "markdown": true, "csv": true, "json": true, "jsonl": true} {
		var out strings.Builder
		must.Do(t, render.Write(&out, format, table))
		ends := strings.Contains(out.String(), "first ") && strings.Contains(out.String(), " last")
		if !ends || strings.Contains(out.String(), long) != whole || strings.Contains(out.String(), "…") == whole {
			t.Errorf("%s: %s", format, out.String())
		}
	}
	var out strings.Builder
	prose := render.Table{Name: "t", Columns: table.Columns, Rows: table.Rows, Prose: true}
	if err := render.Write(&out, "table", prose); err != nil || !strings.Contains(out.String(), long) {
		t.Errorf("a sentence of ours is cut: %v, %s", err, out.String())
	}
	out.Reset()
	render.Fault(&out, &framework.Fault{Code: "c", Summary: long, Details: []string{long + ": 2 rows"}, Similar: long, Where: long,
		Hint: long}, false)
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(line) > 270 || !strings.Contains(line, "first xx") || !strings.Contains(line, "x…x") ||
			!strings.Contains(line, "x last") {
			t.Errorf("%d characters: %s", utf8.RuneCountInString(line), line)
		}
	}
	if !strings.Contains(out.String(), " last: 2 rows\n") || strings.Count(out.String(), "\n") != 5 {
		t.Error(out.String())
	}
}
