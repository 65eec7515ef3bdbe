// Package help says what there is and what was meant: help of commands and topics,
// the proposals of shells, and messages about a command line that is wrong.
package help

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/framework"
)

// Width is how many characters a line of help has at most: a terminal's.
const Width = 80

// Install gives commands their help, the topics, the proposals of shells and the
// words for what is wrong with their flags.
func Install(root *cobra.Command, v *flags.Values) {
	root.AddCommand(topics()...)
	completer{v}.complete(root)
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultVersionFlag() // so that it is known to take no value
	root.SetVersionTemplate("sqlcluster {{.Version}}\n")
	withGroups(root, v)
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		_ = v.Configure(c) // which may choose another algorithm; help is shown whatever is wrong with it
		if c.Use == tablesTopic {
			c.Long = tables()
		}
		c.Long = reflowed(c.Long)
		help(c, args)
	})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return &flagError{c, err} })
}

// AddCompletion adds the command of cobra, which takes any word for a shell if
// left alone. It writes to what the root writes to now.
func AddCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Args, c.RunE = cobra.NoArgs, func(c *cobra.Command, _ []string) error { return c.Help() }
	}
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

// withGroups makes the usage text of all commands show flags by group.
func withGroups(root *cobra.Command, v *flags.Values) {
	cobra.AddTemplateFunc("flagGroups", func(c *cobra.Command) string { return flagGroups(c, v) })
	t := root.UsageTemplate()
	from := strings.Index(t, "{{if .HasAvailableLocalFlags}}")
	to := strings.Index(t, "{{if .HasHelpSubCommands}}")
	t = t[:from] + "{{flagGroups .}}" + t[to:]
	root.SetUsageTemplate(strings.Replace(t, "for more information about a command", "for more about a command", 1))
}

// reflowed breaks the lines of the paragraphs of a description anew that have a line
// too long for a terminal. Lines that begin with a blank stay as they are.
func reflowed(description string) string {
	lines := strings.Split(description, "\n")
	var out []string
	for len(lines) > 0 {
		n, tooLong := 0, false
		for n < len(lines) && lines[n] != "" && !strings.HasPrefix(lines[n], " ") && !strings.HasPrefix(lines[n], "\t") {
			tooLong = tooLong || utf8.RuneCountInString(lines[n]) > Width
			n++
		}
		paragraph := lines[:n]
		if tooLong {
			paragraph = strings.Split(Wrapped(strings.Fields(strings.Join(paragraph, " ")), "", Width), "\n")
		}
		out = append(out, paragraph...)
		if lines = lines[n:]; len(lines) > 0 && n == 0 {
			out, lines = append(out, lines[0]), lines[1:]
		}
	}
	return strings.Join(out, "\n")
}

// flagGroups writes the flags of a command, group by group, and of an algorithm's
// parameters those of the one that is chosen.
func flagGroups(c *cobra.Command, v *flags.Values) string {
	sets := map[string]*pflag.FlagSet{}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { addTo(sets, f) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { addTo(sets, f) })
	var b strings.Builder
	for _, group := range flags.Groups {
		set := sets[group]
		switch {
		case set == nil:
		case group == flags.GroupParams:
			b.WriteString(paramGroup(c, v))
		case set.HasAvailableFlags():
			b.WriteString("\n\n" + group + ":\n" + usages(set))
		}
	}
	return b.String()
}

// addTo puts a flag into the set of its group.
func addTo(sets map[string]*pflag.FlagSet, f *pflag.Flag) {
	group := flags.GroupOther
	if of := f.Annotations[flags.GroupOf]; len(of) > 0 {
		group = of[0]
	}
	if sets[group] == nil {
		sets[group] = pflag.NewFlagSet(group, pflag.ContinueOnError)
		sets[group].SortFlags = false
	}
	sets[group].AddFlag(f)
}

func usages(set *pflag.FlagSet) string {
	return strings.TrimRight(set.FlagUsagesWrapped(Width), " \n")
}

// paramGroup writes the parameters of the algorithm that is chosen, and how those
// of others are seen.
func paramGroup(c *cobra.Command, v *flags.Values) string {
	chosen := c.Flags().Lookup("algorithm").Value.String()
	var text string
	var others []string
	for _, a := range v.Library().Algorithms {
		if a.Name == chosen {
			text = "\n\nParameters of " + a.Name + ":\n" + usages(paramFlags(a.Description))
		} else if !slices.Contains(others, a.Name) {
			others = append(others, a.Name)
		}
	}
	hint := fmt.Sprintf("  %s -a NAME --help shows those of %s", c.CommandPath(), strings.Join(others, ", "))
	if len(hint) > Width {
		hint = fmt.Sprintf("  %s -a NAME --help shows those of other algorithms", c.CommandPath())
	}
	if text == "" {
		text = "\n\nParameters:" // of what is not an algorithm
	}
	return text + "\n" + hint
}

// paramFlags are the flags of the parameters of one algorithm, with its own words.
func paramFlags(d framework.Description) *pflag.FlagSet {
	set := pflag.NewFlagSet(d.Name, pflag.ContinueOnError)
	set.SortFlags = false
	for _, p := range d.Params {
		usage := p.Doc
		switch {
		case p.Required:
			usage += " (required)"
		case p.Default != "":
			usage += fmt.Sprintf(" (default %s)", p.Default)
		}
		if flags.Clashes(p) {
			usage += "; given as --param " + p.Name + "=VALUE"
		}
		if numeric := p.Type == framework.IntParam || p.Type == framework.RealParam; numeric && !strings.Contains(usage, "`") {
			set.Var(numberText(p.Name), flags.Name(p), usage)
		} else {
			set.String(flags.Name(p), "", usage)
		}
	}
	return set
}

// numberText is the value of a flag that help shows to be a number.
type numberText string

func (numberText) String() string   { return "" }
func (numberText) Set(string) error { return nil }
func (numberText) Type() string     { return "number" }

// Wrapped joins words in lines of at most the given width, with a separator behind
// all but the last.
func Wrapped(words []string, separator string, width int) string {
	var b strings.Builder
	at := 0
	for i, word := range words {
		if i < len(words)-1 {
			word += separator
		}
		n := utf8.RuneCountInString(word)
		switch {
		case i > 0 && at+1+n > width:
			b.WriteString("\n")
			at = 0
		case i > 0:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
