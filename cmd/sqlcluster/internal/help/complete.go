package help

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// CompletionTime is how long a shell waits for names that come from a database or
// a file. What takes longer is not proposed.
var CompletionTime = time.Second

// columnLists are the flags that take columns, and oneColumn those that take one.
var (
	columnLists = []string{"features", "exclude", "categorical", "long"}
	oneColumn   = []string{"id", "weight", "truth"}
	relations   = []string{"pairs", "groups", "start", "constraints"}
	files       = []string{"db", "file", "cpuprofile", "trace", "engine-credentials"}
)

// A completer proposes to shells what may come next.
type completer struct{ v *flags.Values }

// complete makes shells propose arguments and values of flags for a command and its
// subcommands, except where a command does so itself.
func (p completer) complete(c *cobra.Command) {
	for _, sub := range c.Commands() {
		p.complete(sub)
	}
	if words := strings.Fields(c.Use)[1:]; len(words) > 0 && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) >= len(words) && !repeats(words) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return p.argument(c, strings.Trim(words[min(len(args), len(words)-1)], "[.]"))
		}
	}
	for _, set := range []*pflag.FlagSet{c.LocalNonPersistentFlags(), c.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" && !slices.Contains(files, f.Name) {
				_ = c.RegisterFlagCompletionFunc(f.Name, func(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
					return p.value(c, f, args, typed)
				}) // fails if the command proposes values itself
			}
		})
	}
}

// WithoutBackticks removes the backticks from the descriptions of flags, with which
// they tell help the name of their value.
func WithoutBackticks(c *cobra.Command) {
	for _, sub := range c.Commands() {
		WithoutBackticks(sub)
	}
	for _, set := range []*pflag.FlagSet{c.LocalNonPersistentFlags(), c.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	}
}

// argument proposes what an argument stands for.
func (p completer) argument(c *cobra.Command, word string) ([]string, cobra.ShellCompDirective) {
	switch word {
	case "RUN":
		if c.Name() == "drop" {
			return p.ask(c, (*store.DB).DropNames), cobra.ShellCompDirectiveNoFileComp
		}
		return p.ask(c, (*store.DB).RunNames), cobra.ShellCompDirectiveNoFileComp
	case "RELATION":
		return p.ask(c, (*store.DB).RelationNames), cobra.ShellCompDirectiveDefault // or a file
	case "TABLE":
		if f := c.Flags().Lookup("top"); f != nil && f.Changed {
			return store.ToppedTables(), cobra.ShellCompDirectiveNoFileComp
		}
		return ResultTables(), cobra.ShellCompDirectiveNoFileComp
	case "ALGORITHM":
		return p.algorithms(""), cobra.ShellCompDirectiveNoFileComp
	case "NAME":
		return p.v.Registry.Names(), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// value proposes the values of a flag.
func (p completer) value(c *cobra.Command, f *pflag.Flag, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	names := flags.Choices(f.Name)
	switch {
	case names != nil:
	case f.Name == "algorithm":
		names = p.algorithms(typed)
	case slices.Contains(columnLists, f.Name):
		return p.listOfColumns(c, args, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	case slices.Contains(oneColumn, f.Name):
		names = p.columnsOf(c, args)
	case slices.Contains(relations, f.Name):
		return p.argument(c, "RELATION")
	case slices.Equal(f.Annotations[flags.GroupOf], []string{flags.GroupParams}):
		names = p.paramChoices(c, f.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// algorithms proposes all algorithms, each with what it does, as the next item of the
// list that is typed.
func (p completer) algorithms(typed string) (names []string) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	for _, a := range p.v.Library().Algorithms {
		if !slices.Contains(strings.Split(before, ","), a.Name) {
			names = append(names, before+a.Name+"\t"+a.Summary)
		}
	}
	return names
}

// paramChoices are the values of a parameter of the algorithm that is chosen.
func (p completer) paramChoices(c *cobra.Command, flag string) []string {
	chosen := c.Flags().Lookup("algorithm").Value.String()
	alg, _ := p.v.Library().Find(chosen)
	for _, param := range alg.Params {
		switch {
		case flags.Name(param) != flag:
		case param.Type == framework.BoolParam:
			return []string{"true", "false"}
		default:
			return param.Choices
		}
	}
	return nil
}

// listOfColumns proposes the next item of a list of columns, those before it kept.
func (p completer) listOfColumns(c *cobra.Command, args []string, typed string) (proposals []string) {
	before := ""
	if items := input.SplitColumns(typed); len(items) > 0 {
		before = strings.TrimSuffix(typed, items[len(items)-1])
	}
	for _, name := range p.columnsOf(c, args) {
		if item := input.ColumnItem(name); !slices.Contains(input.SplitColumns(before), item) {
			proposals = append(proposals, before+item)
		}
	}
	return proposals
}

// columnsOf returns the columns of the relation among the arguments; of a run alone,
// those of the relation that it was fitted to.
func (p completer) columnsOf(c *cobra.Command, args []string) []string {
	run, relation := "", ""
	for i, word := range strings.Fields(c.Use)[1:] {
		switch {
		case i >= len(args):
		case strings.Trim(word, "[]") == "RELATION":
			relation = args[i]
		case word == "RUN":
			run = args[i]
		}
	}
	return p.ask(c, func(db *store.DB, ctx context.Context) ([]string, error) {
		if relation == "" && run != "" {
			fit, err := db.LoadModel(ctx, run)
			if err != nil {
				return nil, err
			}
			relation = fit.Source
		}
		if relation == "" {
			return nil, nil
		}
		return db.ColumnNames(ctx, relation)
	})
}

// ask opens the database for reading and asks it for names. Whatever goes wrong, or
// takes too long, it returns none: nobody reads a message while typing.
func (p completer) ask(c *cobra.Command, question func(*store.DB, context.Context) ([]string, error)) []string {
	_ = p.v.Configure(c)
	ctx, cancel := context.WithTimeout(c.Context(), CompletionTime)
	defer cancel()
	answer := make(chan []string, 1)
	go func() {
		var names []string
		defer func() {
			if recover() != nil {
				names = nil
			}
			answer <- names
		}()
		path := p.v.DB
		if strings.HasPrefix(path, ":memory:") {
			path = ""
		}
		db, err := store.Open(ctx, path, store.ReadOnly)
		if err != nil {
			return
		}
		defer func() { _ = db.Close() }()
		names, _ = question(db, ctx)
	}()
	select {
	case names := <-answer:
		return names
	case <-ctx.Done():
		return nil // it ends with the command
	}
}
