package help

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/query"
)

// meaning says what each argument of a command stands for.
var meaning = map[string]string{
	"RELATION":  "the table, view, file or query to read",
	"RUN":       "the name that --into gave to a fit",
	"TABLE":     "one of its result tables",
	"ALGORITHM": "the name of an algorithm",
	"PLUGIN":    "the name of a plugin, or the path of its file",
	"NAME":      "the name of a plugin",
}

// Takes checks the number of a command's arguments, by their names; those in
// brackets may be left out, and a last one with dots may be there many times.
func Takes(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		var missing []string
		for i, name := range names {
			if i >= len(args) && !strings.HasPrefix(name, "[") {
				missing = append(missing, name+", "+meaning[name])
			}
		}
		if len(missing) > 0 {
			return framework.Faultf(framework.Usage, "argument-missing", "%s needs %s", commandName(c), strings.Join(missing, ", and ")).
				WithHint("for example: %s", example(c))
		}
		if len(args) <= len(names) || repeats(names) {
			return nil
		}
		what := "no arguments"
		if len(names) > 0 {
			what = "only " + strings.Join(names, " ")
		}
		f := framework.Faultf(framework.Usage, "argument-extra", "%s takes %s, but there is also %q", commandName(c), what, args[len(names)]).
			WithHint("for example: %s", example(c))
		if len(names) > 0 && names[len(names)-1] == "RELATION" {
			f.Details = []string{"a query, or a name with spaces in it, needs quotes"}
		}
		return f
	}
}

// repeats reports whether the last of the arguments may be there many times.
func repeats(names []string) bool {
	return len(names) > 0 && strings.HasSuffix(names[len(names)-1], "...]")
}

// flagShaped reports whether an argument is a flag, whatever its value.
func flagShaped(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	name, long := strings.CutPrefix(name, "--")
	return long && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.In(r, unicode.N) && r != '_' && r != '-'
	})
}

// WithQueries returns arguments in which a query that begins with a comment is not
// taken for a flag: it begins with a blank.
func WithQueries(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if strings.HasPrefix(arg, "--") && !flagShaped(arg) && query.IsQuery(arg) {
			args[i] = " " + arg
		}
	}
	return args
}

// commandName returns the name of a command without that of the program.
func commandName(c *cobra.Command) string {
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

// example returns the first line of a command's examples.
func example(c *cobra.Command) string {
	all := strings.ReplaceAll(c.Example, " \\\n    ", " ") // lines that were too long
	first, _, _ := strings.Cut(strings.TrimSpace(all), "\n")
	if first == "" {
		return c.CommandPath()
	}
	return first
}
