package cli

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
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

func TestAGridHasAnEnd(t *testing.T) {
	for _, text := range []string{strings.Repeat("1,", mostGrid) + "1", "1:2:1001", "1:2:1e300", "1:2:-3",
		"-1e308:1e308:3", "1e400,1", "nan,1", "1:2:3:4", ":::", "", ",",
	} {
		if grid, err := parseGrid(text); framework.AsFault(err) == nil {
			t.Errorf("%.20s: %d values, %v", text, len(grid), err)
		}
	}
}

func FuzzGrid(f *testing.F) {
	for _, text := range []string{"1,2,4", "0:0.5:20", "1e308,-1e308", "-1e308:1e308:3", "0x1p-2", "1_0",
		" 1 , 2 ", "1:2:1e3", "inf", "1:1:2",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		grid, err := parseGrid(text)
		if err != nil {
			if framework.AsFault(err) == nil {
				t.Errorf("no fault: %v", err)
			}
			return
		}
		if len(grid) < 1 || len(grid) > mostGrid {
			t.Errorf("%d values", len(grid))
		}
		for _, v := range grid {
			again, err := strconv.ParseFloat(number(v), 64)
			if err != nil || math.IsInf(v, 0) || math.Float64bits(again) != math.Float64bits(v) {
				t.Errorf("%v: %v, %v", v, again, err)
			}
		}
		texts := make([]string, len(grid))
		for i, v := range grid {
			texts[i] = number(v)
		}
		if again, err := parseGrid(strings.Join(texts, ",")); err != nil || !slices.Equal(again, grid) {
			t.Errorf("%v became %v, %v", grid, again, err)
		}
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
