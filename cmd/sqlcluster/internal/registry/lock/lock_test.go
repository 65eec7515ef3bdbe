package lock_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry/lock"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// digest is a SHA-256 in form.
func digest(digit string) string { return strings.Repeat(digit, 64) }

func plugin(name string) lock.Plugin {
	return lock.Plugin{Name: name, Path: "/bin/" + name, SHA256: digest("0"), Algorithms: []framework.Description{{
		Name: name, Version: "1", Summary: "s", Empty: framework.Reseed, Scale: "sd", ObjectiveTerms: []string{"a term"},
		Params: []framework.Param{{Name: "size", Type: framework.RealParam, Min: new(0.5), Max: new(2.0), Doc: "d"}},
	}}, Sets: []framework.SetDescription{{
		Kind: name, Version: "2", Summary: "s", Source: "by hand", Uses: []string{"cluster", "value"},
		Example: []framework.ConstraintRow{{Kind: name, Name: "n", Cluster: new(2), Value: new(0.1)}},
	}}}
}

func TestWhatIsPutIsReadBackInAlphabeticalOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "plugins.lock")
	f, err := lock.Read(path)
	if err != nil || len(f.Plugins) != 0 {
		t.Fatalf("no file: %v, %v", f, err)
	}
	for _, name := range []string{"b", "c", "a"} {
		if before, err := f.Put(plugin(name)); err != nil || before != nil {
			t.Fatal(before, err)
		}
	}
	changed := plugin("b")
	changed.SHA256 = digest("1")
	if before, err := f.Put(changed); err != nil || before == nil || before.SHA256 != digest("0") {
		t.Fatal(before, err)
	}
	if found, err := f.Remove("c"); !found || err != nil {
		t.Fatal(found, err)
	}
	if found, err := f.Remove("c"); found || err != nil {
		t.Fatal("removed twice", err)
	}
	again, err := lock.Read(path)
	if want := []lock.Plugin{plugin("a"), changed}; err != nil || !reflect.DeepEqual(again.Plugins, want) {
		t.Errorf("%v, %+v", err, again.Plugins)
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 2 { // itself, and what is locked while it changes
		t.Errorf("files are left: %v", entries)
	}
	if info := must.Get(os.Stat(path))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
}

func TestOfManyThatAddPluginsAtATimeNoneLosesThatOfAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plugins.lock")
	const many = 8
	var all sync.WaitGroup
	for i := range many {
		f := must.Get(lock.Read(path))(t) // before any has been added
		all.Go(func() {
			if _, err := f.Put(plugin(fmt.Sprint("p", i))); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if f := must.Get(lock.Read(path))(t); len(f.Plugins) != many {
		t.Errorf("%d plugins are left of %d", len(f.Plugins), many)
	}
}

func TestAFileThatWasSortedOtherwiseIsReadAsAnyOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plugins.lock")
	var plugins []string
	for _, name := range []string{"c", "b", "a"} {
		plugins = append(plugins, entry(name, "/bin/"+name, digest("0")))
	}
	must.Do(t, os.WriteFile(path, []byte(`{"format_version": 1, "plugins": [`+strings.Join(plugins, ", ")+`]}`), 0o600))
	f := must.Get(lock.Read(path))(t)
	for _, name := range []string{"c", "a", "b"} {
		if found, err := f.Remove(name); !found || err != nil {
			t.Errorf("%s is not there: %v", name, err)
		}
	}
}

// entry is a plugin without algorithms, and file a lock file of entries.
func entry(name, path, sha256 string) string {
	return fmt.Sprintf(`{"name": %q, "path": %q, "sha256": %q}`, name, path, sha256)
}

func file(entries string) string { return `{"format_version": 1, "plugins": [` + entries + `]}` }

func FuzzLock(f *testing.F) {
	path := filepath.Join(f.TempDir(), "plugins.lock")
	first, err := lock.Read(path)
	if err != nil {
		f.Fatal(err)
	}
	if _, err := first.Put(plugin("a")); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(file(entry("b", "/b", digest("0")) + "," + entry("a", "/a", digest("1")))))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "plugins.lock")
		must.Do(t, os.WriteFile(path, text, 0o600))
		read, err := lock.Read(path)
		if err != nil {
			if f := framework.AsFault(err); f == nil || f.Code != "bad-lock" || len(read.Plugins) > 0 {
				t.Errorf("%v", err)
			}
			return
		}
		for _, p := range read.Plugins {
			must.Get(read.Put(p))(t)
		}
		again := must.Get(lock.Read(path))(t)
		must.Equal(t, read.Plugins, again.Plugins, cmpopts.EquateEmpty())
	})
}

func TestADamagedFileSaysWhichAndWhatToDo(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":             "plugins",
		"another format":      `{"format_version": 2}`,
		"a wrong description": file(`{"name": "a", "path": "/a", "sha256": "` + digest("0") + `", "algorithms": [{"Name": "A B"}]}`),
		"no name":             file(entry("", "/a", digest("0"))),
		"a name for a shell":  file(entry("a;b", "/a", digest("0"))),
		"no path":             file(entry("a", "", digest("0"))),
		"a path from here":    file(entry("a", "bin/a", digest("0"))),
		"half a digest":       file(entry("a", "/a", digest("0")[:32])),
		"a digest too long":   file(entry("a", "/a", digest("0")+"0")),
		"no digits":           file(entry("a", "/a", digest("g"))),
		"a plugin twice":      file(entry("a", "/a", digest("0")) + "," + entry("a", "/b", digest("0"))),
		"lists in lists":      file(strings.Repeat("[", 1<<16)),
		"a number too large":  `{"format_version": 1e400}`,
		"nothing":             "",
	} {
		path := filepath.Join(t.TempDir(), "plugins.lock")
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := lock.Read(path)
		if f := framework.AsFault(err); f == nil || f.Code != "bad-lock" || f.Where != path || f.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
