package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// What many tests begin with is made once, by the command, and then copied.

// inNoTime, in the environment, lets a command wait for a second for an end after
// a signal, and for three for a sign of life of a plugin.
const inNoTime = "SQLCLUSTER_TEST_IN_NO_TIME=1"

func impatient() {
	name, value, _ := strings.Cut(inNoTime, "=")
	if os.Getenv(name) == value {
		process.Patience, registry.Silence = time.Second, 3*time.Second
	}
}

// keptFiles are files by name, with the directory that they were made in as
// placeOf.
var keptFiles = struct {
	sync.Mutex
	of map[string]string
}{of: map[string]string{}}

const placeOf = "\x00directory\x00"

// write writes a file of a directory.
func write(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// once makes a file of a directory, or copies it if it was made before in
// another one.
func once(t *testing.T, what, dir, file string, build func()) {
	t.Helper()
	keptFiles.Lock()
	defer keptFiles.Unlock()
	if text, made := keptFiles.of[what]; made {
		write(t, dir, file, strings.ReplaceAll(text, placeOf, dir))
		return
	}
	build()
	text := must.Get(os.ReadFile(filepath.Join(dir, file)))(t)
	keptFiles.of[what] = strings.ReplaceAll(string(text), dir, placeOf)
}

// added writes a program into a directory, as program does, where it is an added
// plugin then.
func added(t *testing.T, dir, name, role string) (path string) {
	t.Helper()
	path = program(t, dir, name, role)
	once(t, "plugin "+name+" "+role, dir, ".config/sqlcluster/plugins.lock", func() { succeed(t, dir, "plugin", "add", path) })
	return path
}

// opened opens a database for reading, until the test ends.
func opened(t *testing.T, dir, file string) *store.DB {
	t.Helper()
	d := must.Get(store.Open(context.Background(), filepath.Join(dir, file), store.ReadOnly))(t)
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// tableRows returns a table of a run by column name.
func tableRows(t *testing.T, d *store.DB, run, table string) []map[string]any {
	t.Helper()
	columns, rows, err := d.Show(context.Background(), run, table)
	must.Do(t, err)
	all := []map[string]any{}
	for _, row := range rows {
		r := map[string]any{}
		for i, c := range columns {
			r[c] = row[i]
		}
		all = append(all, r)
	}
	return all
}

// columnOf returns a column of a table of a run.
func columnOf(t *testing.T, d *store.DB, run, table, column string) []any {
	t.Helper()
	cells := []any{}
	for _, row := range tableRows(t, d, run, table) {
		cell, has := row[column]
		if !has {
			t.Fatalf("no column %s in %s of %s", column, table, run)
		}
		cells = append(cells, cell)
	}
	return cells
}
