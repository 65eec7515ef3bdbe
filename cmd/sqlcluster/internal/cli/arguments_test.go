package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
)

func TestEveryCommandSaysWhichArgumentIsMissingOrTooMuch(t *testing.T) {
	tested := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		if !c.Runnable() || c.HasSubCommands() || c.Name() == "help" || slices.Contains([]string{"bash", "zsh", "fish", "powershell"}, c.Name()) {
			return
		}
		tested++
		words := strings.Fields(c.CommandPath())[1:]
		name := strings.Join(words, " ")
		want := map[string]string{"too much": "error[argument-extra]: " + name + " takes "}
		if _, arguments, _ := strings.Cut(c.Use, " "); arguments != "" && !strings.HasPrefix(arguments, "[") {
			want["missing"] = "error[argument-missing]: " + name + " needs " + strings.Fields(arguments)[0] + ", "
		}
		if strings.HasSuffix(c.Use, "...]") { // there cannot be too many
			delete(want, "too much")
		}
		for what, start := range want {
			args := slices.Clone(words)
			if what == "too much" {
				args = append(args, "1", "2", "3")
			}
			_, errs, code := command(t, args...)
			if code != 2 || !strings.HasPrefix(errs, start) || !strings.Contains(errs, "hint:  for example: sqlcluster "+name) {
				t.Errorf("%s: exit code %d: %s", name, code, errs)
			}
		}
	}
	visit(newApp(nil, nil, builtIns...).root())
	if tested < 9 { // fit, check, predict, show, runs, drop, list, describe, version
		t.Errorf("%d commands", tested)
	}
}

func TestAQueryThatBeginsWithACommentIsNoFlag(t *testing.T) {
	for _, query := range []string{"-- rows\nSELECT i AS x FROM range(9) t(i)", "--rows\nFROM range(9) t(x)", "--\nVALUES (1), (2), (3)",
		"-- a=b\n/* c */ (FROM range(4))"} {
		if out, errs, code := command(t, "check", query, "-k", "2"); code != 0 {
			t.Errorf("%q: %s%s", query, out, errs)
		}
	}
	for _, arg := range []string{"--id", "--features=a\nselect b", "-- x", "--ids", "-k", "--"} {
		if got := help.WithQueries([]string{arg})[0]; got != arg {
			t.Errorf("%q became %q", arg, got)
		}
	}
}
