package cli

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/prompt"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/summary"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/session"
)

func TestThePromptGoesOnAfterAnError(t *testing.T) {
	const hint = "  hint:  the commands: .tables, .mode FORMAT, .store TABLE RUN [--replace], .help\n"
	for keys, want := range map[string][2]string{
		"CREATE TABLE t AS SELECT 7 AS a;\r.tables\r": {"name\n──────\nt\n", "CREATE TABLE t AS SELECT 7 AS a: 1 row\n"},
		"SELECT 'x'::INT; SELECT 1;\rSELECT 2 AS b;\r": {"b\n───\n2\n", "error[statement-failed]: DuckDB refuses the statement: " +
			"Conversion Error: Could not convert string 'x' to INT32\n\nLINE 1: SELECT 'x'::INT\n                  ^\n"},
		".mode csv\rSELECT 1 AS a;\r.mode json\r.mode x\r":          {"a\n1\n", "error[bad-command]: .mode takes other words than x\n" + hint},
		".timing on\rSELECT 1 AS a;\r.timing off\rSELECT 1 AS a;\r": {"a\n───\n1\na\n───\n1\n", "time: N s\n"},
		".help\r": {"", commands}, ".what\r": {"", "error[bad-command]: there is no command .what\n" + hint}, ".quit now\r.quit\r.help\r": {"",
			"error[bad-command]: .quit takes other words than now\n" + hint},
		"BEGIN; CREATE TABLE t AS SELECT 1; SELEC;\rROLLBACK;\rFROM (SHOW TABLES);\r": {"name\n──────\n",
			"BEGIN: done\nCREATE TABLE t AS SELECT 1: 1 row\nerror[statement-failed]: DuckDB refuses the statement: " +
				"Parser Error: syntax error at or near \"SELEC\"\n\nLINE 1: SELEC\n        ^\nROLLBACK: done\n"},
		"FROM range(1001);\r": {"", ""},
		"SEL\t1 AS a;\r":      {"a\n───\n1\n", ""},
	} {
		var out, errs bytes.Buffer
		a := newApp(&out, &errs, builtIns...)
		a.Flags.Output = "table"
		r := &sqlRun{app: a, limit: summary.ShownRows, remedy: "more"}
		s := must.Get(session.Open(t.Context(), "", session.Options{}))(t)
		p := r.prompt(s, prompt.Prompt{Terminal: struct {
			io.Reader
			io.Writer
		}{strings.NewReader(keys), io.Discard}, Raw: func() func() { return func() {} }, Size: func() (int, int) { return 80, 24 },
			History: prompt.OpenHistory("")})
		must.Do(t, p.Loop(t.Context()))
		must.Do(t, s.Close())
		if strings.Contains(keys, "1001") {
			if !strings.HasSuffix(out.String(), "  999\n… and more rows; more\n") {
				t.Errorf("%.100s", &out)
			}
			continue
		}
		said := regexp.MustCompile(`\d\.\d{3} s`).ReplaceAllString(errs.String(), "N s")
		if out.String() != want[0] || said != want[1] {
			t.Errorf("%q:\n%s%s", keys, &out, said)
		}
	}
}
