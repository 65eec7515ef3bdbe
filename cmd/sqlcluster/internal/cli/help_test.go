package cli

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/framework"
)

// helpOf returns the help that a command line asks for, with its flags by section:
// "Input" has the names of those below the line Input:.
func helpOf(t *testing.T, args ...string) (out string, sections map[string][]string) {
	t.Helper()
	out, errs, code := command(t, args...)
	if code != 0 {
		t.Fatal(errs)
	}
	sections = map[string][]string{}
	section := ""
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, " ") {
			section = strings.TrimSuffix(line, ":\n")
		}
		if _, flag, ok := strings.Cut(line, "--"); ok && (strings.HasPrefix(line, "      --") || strings.HasPrefix(line, "  -")) {
			sections[section] = append(sections[section], strings.Fields(flag)[0])
		}
	}
	return out, sections
}

// A terminal has 80 columns.
func TestHelpFitsIntoATerminal(t *testing.T) {
	var visit func(c *cobra.Command)
	tested := 0
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		if c.Hidden || strings.HasPrefix(c.CommandPath(), "sqlcluster completion ") { // cobra's words
			return
		}
		tested++
		out, _ := helpOf(t, append([]string{"help"}, strings.Fields(c.CommandPath())[1:]...)...)
		for line := range strings.Lines(out) {
			if n := utf8.RuneCountInString(line) - 1; n > 80 {
				t.Errorf("%s: %d characters: %s", c.CommandPath(), n, line)
			}
		}
	}
	root := newApp(nil, nil, builtIns...).root()
	help.AddCompletion(root)
	visit(root)
	if tested < 15 {
		t.Errorf("%d commands", tested)
	}
}

func TestHelpShowsTheParametersOfTheChosenAlgorithmAlone(t *testing.T) {
	for _, c := range []struct {
		args    []string
		section string
		want    string
	}{ // the parameters that the algorithms describe
		{[]string{"fit", "--help"}, "Parameters of kmeans", "loss missing"},
		{[]string{"help", "fit"}, "Parameters of kmeans", "loss missing"},
		{[]string{"fit", "-a", "skfr", "--help"}, "Parameters of skfr", "sparsity scope loss missing"},
		{[]string{"check", "--help", "--algorithm=skfr"}, "Parameters of skfr", "sparsity scope loss missing"},
	} {
		out, sections := helpOf(t, c.args...)
		if got := strings.Join(sections[c.section], " "); got != c.want || strings.Count(out, "Parameters") != 1 ||
			!strings.Contains(out, " -a NAME --help shows those of ") {
			t.Errorf("%q: %q, want %q\n%s", c.args, got, c.want, out)
		}
	}
	if out, _ := helpOf(t, "fit", "-a", "skrf", "--help"); !strings.Contains(out, "Parameters:\n  sqlcluster fit -a NAME --help") {
		t.Error(out)
	}
	t.Setenv("SQLCLUSTER_ALGORITHM", "skfr")
	if out, _ := helpOf(t, "fit", "--help"); !strings.Contains(out, "Parameters of skfr:") || !strings.Contains(out, `(default "kmeans")`) {
		t.Errorf("the configuration may choose the algorithm: %s", out)
	}
	with(t, other{func(d *framework.Description) { d.Params[4].Required = true }})
	out, _ := helpOf(t, "fit", "-a", "other", "--help")
	if !strings.Contains(out, "how deep (required)") || !strings.Contains(out, "not a norm (default l1)") ||
		!strings.Contains(strings.Join(strings.Fields(out), " "), "too; given as --param weight=VALUE") {
		t.Error(out)
	}
}

func TestEveryFlagIsInAGroup(t *testing.T) {
	root := newApp(nil, nil, builtIns...).root()
	for _, c := range append(root.Commands(), root) {
		for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) {
				of := f.Annotations[flags.GroupOf]
				if known := len(of) == 1 && of[0] != flags.GroupOther && slices.Contains(flags.Groups, of[0]); !known &&
					!f.Hidden && f.Name != "help" && f.Name != "version" {
					t.Errorf("%s --%s: %q", c.Name(), f.Name, of)
				}
			})
		}
	}
	_, sections := helpOf(t, "fit", "--help")
	for flag, group := range map[string]string{"id": "Input", "db": "Input", "algorithm": "Model", "seed": "Model", "into": "Output",
		"output": "Output", "tol": "Expert", "threads": "Expert"} {
		if !slices.Contains(sections[group], flag) {
			t.Errorf("--%s is not in %s: %q", flag, group, sections[group])
		}
	}
}
