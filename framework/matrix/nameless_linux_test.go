//go:build !portable

package matrix

import (
	"os"
	"testing"
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
	if _, err := f.WriteString("x"); err != nil {
		t.Error(err)
	}
	if again, err := os.Open(pathOf(f)); err != nil {
		t.Error(err)
	} else {
		again.Close()
	}
}
