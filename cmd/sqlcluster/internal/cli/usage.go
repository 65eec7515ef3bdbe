package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
)

// isUsage recognises the errors of the flag library, which have no type.
func isUsage(err error) bool {
	text := err.Error()
	for _, start := range []string{"unknown command", "unknown flag", "unknown shorthand", "flag needs", "invalid argument", "bad flag syntax", "no such flag"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

var (
	unknownCommand = regexp.MustCompile(`^unknown command "([^"]*)" for "([^"]*)"`)
	unknownFlag    = regexp.MustCompile(`^unknown flag: --(.*)`)
	// internals is what the flag library adds for programmers.
	internals = regexp.MustCompile(`: strconv\.\w+: parsing .*$`)
)

// usageFault says what was meant by a command line that is wrong.
func usageFault(root *cobra.Command, err error) *framework.Fault {
	text := internals.ReplaceAllString(err.Error(), "")
	f := framework.Faultf(framework.Usage, "usage", "%s", text).
		WithHint("sqlcluster --help shows the commands, sqlcluster COMMAND --help the flags")
	if m := unknownCommand.FindStringSubmatch(text); m != nil {
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
	if m := unknownFlag.FindStringSubmatch(text); m != nil {
		var names []string
		for _, c := range append(root.Commands(), root) {
			for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
				set.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
			}
		}
		if name := framework.Closest(m[1], names); name != "" {
			f.Similar = "--" + name
		}
	}
	return f
}
