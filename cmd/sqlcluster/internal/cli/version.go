package cli

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/sql/duck"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Show the version, and that of DuckDB", Args: help.Takes(),
		RunE: func(*cobra.Command, []string) error { return a.version() }}
}

func (a *app) version() error {
	if !a.Tabular() {
		return a.Write(render.Table{Name: "version",
			Columns: []string{"version", "duckdb", "go", "os", "arch", "kernel", "kernels"},
			Rows: [][]any{{registry.Version(), duck.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
				means.Kernel(), strings.Join(means.Kernels(), " ")}}})
	}
	_, err := fmt.Fprintf(a.Out, "sqlcluster %s\n", versions())
	if a.Flags.Verbose && err == nil {
		_, err = fmt.Fprintf(a.Out, "go %s, %s/%s, kernel %s of %s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH,
			means.Kernel(), strings.Join(means.Kernels(), " "))
	}
	return err
}

// versions are that of sqlcluster, and that of DuckDB, which decides what is read.
func versions() string { return fmt.Sprintf("%s (DuckDB %s)", registry.Version(), duck.Version()) }
