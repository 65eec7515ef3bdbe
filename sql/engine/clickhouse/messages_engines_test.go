//go:build engines

package clickhouse_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
)

// as is who asks, in the environment of a command.
func as(user, password string) []string {
	return []string{"SQLCLUSTER_ENGINE_USER=" + user, "SQLCLUSTER_ENGINE_PASSWORD=" + password}
}

// said are what, where and next of an error, and the exit code.
func (o outcome) says(t *testing.T, code int, parts ...string) {
	t.Helper()
	t.Log(o.errs)
	if o.code != code {
		t.Errorf("exit code %d, and not %d", o.code, code)
	}
	for _, part := range append(parts, "error[", "  where: ", "  hint:  ") {
		if !strings.Contains(o.errs, part) {
			t.Errorf("no %q in %s", part, o.errs)
		}
	}
	if strings.Contains(o.errs, "battery") || strings.Contains(o.errs, "goroutine") {
		t.Errorf("it says %s", o.errs)
	}
}

// unused returns an address that nobody listens at.
func unused(t *testing.T) string {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

func TestAServerThatIsNotThereIsSaidSoSoon(t *testing.T) {
	t.Parallel()
	for name, address := range map[string]string{"no port": unused(t), "no host": "no-such-host.invalid:8123"} {
		t.Run(name, func(t *testing.T) {
			must.Get(built())(t)
			began := time.Now()
			o := started(t, t.TempDir(), nil, "fit", "t", "--id", "id", "-k", "3", "--engine", "clickhouse://"+address+"/default").outcome()
			o.says(t, 1, "error[engine-unreachable]: nothing answers at "+address, "8123, not 9000")
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestWhatIsNotClickHouseIsSaidSo(t *testing.T) {
	t.Parallel()
	s := clickhousetest.Start(t, 1)[0]
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }))
	t.Cleanup(page.Close)
	welcome := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w,
			"<html>\n<body>\nhello\n</body></html>")
	}))
	t.Cleanup(welcome.Close)
	for name, c := range map[string]struct{ address, says string }{
		"the port of clickhouse-client": {s.Native, "this is the port of clickhouse-client"},
		"another server":                {page.Listener.Addr().String(), "404 page not found"},
		"a page":                        {welcome.Listener.Addr().String(), "does not speak as ClickHouse does"},
	} {
		t.Run(name, func(t *testing.T) {
			o := started(t, t.TempDir(), nil, "fit", "t", "--id", "id", "-k", "3", "--engine", "clickhouse://"+c.address+"/default").outcome()
			o.says(t, 1, "error[engine-not-clickhouse]", c.says, "8123")
		})
	}
}

func TestWhatIsWrongAtTheServerIsSaidWithWhatToDo(t *testing.T) {
	t.Parallel()
	s := clickhousetest.Start(t, 1)[0]
	s.Do("CREATE DATABASE elsewhere")
	s.Do("CREATE TABLE points ENGINE = Log AS SELECT number AS id, cityHash64(number) % 100 AS a FROM numbers(100)")
	slow := "SELECT number AS id, sleepEachRow(0.01) + number % 7 AS x FROM numbers(1000)"
	many := "SELECT number AS id, cityHash64(number) % 100 AS x FROM numbers(3000000)"
	for name, c := range map[string]struct {
		user, password string
		args, url      string
		code           int
		says           []string
	}{
		"no database": {"anna", clickhousetest.Password, "points", "/nowhere", 3, []string{"database-not-found", "nowhere",
			"SHOW DATABASES"}},
		"no table": {"anna", clickhousetest.Password, "nowhere", "/default", 3, []string{"table-not-found", "nowhere",
			"SHOW TABLES"}},
		"no id": {"anna", clickhousetest.Password, "SELECT a FROM points", "/default", 3, []string{"column-not-found", `"id"`}},
		"no right query": {"anna", clickhousetest.Password, "SELECT FROM points " +
			"WHERE", "/default", 3, []string{"engine-refused", "run the query there"}},
		"no column": {"anna", clickhousetest.Password, "SELECT id, b FROM " +
			"points", "/default", 3, []string{"column-not-found", "identifier: b"}},
		"another password":     {"anna", "battery-staple", "points", "/default", 2, []string{"engine-login", "SQLCLUSTER_ENGINE_PASSWORD"}},
		"no password":          {"anna", "", "points", "/default", 2, []string{"engine-login", "SQLCLUSTER_ENGINE_PASSWORD"}},
		"another user":         {"bob", "battery-staple", "points", "/default", 2, []string{"engine-login", "--engine-credentials"}},
		"no rights":            {"confined", "", "points", "/default", 2, []string{"engine-rights", "allow_databases"}},
		"may give no settings": {"reader", "", "points", "/default", 2, []string{"engine-readonly", "readonly = 2"}},
		"may not write":        {"held", "", "points", "/default", 2, []string{"engine-readonly", "can write assignments"}},
		"no memory":            {"cramped", "", many, "/default?max_threads=1", 1, []string{"engine-memory", "max_memory_usage"}},
		"no time":              {"hurried", "", slow, "/default?max_block_size=10", 1, []string{"engine-timeout", "max_execution_time"}},
		"no such setting":      {"anna", clickhousetest.Password, "points", "/default?no_such=1", 2, []string{"engine-setting", "no_such"}},
		"no such cluster":      {"anna", clickhousetest.Password, "points", "/default?cluster=nowhere", 2, []string{"engine-cluster", "nowhere"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			o := started(t, dir, as(c.user, c.password), "fit", c.args, "--id", "id", "-k", "3", "--restarts", "1", "--db", "runs.duckdb",
				"--into", "r", "--engine", "clickhouse://"+s.Address+c.url).outcome()
			o.says(t, c.code, c.says...)
			if n := s.Do("SELECT count() FROM system.tables WHERE database = 'default' AND startsWith(name, 'r_')"); n != "0" {
				t.Error("there is a table of the run")
			}
		})
	}
}

func TestAUserWhoMayOnlyReadFitsWithoutTables(t *testing.T) {
	t.Parallel()
	s := clickhousetest.Start(t, 1)[0]
	s.Do("CREATE TABLE points ENGINE = Log AS SELECT number AS id, cityHash64(number) % 100 AS a FROM numbers(100)")
	o := started(t, t.TempDir(), as("held", ""), "fit", "points", "--id", "id", "-k", "3", "--restarts", "1", "--engine", s.URL("")).outcome()
	if o.code != 0 || !strings.Contains(o.out, "100 rows") {
		t.Errorf("exit code %d, %s%s", o.code, o.out, o.errs)
	}
}

func TestAServerThatIsBusyIsWaitedForAndThenSaidSo(t *testing.T) {
	t.Parallel()
	s := clickhousetest.Start(t, 1)[0]
	s.Do("CREATE TABLE points ENGINE = Log AS SELECT number AS id, cityHash64(number) % 100 AS a FROM numbers(100)")
	go func() {
		statement := strings.NewReader("SELECT sleepEachRow(1) FROM numbers(600) SETTINGS max_block_size = 1")
		if r, err := http.Post("http://"+s.Address+"/?user=single", "", statement); err == nil { //nolint:noctx // it ends with the server
			_ = r.Body.Close()
		}
	}()
	busy := "SELECT count() FROM system.processes WHERE user = 'single'"
	s.Until(busy, "1", 10*time.Second)
	fit := []string{"fit", "points", "--id", "id", "-k", "3", "--restarts", "1", "--engine", s.URL("?patience=2s")}
	o := started(t, t.TempDir(), as("single", ""), fit...).outcome()
	o.says(t, 1, "error[engine-busy]", "max_concurrent_queries")
	p := started(t, t.TempDir(), as("single", ""), append(fit[:len(fit)-1:len(fit)-1], s.URL("?patience=1m"))...)
	p.until("connecting: waiting for " + s.Address + ": it runs as many statements as it may")
	s.Do("KILL QUERY WHERE user = 'single' ASYNC")
	if o := p.outcome(); o.code != 0 {
		t.Error(o.errs)
	}
}

func TestAShardThatLacksTheTableIsNamed(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	f.servers[1].Do("DROP TABLE face")
	g := f.fit(nil)
	o := g.start("1s").outcome()
	o.says(t, 3, "error[table-not-found]", "face", strings.Split(f.between[1].Address, ":")[1])
	f.slow(0)
	f.servers[1].Kill()
	g = f.fit(nil)
	o = g.start("1s").outcome()
	o.says(t, 1, "error[engine-shard]", "system.clusters")
	if _, err := os.Stat(filepath.Join(f.dir, g.db)); err == nil {
		if _, here := g.left(); len(here) > 0 {
			t.Errorf("tables %q", here)
		}
	}
}
