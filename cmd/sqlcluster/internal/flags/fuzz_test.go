package flags

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/framework"
)

func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"max_iter = 50\nfeatures = [\"a\", \"b,c\"]\nseed = \"18446744073709551615\"\ntol = 1e-3\n",
		"[param]\na = 1\n", "param = [[1]]", "strict = true\ntimeout = \"1s\"",
		"id = \"\"", "nope = 1", "threads = 1979-05-27T07:32:00Z", "a = {b = [1, {c = 2}]}",
	} {
		f.Add([]byte(text))
	}
	v := New(registry.Read(registry.BuiltIns()...))
	command := &cobra.Command{Use: "fit"}
	v.AddGlobal(command.PersistentFlags())
	v.AddFit(command.Flags(), "")
	v.AddRunning(command.Flags())
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := decodeConfig(command, "own.toml", text)
		if err != nil {
			if framework.AsFault(err) == nil {
				t.Errorf("no fault: %v", err)
			}
			return
		}
		command.Flags().VisitAll(func(f *pflag.Flag) {
			value, ok := values[strings.ReplaceAll(f.Name, "-", "_")]
			if !ok {
				return
			}
			if err := v.setTOML(f, value, "own.toml"); err != nil && framework.AsFault(err) == nil {
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
