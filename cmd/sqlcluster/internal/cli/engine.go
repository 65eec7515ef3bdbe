package cli

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// The engines that rows can stay in.
const (
	engineDuckDB     = "duckdb"
	engineClickHouse = "clickhouse"
)

// checkEngine refuses what is no engine, and what does not go with one. The text of a URL
// may have a password, and is not shown then.
func (a *app) checkEngine() error {
	text := a.Flags.Engine
	wrong := func(format string, args ...any) *framework.Fault {
		return framework.Faultf(framework.Usage, "bad-flag", format, args...).At("engine").
			WithHint("it is %s, or %s://HOST:PORT/DATABASE", engineDuckDB, engineClickHouse)
	}
	if a.Flags.EngineCredentials != "" && (text == "" || text == engineDuckDB) {
		return framework.Faultf(framework.Usage, "bad-flag", "no engine is named that takes credentials").At("engine_credentials").
			WithHint("leave it out, or add --engine %s://HOST:PORT/DATABASE", engineClickHouse)
	}
	if text == "" || text == engineDuckDB {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return wrong("--engine cannot be read as a URL")
	}
	if u.User != nil {
		return wrong("credentials do not belong into --engine: others can read the words of a command line, and shells keep them").
			WithHint("set SQLCLUSTER_ENGINE_USER and SQLCLUSTER_ENGINE_PASSWORD, or name a file with --engine-credentials")
	}
	text, _, more := strings.Cut(text, "?")
	switch {
	case u.Scheme != engineClickHouse:
		f := wrong("--engine is %q, which is no engine", text)
		f.Similar = framework.Closest(strings.ToLower(text), []string{engineDuckDB, engineClickHouse})
		return f
	case u.Hostname() == "" || strings.Trim(u.Path, "/") == "" || strings.Count(strings.Trim(u.Path, "/"), "/") > 0:
		return wrong("--engine is %q; it needs a host and a database", text)
	case more || u.Fragment != "":
		return wrong("--engine has something behind %s, and nothing may follow the database", text)
	}
	return nil
}

// checkNotThere refuses what is only about rows that stay in an engine.
func (a *app) checkNotThere() error {
	if a.Flags.Resume {
		return framework.Faultf(framework.Usage, "bad-flag", "--resume goes on with a fit whose rows stay in an engine, and there is no --engine").
			At("resume").WithHint("add --engine as it was given, or leave out --resume")
	}
	return a.checkEngine()
}

// elsewhere says where the rows are, and where the assignments go: into the database of
// the other tables, where that is the engine.
func (a *app) elsewhere() job.ElsewhereOptions {
	o := job.ElsewhereOptions{Engine: a.Flags.Engine}
	if into := a.Flags.Into; into != "" && o.Engine != engineDuckDB {
		parts := duck.SplitName(into)
		o.AssignTo = parts[len(parts)-1] + "_" + schema.Assignments
	}
	return o
}

// engineCredentials returns user and password: those of the file, or of the environment.
func (a *app) engineCredentials() (user, password string, err error) {
	path := a.Flags.EngineCredentials
	if path == "" {
		return os.Getenv("SQLCLUSTER_ENGINE_USER"), os.Getenv("SQLCLUSTER_ENGINE_PASSWORD"), nil
	}
	wrong := func(what string) error {
		return framework.Faultf(framework.Usage, "bad-credentials", "the file %s %s", path, what).At("engine_credentials").
			WithHint(`it has the lines user = "..." and password = "..."`)
	}
	const most = 1 << 16
	text, err := process.ReadAtMost(path, most)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", wrong("does not exist")
	}
	if err != nil {
		return "", "", wrong("cannot be read")
	}
	var values map[string]string
	if toml.Unmarshal(text, &values) != nil { // whose error would show what is in the file
		return "", "", wrong("is not of names and texts")
	}
	for name := range values {
		if !slices.Contains([]string{"user", "password"}, name) {
			return "", "", wrong("has another name than user and password")
		}
	}
	if values["user"] == "" {
		return "", "", wrong("names no user")
	}
	return values["user"], values["password"], nil
}

// openEngine opens the engine of --engine; tests have others.
var openEngine = (*app).openEngine

// withEngine opens --db, for the tables of a run, and the engine, and lets work use both.
func (a *app) withEngine(ctx context.Context, db *store.DB, work func(rows job.Distant) error) error {
	rows, closing, err := openEngine(a, ctx, db)
	if err != nil {
		return err
	}
	err = work(rows)
	return errors.Join(err, closing())
}
