//go:build campaign && linux

package export_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/export"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// A server is a PostgreSQL of its own, which only this test can reach: it listens at a
// socket in its directory.
type server struct {
	t    *testing.T
	dir  string
	user *syscall.Credential // nil: the one of the test
}

// serve starts a server until the end of the test. PostgreSQL does not run as root.
func serve(t *testing.T) *server {
	t.Helper()
	s := &server{t: t, dir: must.Get(os.MkdirTemp("", "pg"))(t)} // the names of sockets are short
	t.Cleanup(func() { must.Do(t, os.RemoveAll(s.dir)) })
	if os.Getuid() == 0 {
		u := must.Get(user.Lookup("postgres"))(t)
		id, group := must.Get(strconv.Atoi(u.Uid))(t), must.Get(strconv.Atoi(u.Gid))(t)
		s.user = &syscall.Credential{Uid: uint32(id), Gid: uint32(group)}
		must.Do(t, os.Chown(s.dir, id, group))
	}
	data := filepath.Join(s.dir, "data")
	s.run("", s.program("initdb"), "-D", data, "-U", "test", "-A", "trust", "--no-sync", "-E", "UTF8", "--locale=C")
	s.run("", s.program("pg_ctl"), "-D", data, "-w", "-l", filepath.Join(s.dir, "log"), "-o", "-F -h '' -k "+s.dir, "start")
	t.Cleanup(func() { s.run("", s.program("pg_ctl"), "-D", data, "-w", "-m", "immediate", "stop") })
	return s
}

// program finds a program of the newest server; Debian has them outside of PATH.
func (s *server) program(name string) string {
	s.t.Helper()
	found := must.Get(filepath.Glob("/usr/lib/postgresql/*/bin/" + name))(s.t)
	if len(found) == 0 {
		s.t.Fatalf("%s is missing: SQL for PostgreSQL is run by it. Install postgresql.", name)
	}
	return found[len(found)-1]
}

func (s *server) run(in, program string, args ...string) string {
	s.t.Helper()
	c := exec.Command(program, args...) //nolint:gosec // of Debian
	c.Stdin, c.Dir, c.SysProcAttr = strings.NewReader(in), s.dir, &syscall.SysProcAttr{Credential: s.user}
	out := &strings.Builder{}
	c.Stdout, c.Stderr = out, out
	if err := c.Run(); err != nil {
		s.t.Fatalf("%s %q: %v\n%.2000s", program, args, err, out)
	}
	return out.String()
}

// sql runs a script, and returns the rows of its queries.
func (s *server) sql(script string) string {
	s.t.Helper()
	return s.run(script, "psql", "-h", s.dir, "-U", "test", "-d", "postgres", "-X", "-q", "-A", "-t", "-F", ",", "-v", "ON_ERROR_STOP=1")
}

// load copies a relation of DuckDB to the table new_rows, and removes all else.
func (s *server) load(db *store.DB, relation string) {
	s.t.Helper()
	must.Do(s.t, db.Exec(s.t.Context(), "CREATE OR REPLACE TEMP VIEW copied AS "+relation))
	rows := must.Get(db.Rows(s.t.Context(), "SELECT column_name FROM (DESCRIBE copied)"))(s.t)
	var columns, values []string
	for _, r := range rows {
		name := `"` + strings.ReplaceAll(r[0].(string), `"`, `""`) + `"`
		kind, value := "double precision", name
		switch name {
		case `"plan"`:
			kind = "text"
		case `"Select"`:
			kind = "boolean"
		case `"x"`:
			kind, value = "double precision[]", `translate("x"::VARCHAR, '[]', '{}') AS "x"`
		}
		columns, values = append(columns, name+" "+kind), append(values, value)
	}
	path := filepath.Join(s.dir, "rows.csv")
	must.Do(s.t, db.Exec(s.t.Context(), "COPY (SELECT "+strings.Join(values, ", ")+" FROM copied) TO '"+path+"' (HEADER false)"))
	must.Do(s.t, os.Chmod(path, 0o644))
	s.sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE new_rows (" + strings.Join(columns,
		", ") + ");\n\\copy new_rows FROM '" + path + "' CSV\n")
}

// labels compares a query of id, cluster and distance with predict.
func (s *server) labels(f fitting, want map[string]labelled, query string) int {
	s.t.Helper()
	lines := strings.Split(strings.TrimSpace(s.sql("SELECT id, cluster, distance FROM ("+query+") AS labelled;\n")), "\n")
	return f.check(s.t, want, func(i int) (string, int, float64) {
		cells := strings.Split(lines[i], ",")
		if cells[1] == "" {
			return cells[0], -1, 0
		}
		return cells[0], must.Get(strconv.Atoi(cells[1]))(s.t), must.Get(strconv.ParseFloat(cells[2], 64))(s.t)
	}, len(lines))
}

var signature = regexp.MustCompile(`(?m)^CREATE OR REPLACE FUNCTION \S+\((.*)\) RETURNS`)

// called returns the query that calls the functions of a script.
func called(t *testing.T, script string) string {
	t.Helper()
	of := signature.FindStringSubmatch(script)
	if of == nil {
		t.Fatal(script)
	}
	var args []string
	for _, a := range strings.Split(of[1], ", ") {
		end := strings.LastIndex(a, `" `) + 1
		args = append(args, "CAST("+a[:end]+" AS "+a[end+1:]+")")
	}
	list := "(" + strings.Join(args, ", ") + ")"
	return "SELECT id, m_cluster" + list + " AS cluster, m_distance" + list + " AS distance FROM new_rows"
}

func TestPostgreSQLGivesThePredictionOfEveryAlgorithm(t *testing.T) {
	db, s := ready(t), serve(t)
	for name, f := range fits {
		t.Run(name, func(t *testing.T) {
			s := &server{t: t, dir: s.dir, user: s.user}
			m := f.model(t, db)
			want := f.predicted(t, db, m)
			s.load(db, f.relation())
			o := export.Options{Dialect: export.PostgreSQL, From: "new_rows", Distance: true, Unseen: f.unseen}
			ties := s.labels(f, want, strings.TrimSuffix(text(t, m, o), ";\n"))
			o.As, o.From = export.Macro, ""
			script := text(t, m, o)
			s.sql(script)
			ties += s.labels(f, want, called(t, script))
			t.Logf("%d of %d labels differ, where two centers are equally near", ties, 2*len(want))
		})
	}
}

// A thousand clusters of a hundred columns are more than databases can plan as one
// expression.
func TestALargeModelGivesThePredictionInEveryDatabase(t *testing.T) {
	db, s := ready(t), serve(t)
	columns := ""
	for l := range 100 {
		columns += fmt.Sprintf(", hash(i * 128 + %d) %% 1000 / 7 AS v%d", l, l)
	}
	must.Do(t, db.Exec(t.Context(), "CREATE TABLE wide AS SELECT i AS id"+columns+" FROM range(1200) t(i)"))
	f := fitting{from: "wide"}
	f.s.K = 1000
	m := f.model(t, db)
	want := f.predicted(t, db, m)
	o := export.Options{From: "wide", Distance: true}
	began := time.Now()
	ties := labels(t, db, f, want, strings.TrimSuffix(text(t, m, o), ";\n"))
	t.Logf("DuckDB: %d labels differ, %.1f s", ties, time.Since(began).Seconds())
	s.load(db, "FROM wide")
	o.Dialect, o.From, began = export.PostgreSQL, "new_rows", time.Now()
	ties = s.labels(f, want, strings.TrimSuffix(text(t, m, o), ";\n"))
	t.Logf("PostgreSQL: %d labels differ, %.1f s", ties, time.Since(began).Seconds())
}

// million are rows of 10 numbers that lie around 8 points.
var million = fitting{from: "FROM many LIMIT 20000", rows: "FROM many"}

const many = `CREATE TABLE many AS SELECT i AS id, ` +
	`COLUMNS(lambda c: c LIKE 'x%') FROM (SELECT i, ` +
	`hash(i * 16 + 1) % 1000 / 100 + i % 2 * 7 AS x1, hash(i * 16 + 2) % 1000 / 100 + i // 2 % 2 * 7 AS x2, ` +
	`hash(i * 16 + 3) % 1000 / 100 + i // 4 % 2 * 7 AS x3, if(i % 17 = 0, NULL, hash(i * 16 + 4) % 1000 / 100) AS x4, ` +
	`hash(i * 16 + 5) % 9 AS x5, hash(i * 16 + 6) % 9 AS x6, hash(i * 16 + 7) % 9 AS x7, hash(i * 16 + 8) % 9 AS x8, ` +
	`hash(i * 16 + 9) % 9 AS x9, if(i % 19 = 0, NULL, hash(i * 16 + 10) % 9) AS x10 FROM range(1000000) t(i))`

func TestAMillionRowsGetThePredictionInEveryDatabase(t *testing.T) {
	db, s := ready(t), serve(t)
	must.Do(t, db.Exec(t.Context(), many))
	f := million
	f.s.K = 8
	m := f.model(t, db)
	took := func(what string, of func() int) {
		began := time.Now()
		ties := of()
		t.Logf("%s: %d labels differ, %.1f s", what, ties, time.Since(began).Seconds())
	}
	var want map[string]labelled
	took("predict", func() int { want = f.predicted(t, db, m); return 0 })
	o := export.Options{From: "many", Distance: true}
	took("DuckDB", func() int { return labels(t, db, f, want, strings.TrimSuffix(text(t, m, o), ";\n")) })
	s.load(db, f.rows)
	o.Dialect, o.From = export.PostgreSQL, "new_rows"
	took("PostgreSQL", func() int { return s.labels(f, want, strings.TrimSuffix(text(t, m, o), ";\n")) })
	o.As, o.From = export.Macro, ""
	script := text(t, m, o)
	s.sql(script)
	took("PostgreSQL, functions", func() int { return s.labels(f, want, called(t, script)) })
}
