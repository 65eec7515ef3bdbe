package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/internal/version"
	"github.com/sqlcluster/sqlcluster/sql/duck"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Show the version, and that of DuckDB", Args: help.Takes(),
		RunE: func(*cobra.Command, []string) error { return a.version() }}
}

func (a *app) version() error {
	v := version.Current()
	if !a.Tabular() {
		return a.Write(render.Table{Name: "version",
			Columns: []string{"version", "duckdb", "go", "os", "arch", "kernel", "kernels", "commit", "date", "changed"},
			Rows: [][]any{{v.Name, duck.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
				means.Kernel(), strings.Join(means.Kernels(), " "), known(v.Commit), known(v.Date), v.Changed}}})
	}
	_, err := fmt.Fprintf(a.Out, "sqlcluster %s\n", versions())
	if a.Flags.Verbose && err == nil {
		_, err = fmt.Fprintf(a.Out, "go %s, %s/%s, kernel %s of %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
			means.Kernel(), strings.Join(means.Kernels(), " "))
	}
	return err
}

// known is a text, or NULL if it is empty.
func known(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// versions are that of sqlcluster, with where it is from, and that of DuckDB, which decides
// what is read.
func versions() string {
	v := version.Current()
	of := "DuckDB " + duck.Version()
	if origin := v.Origin(); origin != "" {
		of = origin + "; " + of
	}
	return fmt.Sprintf("%s (%s)", v.Name, of)
}
