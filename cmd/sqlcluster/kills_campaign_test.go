//go:build campaign && linux

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// The campaign kills the command at random moments, over and over:
//
//	SQLCLUSTER_CAMPAIGN_KILLS=200 SQLCLUSTER_CAMPAIGN_SEED=1 go test -tags campaign -run Campaign -v ./cmd/sqlcluster
//
// The seed decides what is killed and when; the rest is up to the machine.

const killRows = "SELECT i AS id, hash(i) % 1000 AS a, hash(i + 7) % 1000 AS b, i % 3 AS c FROM range(20000) t(i)"

// A victim is a command that is killed.
type victim struct {
	name    string
	fresh   bool // the database is not there before
	args    []string
	took    time.Duration     // when it is not killed
	results map[string]string // tables by name, when it is not killed
}

func victims() []*victim {
	fit := func(more ...string) []string {
		return append([]string{"fit", killRows, "--id", "id", "--db", "runs.duckdb", "--restarts", "2"}, more...)
	}
	return []*victim{
		{name: "fit into a new database", fresh: true, args: fit("-k", "3", "--into", "ours")},
		{name: "fit into a database", args: fit("-k", "3", "--into", "ours")},
		{name: "fit in the place of a run", args: fit("-k", "3", "--into", "old", "--replace")},
		{name: "fit with somebody's plugin", args: fit("-k", "3", "-a", "third", "--into", "ours")},
		{name: "predict", args: []string{"predict", "first", killRows, "--id", "id", "--db", "runs.duckdb", "--into", "labels", "--replace"}},
		{name: "score", args: []string{"score", "first", killRows, "--truth", "c", "--sample", "200", "--db", "runs.duckdb"}},
	}
}

func fromEnvironment(t *testing.T, name string, or int) int {
	text := os.Getenv(name)
	if text == "" {
		return or
	}
	n := must.Get(strconv.Atoi(text))(t)
	return n
}

// A campaign has what all kills begin with.
type campaign struct {
	home   string            // with somebody's plugin, and a database
	before map[string]string // tables of that database
	left   int               // kills that have left something
	wrote  int               // kills after the commit
	ended  int               // commands that had ended before
}

func TestCampaignOfKillsLosesMixesAndLeavesNothing(t *testing.T) {
	t.Parallel()
	kills := fromEnvironment(t, "SQLCLUSTER_CAMPAIGN_KILLS", 12)
	seed := uint64(fromEnvironment(t, "SQLCLUSTER_CAMPAIGN_SEED", 1))
	c := &campaign{home: t.TempDir()}
	succeed(t, c.home, "plugin", "add", program(t, c.home, "third", "right"))
	for _, run := range []string{"first", "old"} {
		succeed(t, c.home, "fit", killRows, "--id", "id", "-k", "2", "--restarts", "1", "--db", "runs.duckdb", "--into", run, "-q")
	}
	c.before = tables(t, c.home)
	all := victims()
	for _, v := range all {
		dir, temp := c.place(t, v)
		began := time.Now()
		c.run(t, v, dir, temp)
		v.took, v.results = time.Since(began), tables(t, dir)
	}
	for i := range kills {
		v := all[i%len(all)]
		r := framework.Rand(seed, "kill", uint64(i))
		after := time.Duration(r.Float64() * 1.1 * float64(v.took))
		group := r.Uint64()%2 == 0
		t.Run(fmt.Sprintf("%d, %s", i, v.name), func(t *testing.T) { c.kill(t, v, i, after, group) })
	}
	t.Logf("%d kills: %d after the commit, %d had ended before; %d left something, which the next start removed", kills, c.wrote, c.ended,
		c.left)
}

// place makes a directory for a victim, and one for its temporary files, whose
// path is short enough for a socket.
func (c *campaign) place(t *testing.T, v *victim) (dir, temp string) {
	dir = t.TempDir()
	temp = must.Get(os.MkdirTemp("", "k"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(temp) })
	if !v.fresh {
		duplicate(t, filepath.Join(c.home, "runs.duckdb"), filepath.Join(dir, "runs.duckdb"))
	}
	return dir, temp
}

func duplicate(t *testing.T, from, to string) {
	must.Do(t, os.WriteFile(to, must.Get(os.ReadFile(from))(t), 0o600))
}

// run runs the whole command.
func (c *campaign) run(t *testing.T, v *victim, dir, temp string, more ...string) {
	args := append(v.args, more...)
	succeeded(t, ended(t, command(t, dir, args...), "HOME="+c.home, "TMPDIR="+temp), args)
}

// kill kills the command after a time, alone or with its plugin, and looks at
// what is there then, and after another start.
func (c *campaign) kill(t *testing.T, v *victim, number int, after time.Duration, group bool) {
	dir, temp := c.place(t, v)
	mark := fmt.Sprintf("SQLCLUSTER_CAMPAIGN_MARK=%d-%d", os.Getpid(), number)
	cmd := command(t, dir, v.args...)
	cmd.Env = append(cmd.Env, "HOME="+c.home, "TMPDIR="+temp, mark)
	must.Do(t, cmd.Start())
	time.Sleep(after)
	if group {
		for _, pid := range marked(mark) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if cmd.ProcessState.Exited() {
		c.ended++
	}
	until(t, "no process is left", func() bool { return len(marked(mark)) == 0 })
	if len(found(t, temp)) > 0 || len(found(t, dir)) > 1 {
		c.left++
		t.Logf("left: %v %v", found(t, temp), found(t, dir))
	}
	c.check(t, v, dir)
	more := []string{}
	if strings.Contains(v.name, "fit") {
		more = append(more, "--replace")
	}
	c.run(t, v, dir, temp, more...)
	if got := tables(t, dir); !same(got, v.results) {
		t.Errorf("another run of the command has not the same results")
	}
	if left := found(t, temp); len(left) > 0 {
		t.Errorf("left after another start: %v", left)
	}
	if left := found(t, dir); len(left) != 1 {
		t.Errorf("left after another start: %v", left)
	}
}

// check looks at a copy of the database that a kill has left: opening it replays
// its log.
func (c *campaign) check(t *testing.T, v *victim, dir string) {
	there := t.TempDir()
	if _, err := os.Stat(filepath.Join(dir, "runs.duckdb")); err != nil {
		if !v.fresh {
			t.Fatal(err)
		}
		if left := found(t, dir); len(left) > 0 && !strings.HasPrefix(left[0], ".sqlcluster-") {
			t.Errorf("without a database there are %v", left)
		}
		return
	}
	for _, name := range []string{"runs.duckdb", "runs.duckdb.wal"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			duplicate(t, filepath.Join(dir, name), filepath.Join(there, name))
		}
	}
	got := tables(t, there)
	switch before := map[bool]map[string]string{true: {}, false: c.before}[v.fresh]; {
	case same(got, v.results) && !same(before, v.results):
		c.wrote++
	case v.fresh:
		t.Error("there is a database, but the results are not all in it")
	case !same(got, before):
		t.Error("the tables are neither those from before nor those of the results")
	}
}

func same(a, b map[string]string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }

// found returns the names of files and directories below a directory.
func found(t *testing.T, dir string) []string {
	var all []string
	must.Do(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if path != dir && err == nil {
			all = append(all, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	}))
	return all
}

// tables returns the hash of each table in the database of a directory: of those
// of runs, but for their times, and of what predict has made.
func tables(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	ctx := context.Background()
	db := must.Get(store.Open(ctx, filepath.Join(dir, "runs.duckdb"), store.ReadOnly))(t)
	defer db.Close()
	runs := must.Get(db.Runs(ctx))(t)
	sum := func(v any) string { return fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, v)))[:12] }
	for _, run := range runs {
		for _, what := range []string{"assignments", "centers", "features", "clusters", "trace", "fit"} {
			all[run.Name+"_"+what] = sum(showRun(t, db, run.Name, what))
		}
	}
	labels, err := db.Read(ctx, input.Spec{Relation: "labels", ID: "id", Exclude: []string{"status"}})
	if f := framework.AsFault(err); f != nil && f.Code == "table-not-found" {
		return all
	}
	must.Do(t, err)
	defer labels.Close()
	v := labels.Builder.Values()
	all["labels"] = sum(v.Row(0)) + sum(v.Row(v.Rows-1)) + strconv.Itoa(v.Rows)
	return all
}

// marked returns the processes that have a variable in their environment.
func marked(variable string) []int {
	var pids []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
		if err == nil && strings.Contains("\x00"+string(text)+"\x00", "\x00"+variable+"\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}
