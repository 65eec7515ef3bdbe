package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
)

// helpWidth is how many characters a line of help has at most: a terminal's.
const helpWidth = 80

// groupOf is the annotation of a flag that says in which group help shows it.
const groupOf = "sqlcluster_group"

// The groups of flags, in the order of help.
const (
	groupInput  = "Input"
	groupModel  = "Model"
	groupParams = "Parameters"
	groupOutput = "Output"
	groupExpert = "Expert"
	groupOther  = "Other"
)

// in puts flags into a group.
func in(f *pflag.FlagSet, group string, names ...string) {
	for _, name := range names {
		if err := f.SetAnnotation(name, groupOf, []string{group}); err != nil {
			panic(err) // a flag that does not exist
		}
	}
}

// withGroups makes the usage text of all commands show flags by group.
func withGroups(root *cobra.Command) {
	cobra.AddTemplateFunc("flagGroups", flagGroups)
	t := root.UsageTemplate()
	from := strings.Index(t, "{{if .HasAvailableLocalFlags}}")
	to := strings.Index(t, "{{if .HasHelpSubCommands}}")
	t = t[:from] + "{{flagGroups .}}" + t[to:]
	root.SetUsageTemplate(strings.Replace(t, "for more information about a command", "for more about a command", 1))
}

// reflow breaks the lines of the paragraphs anew, in a command's description and in
// those of its commands, that have a line too long for a terminal. Lines that begin
// with a blank stay as they are.
func reflow(c *cobra.Command) {
	for _, sub := range c.Commands() {
		reflow(sub)
	}
	lines := strings.Split(c.Long, "\n")
	var out []string
	for len(lines) > 0 {
		n, tooLong := 0, false
		for n < len(lines) && lines[n] != "" && !strings.HasPrefix(lines[n], " ") && !strings.HasPrefix(lines[n], "\t") {
			tooLong = tooLong || utf8.RuneCountInString(lines[n]) > helpWidth
			n++
		}
		paragraph := lines[:n]
		if tooLong {
			paragraph = strings.Split(wrapped(strings.Fields(strings.Join(paragraph, " ")), "", helpWidth), "\n")
		}
		out = append(out, paragraph...)
		if lines = lines[n:]; len(lines) > 0 && n == 0 {
			out, lines = append(out, lines[0]), lines[1:]
		}
	}
	c.Long = strings.Join(out, "\n")
}

// flagGroups writes the flags of a command, group by group, and of an algorithm's
// parameters those of the one that is chosen.
func flagGroups(c *cobra.Command) string {
	sets := map[string]*pflag.FlagSet{}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) { addTo(sets, f) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { addTo(sets, f) })
	var b strings.Builder
	for _, group := range []string{groupInput, groupModel, groupParams, groupOutput, groupExpert, groupOther} {
		set := sets[group]
		switch {
		case set == nil:
		case group == groupParams:
			b.WriteString(paramGroup(c))
		case set.HasAvailableFlags():
			b.WriteString("\n\n" + group + ":\n" + usages(set))
		}
	}
	return b.String()
}

// addTo puts a flag into the set of its group.
func addTo(sets map[string]*pflag.FlagSet, f *pflag.Flag) {
	group := groupOther
	if of := f.Annotations[groupOf]; len(of) > 0 {
		group = of[0]
	}
	if sets[group] == nil {
		sets[group] = pflag.NewFlagSet(group, pflag.ContinueOnError)
		sets[group].SortFlags = false
	}
	sets[group].AddFlag(f)
}

func usages(set *pflag.FlagSet) string {
	return strings.TrimRight(set.FlagUsagesWrapped(helpWidth), " \n")
}

// paramGroup writes the parameters of the algorithm that is chosen, and how those
// of others are seen.
func paramGroup(c *cobra.Command) string {
	chosen := c.Flags().Lookup("algorithm").Value.String()
	var text string
	var others []string
	eachAlgorithm(func(_ string, d framework.Description) {
		if d.Name == chosen {
			text = "\n\nParameters of " + d.Name + ":\n" + usages(paramFlags(d))
		} else if !slices.Contains(others, d.Name) {
			others = append(others, d.Name)
		}
	})
	hint := fmt.Sprintf("  %s -a NAME --help shows those of %s", c.CommandPath(), strings.Join(others, ", "))
	if len(hint) > helpWidth {
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
		if clashes(p) {
			usage += "; given as --param " + p.Name + "=VALUE"
		}
		if numeric := p.Type == framework.IntParam || p.Type == framework.RealParam; numeric && !strings.Contains(usage, "`") {
			set.Var(numberText(p.Name), flagName(p), usage)
		} else {
			set.String(flagName(p), "", usage)
		}
	}
	return set
}

// numberText is the value of a flag that help shows to be a number.
type numberText string

func (numberText) String() string   { return "" }
func (numberText) Set(string) error { return nil }
func (numberText) Type() string     { return "number" }
