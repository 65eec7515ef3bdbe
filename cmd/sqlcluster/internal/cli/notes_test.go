package cli

import (
	"strings"
	"testing"
)

func TestAKeyThatIsClusteredByIsNoted(t *testing.T) {
	t.Chdir(t.TempDir())
	query := "SELECT i AS id, i % 7 AS age FROM range(5) t(i)"
	note := "note: column id looks like a key, and rows are clustered by it: --id id makes it the row key; --exclude id leaves it out\n"
	for _, c := range []struct {
		args []string
		want bool
	}{
		{nil, true}, {[]string{"--id", "id"}, false}, {[]string{"--exclude", "id"}, false}, {[]string{"--features", "id,age"}, false},
	} {
		code, _, errs := run(append([]string{"check", query, "-k", "2"}, c.args...)...)
		if code != 0 || strings.Contains(errs, note) != c.want {
			t.Errorf("%q: %d, %s", c.args, code, errs)
		}
	}
}
