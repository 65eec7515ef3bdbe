package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// completionTime is how long a shell waits for names that come from a database or
// a file. What takes longer is not proposed.
var completionTime = time.Second

// columnLists are the flags that take columns, and oneColumn those that take one.
var (
	columnLists = []string{"features", "exclude", "categorical"}
	oneColumn   = []string{"id", "weight", "truth"}
	relations   = []string{"pairs", "groups", "start", "constraints"}
	files       = []string{"db", "cpuprofile", "trace"}
)

// complete makes shells propose the arguments and the values of flags of a command,
// and of its commands, where none are proposed yet.
func (a *app) complete(c *cobra.Command) {
	for _, sub := range c.Commands() {
		a.complete(sub)
	}
	if words := strings.Fields(c.Use)[1:]; len(words) > 0 && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) >= len(words) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.argument(c, strings.Trim(words[len(args)], "[]"))
		}
	}
	for _, set := range []*pflag.FlagSet{c.LocalNonPersistentFlags(), c.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() != "bool" && !slices.Contains(files, f.Name) {
				_ = c.RegisterFlagCompletionFunc(f.Name, a.value(f)) // an error: it has one
			}
		})
	}
}

// withoutBackticks takes from the descriptions of flags the quotes that say how
// help calls their values.
func withoutBackticks(c *cobra.Command) {
	for _, sub := range c.Commands() {
		withoutBackticks(sub)
	}
	for _, set := range []*pflag.FlagSet{c.LocalNonPersistentFlags(), c.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	}
}

// argument proposes what an argument stands for.
func (a *app) argument(c *cobra.Command, word string) ([]string, cobra.ShellCompDirective) {
	switch word {
	case "RUN":
		if c.Name() == "drop" {
			return a.ask(c, (*store.DB).DropNames), cobra.ShellCompDirectiveNoFileComp
		}
		return a.ask(c, (*store.DB).RunNames), cobra.ShellCompDirectiveNoFileComp
	case "RELATION":
		return a.ask(c, (*store.DB).RelationNames), cobra.ShellCompDirectiveDefault // or a file
	case "TABLE":
		return shownTables(), cobra.ShellCompDirectiveNoFileComp
	case "ALGORITHM":
		return completeAlgorithms(c, nil, "")
	case "NAME":
		var names []string
		for _, p := range added.file.Plugins {
			names = append(names, p.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// value proposes the values of a flag.
func (a *app) value(f *pflag.Flag) cobra.CompletionFunc {
	if of := choices(f.Name); of != nil {
		return cobra.FixedCompletions(of, cobra.ShellCompDirectiveNoFileComp)
	}
	switch {
	case slices.Contains(columnLists, f.Name):
		return a.listOfColumns
	case slices.Contains(oneColumn, f.Name):
		return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.columnsOf(c, args), cobra.ShellCompDirectiveNoFileComp
		}
	case slices.Contains(relations, f.Name):
		return func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return a.argument(c, "RELATION")
		}
	case slices.Equal(f.Annotations[groupOf], []string{groupParams}):
		return func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			return paramChoices(c, f.Name), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return cobra.NoFileCompletions
}

// paramChoices are the values of a parameter of the algorithm that is chosen.
func paramChoices(c *cobra.Command, flag string) (values []string) {
	chosen := c.Flags().Lookup("algorithm").Value.String()
	eachAlgorithm(func(_ string, d framework.Description) {
		for _, p := range d.Params {
			switch {
			case d.Name != chosen || flagName(p) != flag:
			case p.Type == framework.BoolParam:
				values = []string{"true", "false"}
			default:
				values = p.Choices
			}
		}
	})
	return values
}

// listOfColumns proposes the next item of a list of columns, those before it kept.
func (a *app) listOfColumns(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := ""
	if items := input.SplitColumns(typed); len(items) > 0 {
		before = strings.TrimSuffix(typed, items[len(items)-1])
	}
	var proposals []string
	for _, name := range a.columnsOf(c, args) {
		if item := input.ColumnItem(name); !slices.Contains(input.SplitColumns(before), item) {
			proposals = append(proposals, before+item)
		}
	}
	return proposals, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// columnsOf returns the columns of the relation among the arguments; of a run alone,
// those of the relation that it was fitted to.
func (a *app) columnsOf(c *cobra.Command, args []string) []string {
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
	return a.ask(c, func(db *store.DB, ctx context.Context) ([]string, error) {
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
// takes too long, there are none: nobody reads a message while typing.
func (a *app) ask(c *cobra.Command, question func(*store.DB, context.Context) ([]string, error)) []string {
	_ = a.configure(c)
	ctx, cancel := context.WithTimeout(c.Context(), completionTime)
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
		path := a.settings.db
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
