//go:build !portable

package matrix

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// A process may be killed at any moment: a file that has a name even for that
// moment can stay.
func TestTheFileOfAMatrixNeverHasAName(t *testing.T) {
	dir := t.TempDir()
	f := nameless(dir)
	if f == nil {
		return // this file system has none; create removes the name at once
	}
	defer f.Close()
	if there, err := os.ReadDir(dir); err != nil || len(there) > 0 {
		t.Errorf("there are %v (%v)", there, err)
	}
	must.Get(f.WriteString("x"))(t)
	if again, err := os.Open(pathOf(f)); err != nil {
		t.Error(err)
	} else {
		again.Close()
	}
}

func TestAFileInThePlaceOfTheTemporaryDirectoryIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	_, err := NewBuilder(1, Options{RowsHint: 1, Storage: File, Dir: file})
	if f := framework.AsFault(err); f == nil || f.Code != "no-storage" ||
		f.Hint != file+" is a file; set TMPDIR to a directory with at least 1 MB free" {
		t.Errorf("%v, %+v", err, f)
	}
}
