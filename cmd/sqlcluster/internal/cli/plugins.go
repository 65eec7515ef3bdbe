package cli

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/sql/duck"
)

func (a *app) pluginCommand() *cobra.Command {
	c := &cobra.Command{Use: "plugin", Short: "List, describe, add and verify plugins", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(
		&cobra.Command{Use: "list", SuggestFor: []string{"ls"}, Short: "List the algorithms and kinds of sets, with their plugins", Args: takes(),
			RunE: func(*cobra.Command, []string) error { return a.pluginList() }},
		&cobra.Command{Use: "describe ALGORITHM", SuggestFor: []string{"show"}, Short: "Describe an algorithm and its parameters, or a kind of sets", Args: takes("ALGORITHM"),
			Example: `  sqlcluster plugin describe skfr`,
			RunE:    func(_ *cobra.Command, args []string) error { return a.pluginDescribe(args[0]) }},
		launches(a.pluginAddCommand()), a.pluginRemoveCommand(), launches(a.pluginVerifyCommand()), a.pluginProtocolCommand())
	return c
}

func (a *app) pluginList() error {
	t := render.Table{Name: "algorithms", Prose: true, Columns: []string{"algorithm", "plugin", "version", "summary"}}
	for _, alg := range algorithms() {
		from := alg.Plugin
		if alg.Local != nil {
			from += " (built in)"
		}
		t.Rows = append(t.Rows, []any{alg.Name, from, alg.Version, alg.Summary})
	}
	tables := []render.Table{t}
	if sets := kindTable(); len(sets.Rows) > 0 {
		tables = append(tables, sets)
	}
	if err := render.Write(a.out, a.settings.output, tables...); err != nil {
		return err
	}
	return added.err
}

func (a *app) pluginDescribe(name string) error {
	isAlgorithm := func(alg algorithm) bool { return alg.Name == name }
	if k := kindOf(name); k != nil && !slices.ContainsFunc(algorithms(), isAlgorithm) {
		return a.describeKind(k)
	}
	alg, err := a.library().Find(name)
	if f := framework.AsFault(err); f != nil && f.Where == framework.Setting("algorithm") {
		return f.WithWhere("ALGORITHM")
	}
	if err != nil {
		return err
	}
	d := alg.Description
	t := render.Table{Name: "parameters", Prose: true, Columns: []string{"parameter", "flag", "type", "default", "values", "meaning"}}
	for _, p := range d.Params {
		var def, values any
		if p.Default != "" {
			def = p.Default
		}
		if p.Required {
			def = "required"
		}
		if p.Values() != "" {
			values = p.Values()
		}
		t.Rows = append(t.Rows, []any{p.Name, flagOf(p), string(p.Type), def, values, p.Doc})
	}
	if a.settings.output == "table" {
		_, _ = fmt.Fprintf(a.out, "%s %s: %s\npaper: %s\nmissing cells: %s; constraints on centers: %s; empty clusters: %s; scale: %s; center: %s%s\n\n",
			d.Name, d.Version, d.Summary, d.Paper, map[bool]string{true: "handled", false: "refused"}[d.Missing], map[bool]string{true: "kept", false: "refused"}[d.Constraints], d.Empty, d.Scale, centerText(d), groupText(d))
	}
	return render.Write(a.out, a.settings.output, t)
}

// groupText says what an algorithm does with categories and groups, and what its
// objective has beside distances, if anything.
func groupText(d framework.Description) string {
	text := ""
	if d.Categorical {
		text += "; text columns: categories"
	}
	if d.Groups {
		text += "; features: selected by group"
	}
	if len(d.ObjectiveTerms) > 0 {
		text += "; objective: sum of distances, " + strings.Join(d.ObjectiveTerms, ", ")
	}
	return text
}

// centerText says which location columns get: "mean, median for loss=l1".
func centerText(d framework.Description) string {
	all := []string{cmp.Or(d.Center, "mean")}
	for _, p := range d.Params {
		for _, value := range slices.Sorted(maps.Keys(p.Center)) {
			all = append(all, fmt.Sprintf("%s for %s=%s", p.Center[value], p.Name, value))
		}
	}
	return joined(all)
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Show the version, and that of DuckDB", Args: takes(),
		RunE: func(*cobra.Command, []string) error { return a.version() }}
}

func (a *app) version() error {
	if a.settings.output != "table" {
		return render.Write(a.out, a.settings.output, render.Table{Name: "version",
			Columns: []string{"version", "duckdb", "go", "os", "arch", "kernel", "kernels"},
			Rows: [][]any{{toolVersion(), duck.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
				means.Kernel(), strings.Join(means.Kernels(), " ")}}})
	}
	_, err := fmt.Fprintf(a.out, "sqlcluster %s\n", versions())
	if a.settings.verbose && err == nil {
		_, err = fmt.Fprintf(a.out, "go %s, %s/%s, kernel %s of %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
			means.Kernel(), strings.Join(means.Kernels(), " "))
	}
	return err
}

// versions are that of sqlcluster, and that of DuckDB, which decides what is read.
func versions() string { return fmt.Sprintf("%s (DuckDB %s)", toolVersion(), duck.Version()) }

// toolVersion is the version of the module that this program was built from.
func toolVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
