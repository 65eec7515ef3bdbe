//go:build engines

package clickhouse_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
)

// The tests of whole fits run the command, as users have it, over a table of two servers,
// and let servers, the command and connections end in the middle of a statement. The law is:
//
//	an error that says what, where and what next, with no table that is not complete; or the
//	result, bit by bit, that the fit has when nothing happens. After an error, the fit goes on
//	to that result.
//
// "In the middle" is an event, and not a time: the statement of a number, or that the
// servers are at it.

// built is the command, which is built once.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "sqlcluster-engines-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "sqlcluster")
	said, err := exec.Command("go", "build", "-o", path, "github.com/sqlcluster/sqlcluster/cmd/sqlcluster").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, said)
	}
	return path, err
})

func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil { // relations are files of examples
		panic(err)
	}
	code := m.Run()
	if path, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// An outcome is what the command has said, and its exit code.
type outcome struct {
	out, errs string
	code      int
}

// said is what a command says while it runs.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// A running is a command that runs.
type running struct {
	t     *testing.T
	cmd   *exec.Cmd
	out   said
	errs  said
	ended chan struct{}
}

// started starts the command in a directory, as the user of a password.
func started(t *testing.T, dir string, environment []string, args ...string) *running {
	t.Helper()
	r := &running{t: t, cmd: exec.Command(must.Get(built())(t), args...), ended: make(chan struct{})}
	r.cmd.Dir = dir
	r.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir(),
		"SQLCLUSTER_ENGINE_USER=" + clickhousetest.User, "SQLCLUSTER_ENGINE_PASSWORD=" + clickhousetest.Password}, environment...)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.errs
	must.Do(t, r.cmd.Start())
	go func() { _ = r.cmd.Wait(); close(r.ended) }()
	t.Cleanup(func() { _ = r.cmd.Process.Kill(); <-r.ended })
	return r
}

// atMost is how long a command may take on a slow machine.
const atMost = 4 * time.Minute

// outcome waits for the end. Nothing that is said has the password in it.
func (r *running) outcome() outcome {
	r.t.Helper()
	select {
	case <-r.ended:
	case <-time.After(atMost):
		_ = r.cmd.Process.Kill()
		<-r.ended
		r.t.Fatalf("%q does not end\n%s", r.cmd.Args, r.errs.String())
	}
	o := outcome{r.out.String(), r.errs.String(), r.cmd.ProcessState.ExitCode()}
	if strings.Contains(o.out+o.errs, clickhousetest.Password) {
		r.t.Errorf("the password is shown:\n%s%s", o.out, o.errs)
	}
	return o
}

// A fleet is two servers with a table over both, what is between them, and a relay before
// the first.
type fleet struct {
	t       *testing.T
	servers []*clickhousetest.Server
	between []*clickhousetest.Proxy
	relay   *clickhousetest.Relay
	dir     string
	runs    int
}

// fleetRows are the rows of each server.
const fleetRows = 300

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, dir: t.TempDir()}
	f.servers, f.between = clickhousetest.StartApart(t, 2)
	f.relay = clickhousetest.NewRelay(t, f.servers[0].Address)
	for i, s := range f.servers {
		s.Do("CREATE TABLE part (id UInt64, a Float64, b Float64, c Float64) ENGINE = MergeTree PARTITION BY tuple() ORDER BY id")
		s.Do(fmt.Sprintf("INSERT INTO part SELECT number * 2 + %d AS id, cityHash64(id, 1) %% 100 + 90 * (id %% 3) AS a, "+
			"cityHash64(id, 2) %% 100 + 80 * (id %% 4) AS b, cityHash64(id, 3) %% 200 AS c FROM numbers(%d)", i, fleetRows))
		s.Do("CREATE TABLE points AS part ENGINE = Distributed(" + clickhousetest.Cluster + ", default, face)")
	}
	f.slow(0)
	return f
}

// slow makes each row take so many seconds to read, on each server.
func (f *fleet) slow(seconds float64) {
	f.t.Helper()
	where := ""
	if seconds > 0 {
		where = fmt.Sprintf(" WHERE sleepEachRow(%g) = 0", seconds)
	}
	for _, s := range f.servers {
		s.Do("KILL QUERY WHERE query LIKE '%face%' AND query NOT LIKE 'KILL%' ASYNC") // of a server that has gone, say
		s.Do("DROP TABLE IF EXISTS face")
		s.Do("CREATE VIEW face AS SELECT * FROM part" + where)
	}
}

// engine is the address that the command has: of the relay, with blocks so small that a slow
// statement can be ended soon.
func (f *fleet) engine(patience string) string {
	return f.relay.URL("?max_block_size=10&preferred_block_size_bytes=0&max_threads=1&patience=" + patience)
}

// A fit is one that something happens to.
type fitting struct {
	*fleet
	name, db string
}

// fit begins with the statements of a fit, and with no tables of it.
func (f *fleet) fit(fates map[int]clickhousetest.Fate) *fitting {
	f.runs++
	f.relay.Begin(fates)
	name := fmt.Sprint("run", f.runs)
	return &fitting{f, name, name + ".duckdb"}
}

// start starts the command.
func (f *fitting) start(patience string, more ...string) *running {
	f.t.Helper()
	args := []string{"fit", "points", "--engine", f.engine(patience), "--id", "id", "-k", "4",
		"--restarts", "2", "--max-iter", "5", "--db", f.db, "--into", f.name}
	return started(f.t, f.dir, nil, append(args, more...)...)
}

// tables returns all rows of the run, which must be complete.
func (f *fitting) tables() string {
	f.t.Helper()
	var parts []string
	for _, what := range []string{"centers", "clusters", "trace", "features"} {
		parts = append(parts, fmt.Sprintf("SELECT '%s' AS what, CAST(x AS VARCHAR) AS cells FROM %s_%[1]s x", what, f.name))
	}
	o := started(f.t, f.dir, nil, "sql", f.db, "-q", "-o", "csv", "-c", strings.Join(parts, " UNION ALL ")+" ORDER BY ALL").outcome()
	if o.code != 0 {
		f.t.Fatal(o.errs)
	}
	return o.out + f.servers[0].Do("SELECT * FROM "+f.name+"_assignments ORDER BY id")
}

// left returns the names of the tables of the run, in the engine and in the database.
func (f *fitting) left() (there, here []string) {
	f.t.Helper()
	there = strings.Fields(f.servers[0].Do("SELECT name FROM system.tables WHERE database = 'default' AND " +
		fmt.Sprintf("substring(name, 1, %d) = '%s_' ORDER BY name", len(f.name)+1, f.name)))
	if _, err := os.Stat(filepath.Join(f.dir, f.db)); err == nil {
		o := started(f.t, f.dir, nil, "sql", f.db, "-q", "-o", "csv", "-c", "SELECT table_name FROM duckdb_tables() ORDER BY 1").outcome()
		here = strings.Fields(o.out)[1:]
	}
	return there, here
}

// whole is a fit that nothing happens to: its statements and its tables, which are the same
// on all fleets.
var whole struct {
	sync.Mutex
	said   []string
	tables string
	took   time.Duration
}

// uninterrupted returns the statements and tables of the fit when nothing happens.
func (f *fleet) uninterrupted() (said []string, tables string) {
	f.t.Helper()
	whole.Lock()
	defer whole.Unlock()
	if whole.said == nil {
		g, began := f.fit(nil), time.Now()
		if o := g.start("30s").outcome(); o.code != 0 {
			f.t.Fatal(o.errs)
		}
		whole.said = f.relay.Said()
		whole.took = time.Since(began)
		whole.tables = g.tables()
	}
	return whole.said, whole.tables
}

// longer is more time than the fit takes when nothing happens.
func (f *fleet) longer() string {
	f.t.Helper()
	f.uninterrupted()
	return (2*whole.took + 5*time.Second).Round(time.Second).String()
}

// The kinds of statements.
var kinds = map[string]*regexp.Regexp{
	"learn":       regexp.MustCompile(`avg\(`),
	"start":       regexp.MustCompile(`reinterpretAsUInt64\(MD5`),
	"pass":        regexp.MustCompile(`r_j, 1, count\(\*\), countIf\(`),
	"end":         regexp.MustCompile(`r_j, 1, count\(\*\), sum`),
	"assignments": regexp.MustCompile(`(?s)^CREATE TABLE .*_assignments__staging_.* AS `),
	"renaming":    regexp.MustCompile(`^RENAME TABLE`),
}

// number returns the number of a statement of a kind: of passes, the third.
func (f *fleet) number(kind string) int {
	f.t.Helper()
	said, _ := f.uninterrupted()
	skip := 0
	if kind == "pass" {
		skip = 2
	}
	for i, s := range said {
		if kinds[kind].MatchString(s) {
			if skip--; skip < 0 {
				return i + 1
			}
		}
	}
	f.t.Fatalf("there is no statement of kind %s in\n%s", kind, strings.Join(said, "\n"))
	return 0
}

// atWork is a condition of the statements of a fit.
const atWork = "SELECT count() > 0 FROM system.processes " +
	"WHERE (query LIKE '%points%' OR query LIKE '%face%') AND query NOT LIKE '%system.processes%'"

// gone fails the test if the statement does not end on both servers, soon.
func (f *fleet) gone() {
	f.t.Helper()
	for _, s := range f.servers {
		s.Until(atWork, "0", 20*time.Second)
	}
}

// inTheMiddle starts a fit, and returns when both servers are at its statement of a kind,
// which takes long enough for whatever is to come.
func (f *fleet) inTheMiddle(kind, patience string, more ...string) (*fitting, *running) {
	f.t.Helper()
	number := f.number(kind)
	g := f.fit(nil)
	stopped := f.relay.Stop(number)
	r := g.start(patience, more...)
	select {
	case text := <-stopped.Reached:
		if !kinds[kind].MatchString(text) {
			f.t.Fatalf("statement %d is %s", number, text)
		}
	case <-r.ended:
		f.t.Fatalf("it ended before statement %d\n%s", number, r.errs.String())
	}
	f.slow(0.2) // a minute, with an end of a block each 2 s
	stopped.Pass(clickhousetest.Fate{})
	for _, s := range f.servers {
		s.Until(atWork, "1", 20*time.Second)
	}
	return g, r
}

// lawful fails the test if what a fit has come to is neither its result nor an error, or if it
// does not go on to its result after an error.
func (f *fitting) lawful(o outcome, errors ...string) {
	f.t.Helper()
	if o.code == 0 {
		f.right()
		return
	}
	said := slices.ContainsFunc(errors, func(e string) bool { return strings.Contains(o.errs, e) })
	if !said || strings.Contains(o.errs, "goroutine") {
		f.t.Errorf("exit code %d, %s", o.code, o.errs)
	}
	there, here := f.left()
	for _, name := range there {
		if !strings.Contains(name, "__") || o.code > 0 && !strings.Contains(o.errs, name) && !strings.Contains(o.errs, "interrupted") {
			f.t.Errorf("table %s is there, and %s", name, o.errs)
		}
	}
	complete := []string{f.name + "_fit", f.name + "_progress", f.name + "_run"}
	if here != nil && len(here) > 0 && !slices.Equal(here, complete) {
		f.t.Errorf("tables %q are there", here)
	}
	f.goOn(slices.Equal(here, complete))
}

// goOn runs the fit again, and fails the test if it has not the result then.
func (f *fitting) goOn(resume bool) {
	f.t.Helper()
	f.relay.Begin(nil)
	var more []string
	if resume {
		more = append(more, "--resume")
	}
	if o := f.start("30s", more...).outcome(); o.code != 0 {
		f.t.Fatalf("it does not go on: %s", o.errs)
	}
	f.right()
}

// right fails the test if the tables are not those of the fit that nothing happens to.
func (f *fitting) right() {
	f.t.Helper()
	_, want := f.uninterrupted()
	if diff := cmp.Diff(want, f.tables()); diff != "" {
		f.t.Errorf("another result: %s", diff)
	}
	there, _ := f.left()
	unnamed := slices.ContainsFunc(there, func(name string) bool { return strings.Contains(name, "__") })
	if !slices.Contains(there, f.name+"_assignments") || unnamed {
		f.t.Errorf("in the engine: %q", there)
	}
}
