package matrix_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "github.com/sqlcluster/sqlcluster/internal/draws"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// readerPath, in the environment, makes the test program open that handle and
// print the sum of its cells: it is the other process.
const readerPath = "SQLCLUSTER_TEST_HANDLE"

func TestMain(m *testing.M) {
	if path := os.Getenv(readerPath); path != "" {
		d, err := matrix.Open(matrix.Handle{Path: path, Rows: 10_000, Cols: 3, BlockRows: 4096, Weighted: true})
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		var sum float64
		for b := range d.Blocks() {
			block := d.Block(b)
			for i := range block.X.Rows {
				for _, v := range block.X.Row(i) {
					sum += block.Weight(i) * v
				}
			}
		}
		fmt.Println(sum)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func build(t testing.TB, storage matrix.Storage, rows, cols int) *matrix.Builder {
	t.Helper()
	b := must.Get(matrix.NewBuilder(cols, matrix.Options{Storage: storage, Dir: t.TempDir()}))(t)
	t.Cleanup(func() { _ = b.Discard() })
	for at := 0; at < rows; {
		n := min(777, rows-at) // several growths, the last one partial
		cells := must.Get(b.Extend(n))(t)
		for i := range cells {
			cells[i] = float64(at*cols + i)
		}
		at += n
	}
	return b
}

func TestAnotherProcessReadsTheSameRows(t *testing.T) {
	for _, storage := range []matrix.Storage{matrix.Memory, matrix.File, matrix.Auto} {
		t.Run(string(storage), func(t *testing.T) {
			b := build(t, storage, 10_000, 3)
			must.Do(t, b.SetWeights(slices.Repeat([]float64{2}, 10_000)))
			d := must.Get(b.Seal())(t)
			defer func() { _ = d.Close() }()
			if path := d.Handle().Path; (path == "") != (storage == matrix.Auto) { // 240 000 bytes are a little
				t.Errorf("before anybody asks, the path is %q", path)
			}
			must.Do(t, d.Share())
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), readerPath+"="+d.Handle().Path)
			out, err := cmd.CombinedOutput()
			// Twice the sum of 0…29 999.
			if got, want := strings.TrimSpace(string(out)), fmt.Sprint(float64(29_999*30_000)); err != nil || got != want {
				t.Errorf("the other process says %q (%v), want %s", got, err, want)
			}
		})
	}
}

func TestRowsThatGetMoreThanALittleMoveOutOfPlainMemory(t *testing.T) {
	b := build(t, matrix.Auto, 50_000, 3) // 1.2 MB
	for i, v := range b.Values().Data {
		if v != float64(i) {
			t.Fatalf("cell %d is %g", i, v)
		}
	}
	d := must.Get(b.Seal())(t)
	defer func() { _ = d.Close() }()
	if d.Handle().Path == "" {
		t.Error("they have no path")
	}
}

func TestAHandleThatDoesNotFitIsRefused(t *testing.T) {
	b := build(t, matrix.File, 100, 2)
	d := must.Get(b.Seal())(t)
	defer func() { _ = d.Close() }()
	good := d.Handle()
	cases := map[string]struct {
		change func(*matrix.Handle)
		want   string
	}{
		"more rows than the file has": {func(h *matrix.Handle) { h.Rows = 101 }, "the file has 1600 bytes, but 1616 are needed"},
		"weights it has not":          {func(h *matrix.Handle) { h.Weighted = true }, "the file has 1600 bytes, but 2400 are needed"},
		"no such file":                {func(h *matrix.Handle) { h.Path = "/nonexistent" }, "no such file"},
		"negative rows":               {func(h *matrix.Handle) { h.Rows = -1 }, "-1 rows of 2 columns"},
		"overflowing size":            {func(h *matrix.Handle) { h.Rows = math.MaxInt }, "more than this machine can address"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			h := good
			c.change(&h)
			_, err := matrix.Open(h)
			if err == nil || !strings.Contains(err.Error(), c.want) || framework.AsFault(err) == nil {
				t.Errorf("got %v, want a fault with %q", err, c.want)
			}
		})
	}
}

func TestPermuteEqualsTheNaivePermutation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(rt, "n")
		order := rapid.Permutation(count(n)).Draw(rt, "order")
		b := build(t, matrix.Memory, n, 2)
		defer func() { _ = b.Discard() }()
		weights := make([]float64, n)
		for i := range weights {
			weights[i] = float64(100 + i)
		}
		must.Do(rt, b.SetWeights(weights))
		must.Do(rt, b.Permute(order))
		for i, from := range order {
			want := []float64{float64(2 * from), float64(2*from + 1), float64(100 + from)}
			if diff := cmp.Diff(want, append(append([]float64(nil), b.Values().Row(i)...), b.Weights()[i])); diff != "" {
				rt.Fatalf("row %d: %s", i, diff)
			}
		}
	})
}

func TestNothingIsLeftOfAMatrix(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, b *matrix.Builder) error{
		"discarded": func(_ *testing.T, b *matrix.Builder) error { return b.Discard() },
		"sealed": func(t *testing.T, b *matrix.Builder) error {
			d := must.Get(b.Seal())(t)
			if err := b.Discard(); err != nil { // there is nothing to discard
				t.Error(err)
			}
			must.Do(t, d.Share())
			other := must.Get(matrix.Open(d.Handle()))(t)
			if err := other.Close(); err != nil { // a reader removes nothing
				t.Error(err)
			}
			other = must.Get(matrix.Open(d.Handle()))(t)
			defer func() { _ = other.Close() }()
			return d.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, storage := range []matrix.Storage{matrix.File, matrix.Auto} {
				b := must.Get(matrix.NewBuilder(2, matrix.Options{Storage: storage, Dir: dir}))(t)
				must.Get(b.Extend(10))(t)
				must.Do(t, end(t, b))
				if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
					t.Error(left, err)
				}
			}
		})
	}
}

func TestADirectoryThatDoesNotExistIsNamed(t *testing.T) {
	_, err := matrix.NewBuilder(1000, matrix.Options{RowsHint: 1000, Storage: matrix.File, Dir: "/nonexistent"})
	want := "/nonexistent does not exist; set TMPDIR to a directory with at least 8 MB free"
	if f := framework.AsFault(err); f == nil || f.Code != "no-storage" || f.Hint != want {
		t.Errorf("%+v", f)
	}
}

func count(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	return order
}

func TestBlocksCoverTheRowsInOrder(t *testing.T) {
	for _, rows := range []int{0, 1, 63, 64, 65, 4096, 10_000} {
		for _, cols := range []int{1, 32, 100, 5000} {
			d := matrix.FromMatrix(framework.NewMatrix(rows, cols), nil, 0)
			at := 0
			for i := range d.Blocks() {
				b := d.Block(i)
				if b.Index != i || b.Row0 != at || b.X.Rows == 0 || b.X.Rows*cols*8 > 1<<20 && b.X.Rows > 64 {
					t.Fatalf("%d×%d: block %d is %d rows from %d", rows, cols, i, b.X.Rows, b.Row0)
				}
				at += b.X.Rows
			}
			if at != rows {
				t.Fatalf("%d×%d: the blocks have %d rows", rows, cols, at)
			}
		}
	}
}

func BenchmarkExtendAndSeal(b *testing.B) {
	b.SetBytes(200_000 * 100 * 8)
	for b.Loop() {
		m := must.Get(matrix.NewBuilder(100, matrix.Options{RowsHint: 200_000}))(b)
		for range 100 {
			cells := must.Get(m.Extend(2000))(b)
			for i := range cells {
				cells[i] = 1
			}
		}
		d := must.Get(m.Seal())(b)
		_ = d.Close()
	}
}
