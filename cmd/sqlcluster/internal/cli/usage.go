package cli

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
)

// A flagError is an error about the flags of a command.
type flagError struct {
	command *cobra.Command
	err     error
}

func (e *flagError) Error() string { return e.err.Error() }
func (e *flagError) Unwrap() error { return e.err }

// isUsage recognises the errors of the libraries for the command line.
func isUsage(err error) bool {
	_, flag := errors.AsType[*flagError](err)
	return flag || unknownCommand.MatchString(err.Error())
}

var unknownCommand = regexp.MustCompile(`^unknown command "([^"]*)" for "([^"]*)"`)

// usageFault says what was meant by a command line that is wrong.
func usageFault(root *cobra.Command, err error) *framework.Fault {
	if e, ok := errors.AsType[*flagError](err); ok {
		return flagFault(root, e)
	}
	f := framework.Faultf(framework.Usage, "usage", "%s", err.Error()).
		WithHint("sqlcluster --help shows the commands, sqlcluster COMMAND --help the flags")
	if m := unknownCommand.FindStringSubmatch(err.Error()); m != nil {
		group, _, err := root.Find(strings.Fields(m[2])[1:])
		if err != nil {
			group = root
		}
		var names []string
		for _, c := range group.Commands() {
			names = append(names, c.Name())
		}
		f.Similar = framework.Closest(m[1], names)
	}
	return f
}

// flagFault says what is wrong with a flag.
func flagFault(root *cobra.Command, e *flagError) *framework.Fault {
	hint := e.command.CommandPath() + " --help shows the flags"
	if bad, ok := errors.AsType[*pflag.InvalidValueError](e.err); ok {
		return framework.Faultf(framework.Usage, "bad-flag", "%s is %q; it must be %s", shownFlag(bad.GetFlag()), bad.GetValue(), wanted(bad.GetFlag())).
			WithWhere("%s", shownFlag(bad.GetFlag()))
	}
	f := framework.Faultf(framework.Usage, "usage", "%s", e.Error()).WithHint("%s", hint)
	unknown, ok := errors.AsType[*pflag.NotExistError](e.err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return f
	}
	name := unknown.GetSpecifiedName()
	f.Summary = fmt.Sprintf("%s has no flag --%s", cmp.Or(commandName(e.command), "sqlcluster"), name)
	if of := commandsWith(root, name); len(of) > 0 {
		f.Details = []string{fmt.Sprintf("it is a flag of %s", strings.Join(of, ", "))}
		return f
	}
	var names []string
	for _, set := range []*pflag.FlagSet{e.command.Flags(), e.command.InheritedFlags()} {
		set.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	}
	if near := framework.Closest(name, names); near != "" {
		f.Similar = "--" + near
	}
	return f
}

// commandsWith returns the commands that have a flag of that name.
func commandsWith(root *cobra.Command, name string) []string {
	var of []string
	for _, c := range root.Commands() {
		if f := c.Flags().Lookup(name); f != nil && !f.Hidden {
			of = append(of, c.Name())
		}
	}
	slices.Sort(of)
	return of
}

// shownFlag returns a flag as it is written: -k, --restarts.
func shownFlag(f *pflag.Flag) string {
	if f.Name == f.Shorthand {
		return "-" + f.Name
	}
	return "--" + f.Name
}

// wanted says which values a flag takes.
func wanted(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number from 0 to 18446744073709551615"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a time such as 90s or 10m"
	}
	return "a " + f.Value.Type()
}

// helpCommand is cobra's, but for an exit code of 2 where there is nothing to
// show.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Help about a command or a topic",
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err == nil && len(rest) > 0 {
				err = fmt.Errorf("unknown command %q for %q", rest[0], c.CommandPath())
			}
			if err != nil {
				return err
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}
