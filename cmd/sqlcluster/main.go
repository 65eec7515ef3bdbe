// Command sqlcluster clusters the rows of DuckDB relations, and says which few
// columns make the clusters.
package main

import (
	"os"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/cli"
)

func main() {
	cli.Exit(os.Args[1:], os.Stdout, os.Stderr)
}
