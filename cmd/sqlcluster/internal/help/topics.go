package help

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// tablesTopic is the topic whose text is made when it is shown.
const tablesTopic = "tables"

// topics are pages of help that belong to no command.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", SuggestFor: []string{"exit", "exitcodes", "codes"}, Short: "What the exit codes mean", Long: exitCodes},
		{Use: tablesTopic, Short: "The result tables and their columns"},
		{Use: "json", Short: "The shape of JSON output", Long: jsonShape},
		{Use: "environment", Short: "Environment variables and configuration files", Long: environment},
	}
}

const exitCodes = `Exit codes:

  0    done
  1    internal error, a file that cannot be read or written, too little memory,
       or --timeout has passed
  2    the command line or the configuration is wrong, whatever the data are: a
       command, flag, algorithm or parameter is unknown, something is missing,
       or a flag has a value that it never takes (-k 0, --sparsity 1.5)
  3    the data are wrong, or do not have what is asked of them: a file, table,
       column or run that is not there, a query that DuckDB refuses, tables that
       --into would replace, more clusters than rows (-k 1000), or a sparsity
       above the number of features
  4    a plugin is missing, has changed since it was added, crashed, hangs, or
       breaks a law (plugin verify)
  5    not converged, with --strict
  129  ended by SIGHUP, 130 by Ctrl-C, 143 by SIGTERM; nothing is half-written
  141  nobody reads the output any more (... | head); what --into asked for is
       written`

const jsonShape = `With -o json a result is one object:

  {"format_version": 1, "TABLE": [{"COLUMN": value, ...}, ...], ...}

fit has the tables fit (one row), clusters, features and assignments, and limits
where clusters are limited; features, assignments and limits have the columns of
NAME_features, NAME_assignments and NAME_limits, and clusters the list top_features
where there are more than 50 features. With --by, models is the first table, and
each of the others begins with the columns of --by. show has the table
that was asked for; predict assignments; path path; tune tune; pairs suggest
suggestions; score scores; runs runs and tables; check columns; plugin list
algorithms; plugin describe parameters; version version; sql an object for each
statement with rows, with the table result. Numbers are exact; what has no value is
null. assignments end with the rows that were left out: their
cluster is null, and status says why.

format_version is the version of this shape. It is raised when a table or column
is removed, renamed or changes its meaning. New ones may be added without that, so
a program should ignore what it does not know.

With -o jsonl every row is an object on its own line, and with -o csv a line; for
fit these are the assignments.`

const environment = `A flag that is not on the command line takes its value from, in this order:

  the variable SQLCLUSTER_FLAG (SQLCLUSTER_MAX_ITER=50 for --max-iter)
  sqlcluster.toml in the working directory (max_iter = 50)
  sqlcluster/config.toml in the user's configuration directory
  its default

The file in the working directory may be somebody else's, so it cannot say what is
written, what SQL is run and where, or allow extensions: into, replace, cpuprofile,
trace, command, file, from, engine, engine_credentials and allow_extensions are
refused there, and a database that it names as db is only read.

SQLCLUSTER_ENGINE_USER and SQLCLUSTER_ENGINE_PASSWORD are the credentials for the
database of --engine. They are not flags: the words of a command line can be read
by others, and are kept by shells. --engine-credentials FILE names a file of the
two lines user=NAME and password=WORD. Neither is ever stored or shown.

Plugins that were added are recorded in sqlcluster/plugins.lock of the same
directory, each with the path, SHA-256 and description of its program.

A variable that is empty counts as not set. NO_COLOR and TERM=dumb switch colors
off. Tables are made to fit a terminal, or the number of characters in COLUMNS;
tables written to a file or a program are complete. TMPDIR says where temporary
files go. SQLCLUSTER_KERNEL chooses the implementation of the hot loops; all give
the same results, and version -v shows the one in use.
sqlcluster show RUN params tells where each value of a run came from.`

// columnNames is how many characters the names of columns take in the topic tables.
const columnNames = 21

// tables describes the result tables from their definitions.
func tables() string {
	var b strings.Builder
	b.WriteString("The result tables of a run NAME:\n")
	hanging := "\n" + strings.Repeat(" ", columnNames)
	for _, table := range schema.Tables() {
		name := "NAME_" + table.Name
		if table.Name == schema.Suggestions {
			name = "TABLE of pairs suggest"
		}
		b.WriteString("\n" + Wrapped(strings.Fields(name+": "+table.Comment), "", Width) + "\n")
		for _, c := range table.Columns {
			c.Name = strings.Replace(c.Name, "{key}", "KEY", 1)
			comment := Wrapped(strings.Fields(c.Comment), "", Width-columnNames)
			b.WriteString("  " + c.Name + strings.Repeat(" ", max(1, columnNames-2-len(c.Name))))
			b.WriteString(strings.ReplaceAll(comment, "\n", hanging) + "\n")
		}
	}
	b.WriteString(`
sqlcluster show RUN TABLE shows each of them, and show RUN params the params of
NAME_fit as a table. predict --into TABLE writes one table, of the columns of
NAME_assignments, and pairs suggest --into TABLE the last one above.
NAME_silhouettes is written by score RUN --rows --into NAME. All tables of a run with
--by begin with its columns.`)
	return b.String()
}

// ResultTables are what show takes: the result tables, and params.
func ResultTables() []string { return append(schema.Names(), "params") }
