package flags

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestIntoIsAnIdentifierOrOneInQuotes(t *testing.T) {
	for _, name := range []string{"a", "_a1$", "Größe", "main.a", `"a b"`, `"a.b"`, `main."a""b"`, `"2026"."order"`} {
		if err := checkInto(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	const stray = `a double quote is not part of a name in quotes; inside one, "" stands for "`
	for name, want := range map[string]framework.Fault{
		`a"b`:      {Details: []string{stray}},
		`"a`:       {Details: []string{stray}},
		`"a"b`:     {Details: []string{stray}},
		`main.a"`:  {Details: []string{stray}},
		`""`:       {Details: []string{stray}},
		"my-run":   {Hint: `other characters need quotes, here and in SQL: --into '"my-run"'`},
		"2026":     {Hint: `other characters need quotes, here and in SQL: --into '"2026"'`},
		"main.a b": {Hint: `other characters need quotes, here and in SQL: --into 'main."a b"'`},
		"a.b.c":    {},
		".a":       {},
		"a.":       {},
		"a\n":      {Hint: "other characters need quotes, here and in SQL: --into '\"a\n\"'"},
	} {
		f := framework.AsFault(checkInto(name))
		if f == nil || f.Code != "bad-name" || f.Where != framework.Setting("into") || f.Hint != want.Hint ||
			len(f.Details) != len(want.Details) ||
			len(f.Details) > 0 && f.Details[0] != want.Details[0] {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestASimpleNameIsAName(t *testing.T) {
	simple := 0
	for a := range 256 {
		for b := range 256 {
			name := string([]byte{byte(a), byte(b)})
			if !simpleName(name) {
				continue
			}
			if simple++; !intoName().MatchString(name) {
				t.Errorf("%q", name)
			}
		}
	}
	if want := 53 * 63; simple != want { // letters and _, and behind them digits too
		t.Errorf("%d names of 2 bytes are simple, want %d", simple, want)
	}
	if simpleName("") {
		t.Error("nothing is a name")
	}
}
