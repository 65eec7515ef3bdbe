package cli

import (
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
)

// inALine is a query for three clusters of 20 rows in a line, twice as wide as the space between them.
const inALine = "SELECT i AS id, i % 3 * 10 + hash(i) % 5 AS a, i % 3 * 7 + hash(i + 9) % 4 AS b FROM range(60) t(i)"

func TestMessagesSayWhatIsTrueAndWhatToDo(t *testing.T) {
	t.Chdir(t.TempDir())
	registry.Here = true
	defer func() { registry.Here = false }()
	for name, c := range map[string]struct {
		args []string
		want []string // parts of what is said
		not  string
	}{
		"a statement in the place of a database": {
			[]string{"sql", "CREATE TABLE t(i INT)"},
			[]string{`"CREATE TABLE t(i INT)" is a statement, and FILE is a database`, "where: FILE", "sql -c 'CREATE TABLE t(i INT)'"}, "",
		},
		"a statement beside a database": {
			[]string{"sql", "SELECT 1", "--db", "x.duckdb"}, []string{`"SELECT 1" is a statement`}, "two databases",
		},
		"a whole number that is too large": {
			[]string{"fit", "x", "-k", "3", "--threads", "99999999999999999999"}, []string{"it must be a whole number of at most 18 digits"}, "",
		},
		"a number that is no whole one": {
			[]string{"fit", "x", "-k", "3", "--threads", "1.5"}, []string{`--threads is "1.5"; it must be a whole number` + "\n"}, "",
		},
		"numbers of clusters that go down": {
			[]string{"fit", "x", "-k", "9:2"}, []string{`-k is "9:2"; the first number must not be larger than the last`}, "",
		},
		"standard input": {[]string{"fit", "-", "-k", "3"}, []string{"FROM read_csv('/dev/stdin')"}, "--db FILE"},
		"clusters in a line": {
			[]string{"fit", inALine, "--id", "id", "-k", "auto"},
			[]string{"no structure found: the first numbers of clusters", "k = 3 has a larger gap (", "with -k 3"},
			"as well as several do",
		},
		"rows of two kinds": {
			[]string{"fit", "SELECT i AS id, i % 2 AS a FROM range(50) t(i)", "--id", "id", "-k", "auto"},
			[]string{"recommended: k = 2\n", "nothing is left to explain: no other k can be better"}, "no structure",
		},
		"few rows": {
			[]string{"fit", "SELECT i AS id, i * i AS a FROM range(3) t(i)", "--id", "id", "-k", "auto", "-q"},
			[]string{"no structure found"}, "reason",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, out, errs := run(c.args...)
			for _, want := range c.want {
				if !strings.Contains(out+errs, want) {
					t.Errorf("%s%s\ndoes not say %s", out, errs, want)
				}
			}
			if c.not != "" && strings.Contains(out+errs, c.not) {
				t.Errorf("%s%s\nsays %s", out, errs, c.not)
			}
		})
	}
}
