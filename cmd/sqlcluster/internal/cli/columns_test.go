package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

const oddNames = `SELECT i AS id, i AS "say ""hi""", i % 2 AS "a,b", i % 3 AS "od280/od315", i % 5 AS x FROM range(9) t(i)`

// leftOutOf returns the columns that check says --exclude leaves out, and the
// message if there is one.
func leftOutOf(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, _ := command(t, append([]string{"check", oddNames, "--id", "id", "-k", "2", "-o", "jsonl"}, args...)...)
	var names []string
	for line := range strings.Lines(out) {
		name, isExcluded := strings.CutSuffix(strings.TrimPrefix(line, `{"column":`),
			`,"use":"left out: --exclude","location":null,"scale":null,"nulls":null}`+"\n")
		if isExcluded {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ") + errs
}

func TestFlagsTakeColumnsOfAnyName(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--exclude", `say "hi"`}, `"say \"hi\""`},
		{[]string{"--exclude", `"a,b",od*`}, `"a,b" "od280/od315"`},
		{[]string{"--exclude", `"a,b"`, "--exclude", "x"}, `"a,b" "x"`},
	} {
		if got := leftOutOf(t, c.args...); got != c.want {
			t.Errorf("%q: %s, want %s", c.args, got, c.want)
		}
	}
	t.Chdir(t.TempDir())
	must.Do(t, os.WriteFile("sqlcluster.toml", []byte(`exclude = ["a,b", "od*"]`), 0o600))
	if got, want := leftOutOf(t), `"a,b" "od280/od315"`; got != want {
		t.Errorf("an element of a list is an item: %s, want %s", got, want)
	}
}

func TestTextIsCategoriesOrLeftOutWhenAskedFor(t *testing.T) {
	const rows = "SELECT i AS id, i % 5 AS x, 'c' || i % 2 AS c, 'name ' || i AS name FROM range(9) t(i)"
	out, errs, code := command(t, "check", rows, "--id", "id", "-k", "2", "--categorical", "auto", "--ignore-text", "-o", "csv")
	var uses []string
	for line := range strings.Lines(out) {
		fields := strings.Split(line, ",")
		uses = append(uses, fields[0]+" "+fields[1])
	}
	if got, want := strings.Join(uses[1:], ", "),
		"x feature, c=c0 category, c=c1 category, id left out: row key, name left out: --ignore-text"; code != 0 || got != want {
		t.Errorf("%d: %s, want %s\n%s", code, got, want, errs)
	}
}
