package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
)

func TestAConfigurationThatIsTooMuchIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"lists in lists":   "features = " + strings.Repeat("[", mostConfig-100),
		"tables in tables": strings.Repeat("a = {", 1<<16),
		"a long file":      "# " + strings.Repeat("x", mostConfig),
		"a long number":    "seed = " + strings.Repeat("9", 1<<16),
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(configFile, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			code, _, errs := run("runs", "--db", "x.duckdb")
			if code != exitUsage || !strings.HasPrefix(errs, "error[bad-config]") || len(errs) > 1000 {
				t.Errorf("%d: %.300s", code, errs)
			}
		})
	}
}

func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"max_iter = 50\nfeatures = [\"a\", \"b,c\"]\nseed = \"18446744073709551615\"\ntol = 1e-3\n",
		"[param]\na = 1\n", "param = [[1]]", "strict = true\ntimeout = \"1s\"",
		"id = \"\"", "nope = 1", "threads = 1979-05-27T07:32:00Z", "a = {b = [1, {c = 2}]}",
	} {
		f.Add([]byte(text))
	}
	a := &app{settings: &settings{}, origins: map[string]string{}}
	root := a.root()
	command, _, err := root.Find([]string{"fit"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := decodeConfig(root, "own.toml", text)
		if err != nil {
			if framework.AsFault(err) == nil {
				t.Errorf("no fault: %v", err)
			}
			return
		}
		command.Flags().VisitAll(func(f *pflag.Flag) {
			v, ok := values[strings.ReplaceAll(f.Name, "-", "_")]
			if !ok {
				return
			}
			if err := a.setTOML(f, v, "own.toml"); err != nil && framework.AsFault(err) == nil {
				t.Errorf("no fault: %v", err)
			}
		})
	})
}

func FuzzInto(f *testing.F) {
	for _, name := range []string{"a", `"a b"`, `main."a""b"`, `"a"b`, "my-run", "a.b.c", ".", "", "a\n", `"\x00"`, "Größe"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		err := checkInto(name)
		if err != nil {
			if f := framework.AsFault(err); f == nil || f.Code != "bad-name" {
				t.Errorf("%v", err)
			}
		}
		if !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
			if err == nil {
				t.Errorf("%q is accepted", name)
			}
			return
		}
		if name == "" {
			return
		}
		if quoted := quoteIfNeeded(name); checkInto(quoted) != nil || checkInto(fmt.Sprintf("main.%s", quoted)) != nil {
			t.Errorf("%s is not accepted", quoted)
		}
	})
}

func FuzzRecordedParams(f *testing.F) {
	f.Add(`{"k":{"value":3,"origin":"flag"},"seed":{"value":18446744073709551615,"origin":"default"},
		"weight":{"value":"w"},"features":{"value":["a","b"]}}`)
	f.Add(`{}0`)
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := paramRows(text)
		if err != nil {
			return
		}
		for _, row := range rows {
			if len(row) != 3 {
				t.Errorf("%v", row)
			}
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("%q is no JSON", text)
		}
	})
}
