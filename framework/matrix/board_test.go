package matrix_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestOthersReadWhatABoardShows(t *testing.T) {
	b := must.Get(matrix.NewBoard(3, t.TempDir()))(t)
	for _, want := range [][]float64{{1, 2, 3}, {4, 5, 6}} {
		must.Do(t, b.Write(want))
		got, done, err := matrix.ReadBoard(b.Path(), 3)
		must.Do(t, err)
		must.Equal(t, want, got)
		must.Do(t, done())
	}
	_, _, err := matrix.ReadBoard(b.Path(), 4)
	must.Equal(t, "bad-data-handle", framework.AsFault(err).Code)
	must.Do(t, b.Close())
	_, _, err = matrix.ReadBoard(filepath.Join(t.TempDir(), "none"), 1)
	must.Equal(t, "bad-data-handle", framework.AsFault(err).Code)
}

func TestABoardOfAFileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "numbers")
	must.Do(t, os.WriteFile(path, make([]byte, 16), 0o600))
	got, done, err := matrix.ReadBoard(path, 2)
	must.Do(t, err)
	must.Equal(t, []float64{0, 0}, got)
	must.Do(t, done())
}
