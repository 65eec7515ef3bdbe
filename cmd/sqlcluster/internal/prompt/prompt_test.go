package prompt

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// typed lets a person type keys, and returns what was run and what the terminal shows.
func typed(t *testing.T, keys string, p Prompt) (ran []string, shown string) {
	t.Helper()
	var screen bytes.Buffer
	raw := 0
	p.Terminal = struct {
		io.Reader
		io.Writer
	}{strings.NewReader(keys), &screen}
	p.Raw = func() func() { raw++; return func() { raw-- } }
	p.Size = func() (int, int) { return 80, 24 }
	if p.History == nil {
		p.History = OpenHistory("")
	}
	p.Run = func(_ context.Context, statement string) bool {
		if raw != 0 {
			t.Error("a statement runs while keys go to the program")
		}
		ran = append(ran, statement)
		return !strings.HasPrefix(statement, "bad")
	}
	p.Command = func(_ context.Context, words []string) bool {
		ran = append(ran, strings.Join(words, "|"))
		return words[0] != ".quit"
	}
	must.Do(t, p.Loop(t.Context()))
	return ran, screen.String()
}

func TestStatementsEndWithASemicolon(t *testing.T) {
	for keys, want := range map[string][]string{
		"a;\r":                           {"a"},
		"a\r b -- ;\r;\r":                {"a\n b -- ;"},
		"a; b;c\r;\r":                    {"a", "b", "c"},
		"a ';\r';\r":                     {"a ';\n'"},
		"bad; b; c\rd;\r":                {"bad", "d"},
		".mode  csv\r.x;\ra\r.b;\r":      {".mode|csv", ".x;", "a\n.b"},
		".quit\ra;\r":                    {".quit"},
		"a;\r\x04b;\r":                   {"a"},      // Ctrl-D
		"a\rb\x03c;\rd\x03":              {"c"},      // Ctrl-C
		"a;\rb\x03c;\r":                  {"a", "c"}, // also where keys come together
		"\x1b[200~a;\rb;\r\x1b[201~":     {"a", "b"}, // pasted
		"acx\x7f\x1b[Db\x1b[C;\r":        {"abc"},    // edited
		"a;\r\x1b[A\r":                   {"a", "a"}, // from the history
		strings.Repeat("é", 300):         nil,        // more than is read at once, and not complete
		strings.Repeat("x", 300) + ";\r": {strings.Repeat("x", 300)},
	} {
		if ran, shown := typed(t, keys, Prompt{}); !slices.Equal(ran, want) {
			t.Errorf("%q: %q\n%q", keys, ran, shown)
		}
	}
}

func TestTabCompletesWhatAllProposalsHaveInCommon(t *testing.T) {
	propose := func(text string) (int, []string) {
		at := strings.LastIndexAny(text, " \n") + 1
		return at, []string{"SELECT", "customers", "customer_ids", "orders"}
	}
	for keys, want := range map[string]string{
		"sel\t1;\r":                      "SELECT 1",
		"FROM c\t;\r":                    "FROM customer",
		"FROM customers\t;\r":            "FROM customers",
		"FROM\ror\t;\r":                  "FROM\norders",
		"é x\t;\r":                       "é x",
		"FROM or,x\x1b[D\x1b[D\t\x05;\r": "FROM orders ,x",
	} {
		if ran, shown := typed(t, keys, Prompt{Propose: propose}); len(ran) != 1 || ran[0] != want {
			t.Errorf("%q: %q\n%q", keys, ran, shown)
		}
	}
	if _, shown := typed(t, "FROM customer\t\r", Prompt{Propose: propose}); !strings.Contains(shown, "customers  customer_ids\r\n") {
		t.Errorf("nothing is listed: %q", shown)
	}
}

func TestTheHistoryIsKeptInAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	_, _ = typed(t, "a;\r\r a;\r a;\r\x03b;\r", Prompt{History: OpenHistory(path)})
	h := OpenHistory(path)
	var lines []string
	for i := range h.Len() {
		lines = append(lines, h.At(i))
	}
	if want := []string{"b;", " a;", "a;"}; !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
	for i := range 2 * mostLines {
		h.Add(strings.Repeat("x", 1+i%2))
	}
	if n := OpenHistory(path).Len(); n != mostLines {
		t.Errorf("%d lines", n)
	}
	t.Setenv("XDG_STATE_HOME", "/state")
	if want := filepath.Join("/state", "sqlcluster", "sql_history"); HistoryFile() != want {
		t.Error(HistoryFile())
	}
}

// What is read from a terminal may never come.
func TestASessionThatIsEndedDoesNotWaitForALine(t *testing.T) {
	reader, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	ctx, cancel := context.WithCancel(t.Context())
	p := Prompt{Terminal: struct {
		io.Reader
		io.Writer
	}{reader, io.Discard}, History: OpenHistory("")}
	p.Raw = func() func() { cancel(); return func() {} }
	p.Size = func() (int, int) { return 0, 0 }
	if err := p.Loop(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
