package help

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/framework"
)

// A flagError is an error about the flags of a command.
type flagError struct {
	command *cobra.Command
	err     error
}

func (e *flagError) Error() string { return e.err.Error() }
func (e *flagError) Unwrap() error { return e.err }

var unknownCommand = regexp.MustCompile(`^unknown command "([^"]*)" for "([^"]*)"`)

// Fault says what was meant by a command line that is wrong. It is nil if that is
// not what is wrong.
func Fault(root *cobra.Command, args []string, err error) *framework.Fault {
	if e, ok := errors.AsType[*flagError](err); ok {
		if group, word := strayWord(root, e.command, args); word != "" {
			return unknownWord(group, word)
		}
		return flagFault(root, e)
	}
	m := unknownCommand.FindStringSubmatch(err.Error())
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
		f := framework.Faultf(framework.Usage, "bad-flag", "%s is %q; it must be %s", flags.Shown(bad.GetFlag()),
			bad.GetValue(), flags.Wanted(bad.GetFlag())).At(flags.Setting(bad.GetFlag().Name))
		if bad.GetFlag().Name == "k" { // auto, or several numbers
			f.Hint = "fit each k and compare: sqlcluster score"
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
