package cli

import (
	"errors"
	"fmt"
	"regexp"
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
func usageFault(root *cobra.Command, args []string, err error) *framework.Fault {
	if e, ok := errors.AsType[*flagError](err); ok {
		if group, word := strayWord(root, e.command, args); word != "" {
			return unknownWord(group, word)
		}
		return flagFault(root, e)
	}
	m := unknownCommand.FindStringSubmatch(err.Error())
	group, _, err := root.Find(strings.Fields(m[2])[1:])
	if err != nil {
		group = root
	}
	return unknownWord(group, m[1])
}

// flagFault says what is wrong with a flag.
func flagFault(root *cobra.Command, e *flagError) *framework.Fault {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](e.err); ok {
		f := framework.Faultf(framework.Usage, "bad-flag", "%s is %q; it must be %s", shownFlag(bad.GetFlag()), bad.GetValue(), wanted(bad.GetFlag())).
			At(configName(bad.GetFlag().Name))
		if bad.GetFlag().Name == "k" { // auto, or several numbers
			f.Hint = "fit each k and compare: sqlcluster score"
		}
		return f
	}
	if lacking, ok := errors.AsType[*pflag.ValueRequiredError](e.err); ok {
		return framework.Faultf(framework.Usage, "usage", "%s needs a value", shownFlag(lacking.GetFlag())).
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
