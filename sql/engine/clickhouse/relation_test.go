package clickhouse

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAQueryEndsAtASemicolonThatIsInNoQuotesAndNoComment(t *testing.T) {
	for text, want := range map[string]struct {
		first string
		more  bool
	}{
		"SELECT 1":                         {"SELECT 1", false},
		"SELECT 1;":                        {"SELECT 1", false},
		"SELECT 1 ; -- done;\n ; /* x */ ": {"SELECT 1", false},
		"SELECT 1 -- the end":              {"SELECT 1 -- the end", false},
		"SELECT 1; SELECT 2":               {"SELECT 1", true},
		"SELECT 1; -- x\nDROP TABLE t":     {"SELECT 1", true},
		`SELECT 'a;b', 'it\'s; so', 'c'`:   {`SELECT 'a;b', 'it\'s; so', 'c'`, false},
		`SELECT 'a\\'; SELECT 2`:           {`SELECT 'a\\'`, true},
		"SELECT `o'clock;`, \"b;\" FROM t": {"SELECT `o'clock;`, \"b;\" FROM t", false},
		"SELECT `o'clock` FROM t;":         {"SELECT `o'clock` FROM t", false},
		"SELECT /* ; ' */ 1;":              {"SELECT /* ; ' */ 1", false},
		"SELECT 'open":                     {"SELECT 'open", false},
		`SELECT 'open\`:                    {`SELECT 'open\`, false},
	} {
		if first, more := statement(text); first != want.first || more != want.more {
			t.Errorf("%s: %q, %v", text, first, more)
		}
	}
}

func TestNamesHavePartsInQuotesOrWithout(t *testing.T) {
	for name, want := range map[string][]string{
		"t":                    {"t"},
		"db.t":                 {"db", "t"},
		"größe t":              {"größe t"},
		"`größe t`":            {"größe t"},
		"db.`a.b`":             {"db", "a.b"},
		"\"d b\" . \"a\\\"b\"": {"d b", `a"b`},
		"`a\\`b\\\\`":          {"a`b\\"},
		"it's":                 {"it's"},
		"`open":                {"`open"},
		"`a`b":                 {"`a`b"},
	} {
		if diff := cmp.Diff(want, nameParts(name)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
