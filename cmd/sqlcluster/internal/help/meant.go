package help

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/query"
)

// A flagError is an error about the flags of a command.
type flagError struct {
	command *cobra.Command
	err     error
}

func (e *flagError) Error() string { return e.err.Error() }
func (e *flagError) Unwrap() error { return e.err }

var unknownCommand = pattern.New(`^unknown command "([^"]*)" for "([^"]*)"`)

// Fault says what was meant by a command line that is wrong. It is nil if that is
// not what is wrong.
func Fault(root *cobra.Command, args []string, err error) *framework.Fault {
	if e, ok := errors.AsType[*flagError](err); ok {
		if group, word := strayWord(root, e.command, args); word != "" {
			return unknownWord(group, word)
		}
		return flagFault(root, e)
	}
	m := unknownCommand().FindStringSubmatch(err.Error())
	if m == nil {
		return nil
	}
	group, _, err := root.Find(strings.Fields(m[2])[1:])
	if err != nil {
		group = root
	}
	return unknownWord(group, m[1])
}

// flagFault says what is wrong with a flag.
func flagFault(root *cobra.Command, e *flagError) *framework.Fault {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](e.err); ok {
		wanted := flags.Wanted(bad.GetFlag())
		if bad.GetFlag().Value.Type() == "int" && errors.Is(e.err, strconv.ErrRange) {
			wanted += " of at most 18 digits"
		}
		f := framework.Faultf(framework.Usage, "bad-flag", "%s is %q; it must be %s", flags.Shown(bad.GetFlag()), bad.GetValue(), wanted).
			At(flags.Setting(bad.GetFlag().Name))
		if bad.GetFlag().Name == "k" {
			f.Hint = "several numbers, as in 2,3,5 or 2:10, and auto choose one of them"
		}
		return f
	}
	if lacking, ok := errors.AsType[*pflag.ValueRequiredError](e.err); ok {
		return framework.Faultf(framework.Usage, "usage", "%s needs a value", flags.Shown(lacking.GetFlag())).
			WithHint("%s --help shows the flags", e.command.CommandPath())
	}
	f := framework.Faultf(framework.Usage, "usage", "%s", e.Error()).WithHint("%s --help shows the flags", e.command.CommandPath())
	unknown, ok := errors.AsType[*pflag.NotExistError](e.err)
	if !ok {
		return f
	}
	name, short := unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames() != ""
	dashes := "--"
	if short {
		dashes = "-"
	}
	f.Summary = fmt.Sprintf("%s has no flag %s%s", commandName(e.command), dashes, name)
	if of := commandsWith(root, name, short); len(of) > 0 {
		f.Details = []string{fmt.Sprintf("it is a flag of %s", strings.Join(of, ", "))}
		return f
	}
	if !short {
		f.Similar = meantFlag(e.command, name)
	}
	return f
}

// strayWord returns the first argument that is not a flag, where a command has to be
// named: behind the name of the program or of a group of commands. Flags that the
// command has would else be blamed on the group.
func strayWord(root, of *cobra.Command, args []string) (group *cobra.Command, word string) {
	if !of.HasSubCommands() {
		return nil, ""
	}
	names := strings.Fields(of.CommandPath())[1:]
	for i := 0; i < len(args); i++ {
		switch f := knownFlag(root, args[i]); {
		case f != nil:
			if f.NoOptDefVal == "" && !strings.Contains(args[i], "=") {
				i++ // its value
			}
		case strings.HasPrefix(args[i], "-"):
			return nil, "" // the value of which may come next
		case len(names) > 0 && args[i] == names[0]:
			names = names[1:]
		default:
			return of, args[i]
		}
	}
	return nil, ""
}

// knownFlag returns the flag of all commands that an argument is, or nil.
func knownFlag(root *cobra.Command, arg string) *pflag.Flag {
	name, _, _ := strings.Cut(strings.TrimPrefix(arg, "--"), "=")
	switch {
	case strings.HasPrefix(arg, "--") && name != "":
		return root.PersistentFlags().Lookup(name)
	case len(arg) == 2 && arg[0] == '-' && arg[1] != '-':
		return root.PersistentFlags().ShorthandLookup(arg[1:])
	}
	return nil
}

// unknownWord says that a group of commands has none of that name.
func unknownWord(group *cobra.Command, word string) *framework.Fault {
	f := framework.Faultf(framework.Usage, "usage", "unknown command %q for %q", word, group.CommandPath()).
		WithHint("sqlcluster --help shows the commands, sqlcluster COMMAND --help the flags")
	var names []string
	for _, c := range group.Commands() {
		names = append(names, c.Name())
		if slices.Contains(c.SuggestFor, strings.ToLower(word)) {
			f.Similar = c.Name()
		}
	}
	f.Similar = cmp.Or(f.Similar, framework.Closest(word, names))
	if f.Similar == "" && !group.HasParent() && Readable(word) {
		f.Hint = "to cluster a table, a file or a query: sqlcluster fit RELATION -k NUMBER"
	}
	return f
}

// Readable reports whether a word is a file or a query.
func Readable(word string) bool {
	_, err := os.Stat(word)
	return err == nil || query.IsQuery(word)
}

// otherNames are what other programs call some of the flags.
var otherNames = map[string]string{
	"algo": "algorithm", "method": "algorithm", "model": "algorithm",
	"clusters": "k", "n-clusters": "k", "num-clusters": "k", "nclusters": "k",
	"key": "id", "keys": "id", "id-column": "id", "columns": "features", "ignore": "exclude", "drop": "exclude",
	"n-init": "restarts", "starts": "restarts", "nstart": "restarts", "iterations": "max-iter", "tolerance": "tol",
	"standardize": "scale", "normalize": "norm", "cosine": "norm", "random-state": "seed", "jobs": "threads", "n-jobs": "threads",
	"format": "output", "database": "db", "overwrite": "replace", "force": "replace",
}

// meantFlag returns the flag of a command that a name is most like, or "".
func meantFlag(c *cobra.Command, name string) string {
	var all []*pflag.Flag
	var names []string
	for _, set := range []*pflag.FlagSet{c.Flags(), c.InheritedFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				all, names = append(all, f), append(names, f.Name)
			}
		})
	}
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	meant := otherNames[name]
	if slices.Contains(names, name) {
		meant = name // but for capitals and underscores
	} else if !slices.Contains(names, meant) {
		meant = framework.Closest(name, names)
	}
	for _, f := range all {
		if f.Name == meant {
			return flags.Shown(f)
		}
	}
	return ""
}

// commandsWith returns the commands that have a flag of that name, or letter.
func commandsWith(root *cobra.Command, name string, short bool) []string {
	var of []string
	for _, c := range root.Commands() {
		of = append(of, commandsWith(c, name, short)...)
		f := c.Flags().Lookup(name)
		if short {
			f = c.Flags().ShorthandLookup(name)
		}
		if f != nil && !f.Hidden {
			of = append(of, commandName(c))
		}
	}
	slices.Sort(of)
	return of
}
