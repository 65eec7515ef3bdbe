//go:build !portable

package matrix

import (
	"os"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// To read or write what is mapped of a file that somebody has cut ends the process.
func TestNobodyCanCutTheNumbersOfABoard(t *testing.T) {
	for _, memory := range []bool{true, false} {
		const n = 5000 // more than a page
		b := must.Get(newBoard(n, 8*n, t.TempDir(), memory))(t)
		if memory != (b.Numbers != nil) {
			t.Errorf("in memory %v: numbers are mapped: %v", memory, b.Numbers != nil)
		}
		other := must.Get(os.OpenFile(b.Path(), os.O_RDWR, 0))(t)
		if cut := other.Truncate(0); memory != (cut != nil) {
			t.Errorf("in memory %v: to cut it gives %v", memory, cut)
		}
		want := make([]float64, n)
		want[0], want[n-1] = 1, 2
		must.Do(t, b.Write(want))
		got, done, err := ReadBoard(b.Path(), n)
		must.Do(t, err)
		must.Equal(t, want, got)
		must.Do(t, done())
		must.Do(t, other.Close())
		must.Do(t, b.Close())
	}
}

func TestTheSealedFileOfAMatrixIsReadOnly(t *testing.T) {
	b := must.Get(NewBuilder(2, Options{Storage: File, Dir: t.TempDir()}))(t)
	must.Get(b.Extend(3))(t)
	d := must.Get(b.Seal())(t)
	defer func() { must.Do(t, d.Close()) }()
	info := must.Get(os.Stat(d.Handle().Path))(t)
	if got := info.Mode().Perm(); got != 0o400 { // root may write all the same
		t.Errorf("its mode is %o", got)
	}
	same := must.Get(Open(d.Handle()))(t)
	must.Do(t, same.Close())
}
