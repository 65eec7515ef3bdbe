package clickhouse

import (
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// A catalogue is the tables of a server, each with where it came from. It renames one after
// the other, and ends behind some of them.
type catalogue struct {
	mu     sync.Mutex
	tables map[string]string
	until  int // renamings before it fails; negative: it does not
	fails  string
}

var (
	renaming = regexp.MustCompile("[`\"]([^`\"]+)[`\"] TO [`\"]([^`\"]+)[`\"]")
	named    = regexp.MustCompile("^(?:CREATE TABLE|DROP TABLE IF EXISTS|INSERT INTO) [`\"]([^`\"]+)[`\"]")
)

func (c *catalogue) answer(w http.ResponseWriter, _ *http.Request, statement string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	refuse := func(text string) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, text)
	}
	name := ""
	if m := named.FindStringSubmatch(statement); m != nil {
		name = m[1]
	}
	switch word, _, _ := strings.Cut(statement, " "); {
	case strings.HasPrefix(statement, "SELECT name, engine"):
		_, _ = io.WriteString(w, "name\tengine\nString\tString\n")
		for _, t := range slices.Sorted(maps.Keys(c.tables)) {
			if strings.Contains(statement, "'"+t+"'") {
				fmt.Fprintf(w, "%s\tMergeTree\n", t)
			}
		}
	case word == "SELECT":
		_, _ = io.WriteString(w, "name\nString\n")
		for _, t := range slices.Sorted(maps.Keys(c.tables)) {
			fmt.Fprintln(w, t)
		}
	case word == "DESCRIBE":
		_, _ = io.WriteString(w, "name\ttype\nString\tString\nid\tInt64\n")
	case word == "CREATE":
		c.tables[name] = "new"
	case word == "INSERT" && strings.Contains(statement, c.fails) && c.fails != "":
		refuse("Code: 241, e.displayText() = DB::Exception: no memory")
	case word == "DROP":
		delete(c.tables, name)
	case word == "RENAME":
		for _, p := range renaming.FindAllStringSubmatch(statement, -1) {
			if c.until == 0 {
				c.until = -1
				refuse("Code: 1000, e.displayText() = DB::Exception: it ends")
				return
			}
			c.until--
			c.tables[p[2]] = c.tables[p[1]]
			delete(c.tables, p[1])
		}
	}
}

// of returns the tables with where they came from.
func (c *catalogue) of() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.tables)
}

// someTables are two new tables: of a query, and of rows.
func someTables() []engine.NewTable {
	rows := func(use func([]any) error) error { return use([]any{int64(1), "a\tb"}) }
	return []engine.NewTable{{Name: "x_assignments", Query: "SELECT 1 AS id"},
		{Name: "x_centers", Copy: result.Copy{Result: "centers", Columns: []result.CopyColumn{{Name: "cluster", Type: "INTEGER"},
			{Name: "feature", Type: "VARCHAR"}}, Each: rows}}}
}

func TestTheTablesOfARunAreReplacedTogether(t *testing.T) {
	old := map[string]string{"x_assignments": "old", "x_centers": "old", "x_tune": "old", "other": "old"}
	whole := map[string]string{"x_assignments": "new", "x_centers": "new", "other": "old"}
	for until := -1; until < 5; until++ { // five renamings
		c := &catalogue{tables: maps.Clone(old), until: until}
		_, e := fake(t, c.answer)
		err := e.ReplaceAll(t.Context(), someTables(), []string{"x_tune"})
		want := whole
		if until == 0 { // nothing has been renamed: nothing has changed
			want = old
		}
		if d := cmp.Diff(want, c.of()); d != "" || (err == nil) == (until == 0) {
			t.Errorf("after %d renamings: %v, %s", until, err, d)
		}
	}
}

func TestNothingChangesWhereATableOfARunCannotBeFilled(t *testing.T) {
	old := map[string]string{"x_assignments": "old", "other": "old"}
	c := &catalogue{tables: maps.Clone(old), until: -1, fails: "x_centers"}
	_, e := fake(t, c.answer)
	err := e.ReplaceAll(t.Context(), someTables(), nil)
	if f := framework.AsFault(err); f == nil || f.Code != "engine-memory" {
		t.Error(err)
	}
	if d := cmp.Diff(old, c.of()); d != "" {
		t.Error(d)
	}
}

func TestCellsAreWrittenAsTheServerReadsThem(t *testing.T) {
	for want, of := range map[string]struct {
		typ string
		v   any
	}{
		`\N`:                   {"DOUBLE", nil},
		"1":                    {"BOOLEAN", true},
		"0":                    {"BOOLEAN", false},
		"-3":                   {"INTEGER", int64(-3)},
		"18446744073709551615": {"UBIGINT", uint64(1<<64 - 1)},
		"0.30000000000000004":  {"DOUBLE", math.Nextafter(0.3, 1)},
		"1e-320":               {"DOUBLE", 1e-320},
		`a\tb\\N\nc`:           {"VARCHAR", "a\tb\\N\nc"},
		"ß'\"":                 {"VARCHAR", "ß'\""},
		"":                     {"VARCHAR", ""},
		"2026-11-24 20:03:14":  {"TIMESTAMP", "2026-11-24 20:03:14.250001"},
	} {
		var got strings.Builder
		if writeCell(&got, of.typ, of.v); got.String() != want {
			t.Errorf("%v is written as %q, and not %q", of.v, got.String(), want)
		}
	}
}
