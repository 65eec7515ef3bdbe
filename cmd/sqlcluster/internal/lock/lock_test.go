package lock_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/lock"
	"github.com/sqlcluster/sqlcluster/framework"
)

func plugin(name string) lock.Plugin {
	return lock.Plugin{Name: name, Path: "/bin/" + name, SHA256: "00", Algorithms: []framework.Description{{
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
	changed.SHA256 = "11"
	if before, err := f.Put(changed); err != nil || before == nil || before.SHA256 != "00" {
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
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
		t.Errorf("files are left: %v", entries)
	}
}

func TestAFileThatWasSortedOtherwiseIsReadAsAnyOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plugins.lock")
	if err := os.WriteFile(path, []byte(`{"format_version": 1, "plugins": [{"name": "c"}, {"name": "b"}, {"name": "a"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := lock.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"c", "a", "b"} {
		if found, err := f.Remove(name); !found || err != nil {
			t.Errorf("%s is not there: %v", name, err)
		}
	}
}

func TestADamagedFileSaysWhichAndWhatToDo(t *testing.T) {
	for name, text := range map[string]string{
		"no JSON":             "plugins",
		"another format":      `{"format_version": 2}`,
		"a wrong description": `{"format_version": 1, "plugins": [{"name": "a", "algorithms": [{"Name": "A B"}]}]}`,
	} {
		path := filepath.Join(t.TempDir(), "plugins.lock")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := lock.Read(path)
		if f := framework.AsFault(err); f == nil || f.Code != "bad-lock" || f.Where != path || f.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOnlyTheFileThatWasAddedIsRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The example of FIPS 180-2, appendix B.1.
	const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	p := lock.Plugin{Name: "p", Path: path, SHA256: abc}
	if err := p.Verify(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// Of nothing: a value that is widely known.
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	f := framework.AsFault(p.Verify())
	if f == nil || f.Code != "plugin-changed" || f.Class != framework.Plugin || !strings.HasSuffix(f.Details[0], abc) || !strings.HasSuffix(f.Details[1], empty) {
		t.Errorf("%+v", f)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if f := framework.AsFault(p.Verify()); f == nil || f.Code != "plugin-missing" {
		t.Errorf("%+v", f)
	}
}
