package lock_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry/lock"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAProjectDemandsHashesAndAddsNoPlugin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sqlcluster.lock")
	none := must.Get(lock.ReadDemands(path))(t) // there is no such file
	must.Do(t, none.Check(plugin("a"), path))

	text := "# plugins of this project\n\n" + digest("0") + "  a\r\n" + digest("1") + "  b-2.c\n"
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	d := must.Get(lock.ReadDemands(path))(t)
	must.Equal(t, lock.Demands{"a": digest("0"), "b-2.c": digest("1")}, d)
	must.Do(t, d.Check(plugin("a"), path)) // whose hash is of zeros
	must.Do(t, d.Check(plugin("c"), path)) // of which it says nothing
	f := framework.AsFault(d.Check(plugin("b-2.c"), path))
	if f == nil || f.Code != "plugin-not-of-the-project" || f.Class != framework.Plugin || f.Where != path ||
		!strings.HasSuffix(f.Details[0], digest("1")) || !strings.HasSuffix(f.Details[1], digest("0")) {
		t.Errorf("%+v", f)
	}
}

func TestADamagedFileOfAProjectDemandsNothingAndSaysWhere(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"no hash":         {"a b\n", "line 1"},
		"half a hash":     {"\n" + digest("0")[:32] + "  a\n", "line 2"},
		"no name":         {digest("0") + "\n", "line 1"},
		"a name and more": {digest("0") + "  a b\n", "line 1"},
		"a bad name":      {digest("0") + "  a;b\n", "line 1"},
		"a plugin twice":  {digest("0") + "  a\n" + digest("1") + "  a\n", "plugin a is there twice"},
		"too much":        {strings.Repeat("#", 1<<20+1), "KiB"},
	} {
		path := filepath.Join(t.TempDir(), "sqlcluster.lock")
		must.Do(t, os.WriteFile(path, []byte(c.text), 0o600))
		d, err := lock.ReadDemands(path)
		if f := framework.AsFault(err); d != nil || f == nil || f.Code != "bad-lock" || f.Where != path || !strings.Contains(f.Summary, c.says) {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
}
