package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// A terminal is one of some width.
type terminal struct {
	strings.Builder
	width int
}

func (t *terminal) Width() int { return t.width }

// centers is a table of features with k centers.
func centers(k int) render.Table {
	t := render.Table{Name: "features", Columns: []string{"feature", "gain"}}
	row := []any{"a_feature_of_a_rather_long_name_in_millimetres", 135.14}
	for j := range k {
		t.Columns, row = append(t.Columns, fmt.Sprintf("center %d", j)), append(row, 1114.8+float64(j))
	}
	t.Rows = [][]any{row, append([]any{"hue"}, row[1:]...)}
	return t
}

func TestATableFitsItsTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		table render.Table
		width int
		want  string
	}{
		"what fits is whole": {centers(2), 80, `feature                                           gain  center 0  center 1
────────────────────────────────────────────────────────────────────────────
a_feature_of_a_rather_long_name_in_millimetres  135.14    1114.8    1115.8
hue                                             135.14    1114.8    1115.8
`},
		"long names lose their middle": {centers(4), 80, `feature                           gain  center 0  center 1  center 2  center 3
────────────────────────────────────────────────────────────────────────────────
a_feature_of_a_rath…illimetres  135.14    1114.8    1115.8    1116.8    1117.8
hue                             135.14    1114.8    1115.8    1116.8    1117.8
`},
		"the last columns are dropped": {centers(12), 80, `feature                 gain  center 0  center 1  center 2  center 3  center 4
────────────────────────────────────────────────────────────────────────────────
a_feature_of_…metres  135.14    1114.8    1115.8    1116.8    1117.8    1118.8
hue                   135.14    1114.8    1115.8    1116.8    1117.8    1118.8
… and 7 more columns, center 5 to center 11: -o csv shows all
`},
		"one of them": {render.Table{Columns: []string{"run", "a_number_of_long_name"}, Rows: [][]any{{"x", 1}}, More: "look elsewhere"}, 20, `run
─────
x
… and 1 more column,
a_number_of_long_nam
e:
look elsewhere
`},
		"sentences are wrapped": {render.Table{Columns: []string{"algorithm", "summary"},
			Rows: [][]any{{"skfr", "sparse k-means, which selects the columns that tell clusters apart"}}, Prose: true}, 50, `algorithm  summary
──────────────────────────────────────────────────
skfr       sparse k-means, which selects the
           columns that tell clusters apart
`},
		"characters that are wide": {render.Table{Columns: []string{"a", "b"}, Rows: [][]any{{strings.Repeat("尺", 20), 1}}}, 24,
			`a                    b
────────────────────────
尺尺尺尺尺尺…尺尺尺  1
`},
		"no terminal": {centers(3), 0, `feature                                           gain  center 0  center 1  center 2
──────────────────────────────────────────────────────────────────────────────────────
a_feature_of_a_rather_long_name_in_millimetres  135.14    1114.8    1115.8    1116.8
hue                                             135.14    1114.8    1115.8    1116.8
`},
	} {
		t.Run(name, func(t *testing.T) {
			w := &terminal{width: c.width}
			must.Do(t, render.Write(w, "table", c.table))
			if w.String() != c.want {
				t.Errorf("got\n%s\nwant\n%s", w.String(), c.want)
			}
		})
	}
}

func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 9).Draw(t, "columns")
		table := render.Table{Prose: rapid.Bool().Draw(t, "prose")}
		row := make([]any, columns)
		for i := range row {
			table.Columns = append(table.Columns, rapid.StringMatching(`[a-z]{1,16}`).Draw(t, "name"))
			row[i] = any(1.5)
			if rapid.Bool().Draw(t, "text") {
				row[i] = rapid.StringMatching(`[a-zé尺 ]{0,60}`).Draw(t, "cell")
			}
		}
		table.Rows = [][]any{row}
		w := &terminal{width: rapid.IntRange(30, 120).Draw(t, "width")} // the widest column that is never cut has 24 and a gap
		must.Do(t, render.Write(w, "table", table))
		for line := range strings.Lines(w.String()) {
			if n := text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")); n > w.width {
				t.Fatalf("%d characters: %s", n, line)
			}
		}
		for _, format := range []string{"csv", "json", "markdown"} { // are not for a terminal
			var whole strings.Builder
			w.Reset()
			if render.Write(w, format, table) != nil || render.Write(&whole, format, table) != nil || w.String() != whole.String() {
				t.Fatalf("%s: %s", format, w.String())
			}
		}
	})
}

func TestColumnsThatTellLeastAreLeftOutFirst(t *testing.T) {
	table := render.Table{Name: "tune", Columns: []string{"point", "fits", "status", "score"}, Least: []string{"status", "fits"},
		Rows: [][]any{{0, 10, "converged", 0.5}, {1, 10, "converged", 0.25}}}
	show := func(width int) string {
		out := &terminal{width: width}
		must.Do(t, render.Write(out, "table", table))
		return out.String()
	}
	for width, want := range map[int]string{40: "point  fits  status     score", 26: "point  fits  score", 16: "point  score"} {
		got := show(width)
		if first, _, _ := strings.Cut(got, "\n"); strings.TrimSpace(first) != want {
			t.Errorf("in %d characters: %s", width, got)
		}
	}
	if got := show(16); !strings.Contains(strings.ReplaceAll(got, "\n", " "), "2 more columns, fits and status") {
		t.Error(got)
	}
}
