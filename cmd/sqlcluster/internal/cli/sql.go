package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/summary"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/query"
	"github.com/sqlcluster/sqlcluster/sql/session"
)

// A sqlRun is one run of the command sql.
type sqlRun struct {
	*app
	command, file string // the flags
	limit         int
	remedy        string // how all rows of a result are seen
	shown         bool   // there was a result before
	progress      progressLine

	cancel atomic.Pointer[context.CancelFunc] // of the statement of a prompt
}

func (a *app) sqlCommand() *cobra.Command {
	r := &sqlRun{app: a, remedy: summary.AllRows}
	r.progress.begin = func(stage string) *render.Progress { return a.Progress(stage) }
	c := &cobra.Command{
		Use:        "sql [FILE]",
		SuggestFor: []string{"query", "shell", "duckdb", "exec"},
		Short:      "Run SQL in a database",
		Long: `Run SQL statements, one after the other, in the DuckDB database FILE (or --db). It
is made with the first commit if it does not exist. Without a file, a private
temporary database is used. The statements are those of -c, of the script -f, or of
standard input; at a terminal there is a prompt for them, with a history, proposals
on Tab, and .help. The first error ends the run; what was committed before stays, and
a transaction that is open at the end is rolled back.
Functions fit and predict: FROM cluster_fit(customers, 'id', k := 3) returns a fit,
and FROM cluster(customers, 'id', k := 3) the rows with their clusters. They are
described in docs/sql-functions.md.
Rows are written as they are made, so that a result may be of any size. With
-o table the first 1000 rows of each result are shown, with every other format all
of them; --limit changes that. With -o json each result is an object of its own,
and with -o jsonl, csv and markdown the results follow one another.`,
		Example: `  sqlcluster sql shop.duckdb -c "SELECT count(*) FROM customers"
  sqlcluster sql shop.duckdb -f report.sql -o csv
  sqlcluster sql -c "SUMMARIZE FROM 'wine.csv'"
  sqlcluster sql -c "FROM cluster('wine.csv', 'id', k := 3)" -o csv`,
		Args: help.Takes("[FILE]"),
		RunE: func(c *cobra.Command, args []string) error { return r.run(c.Context(), args) },
	}
	c.Flags().StringVarP(&r.command, "command", "c", "", "`statements` to run, separated by semicolons")
	c.Flags().StringVarP(&r.file, "file", "f", "", "`script` to run; - is standard input")
	c.Flags().IntVar(&r.limit, "limit", summary.ShownRows,
		"maximum `number` of rows of a result to show; 0: all (formats other than table show all unless it is given)")
	flags.In(c.Flags(), flags.GroupInput, "command", "file")
	flags.In(c.Flags(), flags.GroupOutput, "limit")
	return c
}

func (r *sqlRun) run(ctx context.Context, args []string) error {
	if r.command != "" && r.file != "" {
		return framework.Faultf(framework.Usage, "bad-flag", "--command and --file cannot go together").
			At("file").WithHint("leave out one of them")
	}
	if _, err := r.rowLimit(r.limit); err != nil {
		return err
	}
	if err := r.nameDatabase(args); err != nil {
		return err
	}
	keyboard, screen := r.terminal()
	var name, text string
	if keyboard == nil {
		var err error
		if name, text, err = r.script(ctx); err != nil {
			return err
		}
	}
	s, err := r.openSession(ctx, len(args) > 0)
	switch {
	case err != nil:
		return err
	case keyboard != nil:
		err = r.converse(ctx, s, keyboard, screen)
	default:
		err = r.runScript(ctx, s, name, query.Split(text))
	}
	return errors.Join(err, r.end(s))
}

// nameDatabase makes FILE the database.
func (r *sqlRun) nameDatabase(args []string) error {
	if len(args) == 0 {
		return nil
	}
	if _, err := os.Stat(args[0]); err != nil && query.IsStatement(args[0]) {
		return framework.Faultf(framework.Usage, "bad-flag", "%q is a statement, and FILE is a database", args[0]).WithWhere("FILE").
			WithHint("statements go after -c: sqlcluster sql -c %s", framework.ShellWord(args[0]))
	}
	if r.Flags.DB != "" && r.Flags.IsGiven("db") {
		return framework.Faultf(framework.Usage, "bad-flag", "there are two databases, %s and --db %s", args[0], r.Flags.DB).
			At("db").WithHint("name one; a second can be attached in SQL: ATTACH 'FILE'")
	}
	r.Flags.SetDB(args[0])
	return nil
}

// openSession opens the database; asFile says that it was named as FILE.
func (r *sqlRun) openSession(ctx context.Context, asFile bool) (*session.Session, error) {
	s, err := session.Open(ctx, r.Flags.DB, session.Options{Extensions: r.Flags.AllowExtensions, ReadOnly: r.Flags.MayWrite(),
		Library: r.Flags.Library(), Progress: r.progress.functions()})
	if f := framework.AsFault(err); f != nil && asFile && f.Where == framework.Setting("db") {
		return nil, f.WithWhere("FILE")
	}
	return s, err
}

// end closes the session.
func (r *sqlRun) end(s *session.Session) error {
	if s.Transacting() {
		r.Note("note: the transaction was open at the end, so it was rolled back")
	}
	return s.Close()
}

// script reads the statements, and says where they come from.
func (r *sqlRun) script(ctx context.Context) (name, text string, err error) {
	from := r.in
	switch {
	case r.command != "":
		return "-c", r.command, nil
	case r.file == "" || r.file == "-":
		name = "standard input"
	default:
		name = r.file
		file, err := os.Open(name)
		if err != nil {
			return "", "", unreadable(name, err)
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	type outcome struct {
		text []byte
		err  error
	}
	read := make(chan outcome, 1)
	go func() { // which a pipe may hold up for ever
		text, err := io.ReadAll(from)
		read <- outcome{text, err}
	}()
	select {
	case <-ctx.Done():
		return "", "", ctx.Err()
	case got := <-read:
		if got.err != nil {
			return "", "", unreadable(name, got.err)
		}
		if at := strings.IndexByte(string(got.text), 0); at >= 0 || !utf8.Valid(got.text) {
			return "", "", framework.Faultf(framework.Data, "script-not-text", "the script is not UTF-8 text").WithWhere("%s", name)
		}
		return name, string(got.text), nil
	}
}

// unreadable is the fault of a script that cannot be read.
func unreadable(name string, err error) error {
	f := framework.Faultf(framework.Internal, "file-unreadable", "cannot read the script %s", name).At("file")
	if errors.Is(err, fs.ErrNotExist) {
		f = framework.Faultf(framework.Data, "file-not-found", "there is no script %s", name).At("file")
		f.Similar = duck.SimilarFile(name)
		return f
	}
	if f.Err = err; errors.As(err, new(*fs.PathError)) {
		f.Err = errors.Unwrap(err) // the path has been said
	}
	return f
}

// runScript runs statements until one fails.
func (r *sqlRun) runScript(ctx context.Context, s *session.Session, name string, all []query.Statement) error {
	for i, statement := range all {
		run := r.statement
		if strings.HasPrefix(statement.Text, ".") {
			run = func(ctx context.Context, s *session.Session, text string) error {
				return r.dotCommand(ctx, s, strings.Fields(text))
			}
		}
		err := run(ctx, s, statement.Text)
		if err == nil {
			continue
		}
		if i > 0 {
			r.unfinished = fmt.Sprintf("statement %d of %d did not finish; those before it did", i+1, len(all))
		}
		place := fmt.Sprintf("%s, line %d, statement %d of %d: %s", name, statement.Line, i+1, len(all), beginning(statement.Text))
		return placed(err, place)
	}
	return nil
}

// placed says in which statement something is wrong.
func placed(err error, place string) error {
	f := framework.AsFault(err)
	if f == nil {
		return err
	}
	in := *f
	if in.Where == "" {
		in.Where = place
	} else {
		in.Details = append(in.Details, place)
	}
	return &in
}

// statement runs one statement, and shows its result or what it has done.
func (r *sqlRun) statement(ctx context.Context, s *session.Session, text string) error {
	limit, err := r.rowLimit(r.limit)
	if err != nil {
		return err
	}
	rows := false
	defer r.progress.end()
	done, err := s.Run(ctx, text, func(result duck.Result) error {
		r.progress.end()
		if r.shown && (r.Tabular() || r.Flags.Output == "markdown") {
			fmt.Fprintln(r.Out)
		}
		r.shown, rows = true, true
		return r.ShowResult(result, limit, r.remedy)
	})
	r.progress.end()
	if err != nil || rows {
		return err
	}
	what := "done"
	if done.Counted {
		what = input.Counted(int(done.Rows), "row", "rows")
	}
	r.Note("%s: %s", beginning(text), what)
	return nil
}

// beginning returns the first words of a statement.
func beginning(text string) string {
	const most = 40
	words := strings.Join(strings.Fields(text[:min(len(text), 8*most)]), " ")
	if runes := []rune(words); len(runes) > most {
		words = string(runes[:most]) + "…"
	}
	return render.Safe(words)
}
