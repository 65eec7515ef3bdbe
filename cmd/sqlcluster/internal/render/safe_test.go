package render_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestNothingOfTheDataReachesTheTerminalButText(t *testing.T) {
	for text, want := range map[string]string{
		"größe 尺寸 ✓":        "größe 尺寸 ✓",
		"\x1b[31mred":       `\x1b[31mred`,
		"a\nb\tc\rd":        `a\nb\tc\rd`,
		"\u009b2J":          `\x9b2J`, // CSI in one character
		"\x9b2J":            `\x9b2J`, // and as a byte that is no UTF-8
		"abc\u202egpj":      `abc\u202egpj`,
		"a\u0000b\u007f":    `a\x00b\x7f`,
		"replaced \ufffd ":  "replaced \ufffd ",
		"line\u2028another": `line\u2028another`,
	} {
		if got := render.Safe(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	if got, want := render.SafeLines("a\n\tb\x1b"), "a\n\tb\\x1b"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTablesAndFaultsAreSafe(t *testing.T) {
	const evil = "\x1b]0;title\a"
	table := render.Table{Name: "t", Columns: []string{evil, "b"}, Rows: [][]any{{evil, 1.5}}}
	for _, format := range []string{"table", "markdown"} {
		var out strings.Builder
		must.Do(t, render.Write(&out, format, table))
		if strings.ContainsAny(out.String(), "\x1b\a") || strings.Count(out.String(), `\x1b]0;title\x07`) != 2 {
			t.Errorf("%s: %q", format, out.String())
		}
	}
	var out strings.Builder
	render.Fault(&out, &framework.Fault{Code: "c", Summary: evil, Details: []string{evil}, Similar: evil, Where: evil, Hint: evil,
		Err: &framework.Fault{Code: evil}}, false)
	if strings.ContainsAny(out.String(), "\x1b\a") || strings.Count(out.String(), `\x1b]0;title\x07`) != 6 {
		t.Errorf("%q", out.String())
	}
	out.Reset()
	if err := render.Write(&out, "csv", table); err != nil || !strings.Contains(out.String(), evil) {
		t.Errorf("CSV is for programs: %q, %v", out.String(), err)
	}
}

func TestWhatIsNoNumberIsEmpty(t *testing.T) {
	table := render.Table{Name: "t", Columns: []string{"a", "b", "c"}, Rows: [][]any{{math.NaN(), math.Inf(1), nil}}}
	var out strings.Builder
	if err := render.Write(&out, "csv", table); err != nil || out.String() != "a,b,c\n,,\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	out.Reset()
	if err := render.Write(&out, "table", table); err != nil || strings.Count(out.String(), "–") != 3 {
		t.Errorf("%q, %v", out.String(), err)
	}
}
