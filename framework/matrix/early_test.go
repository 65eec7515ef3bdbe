package matrix_test

import (
	"hash/crc32"
	"math"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// TestSumsThatAreTakenEarlyAreThoseTakenLater fills rows in chunks of any order on two
// goroutines, with missing cells, weights, and rows that move or change afterwards.
func TestSumsThatAreTakenEarlyAreThoseTakenLater(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 100, 4095, 4096, 4097, 9000, 12288}).Draw(t, "rows")
		p := rapid.SampledFrom([]int{1, 5, 20, 50, 64, 65}).Draw(t, "columns")
		missing := rapid.SampledFrom([]int{0, 0, 1, n}).Draw(t, "rows from which cells are missing")
		weighted, norm := rapid.Bool().Draw(t, "weighted"), rapid.SampledFrom([]string{"", matrix.L2}).Draw(t, "norm")
		backwards := rapid.Bool().Draw(t, "the first row comes last")
		then := rapid.SampledFrom([]string{"", "permute", "write", "truncate"}).Draw(t, "then")
		fill := func(early bool) (*matrix.Builder, []uint32) {
			b := must.Get(matrix.NewBuilder(p, matrix.Options{}))(t)
			cells := must.Get(b.Extend(n))(t)
			if early {
				b.SumEarly(weighted)
			}
			random := framework.Rand(3, "early")
			for i := range cells {
				if cells[i] = 1e6 + random.NormFloat64(); i/p >= n-missing && i%7 == 0 {
					cells[i] = math.NaN()
				}
			}
			if early {
				fillChunks(b, n, backwards)
			}
			switch then {
			case "permute":
				order := count(n)
				order[0], order[n-1] = order[n-1], order[0]
				must.Do(t, b.Permute(order))
			case "write":
				b.Values().Data[0] = 5
			case "truncate":
				b.Truncate(max(1, n/2))
			}
			if weighted {
				must.Do(t, b.SetWeights(ascending(b.Rows())))
			}
			var sums []uint32
			for i := range b.Pieces() {
				sum, cells := b.Checksum(i)
				own := b.Cells().Slice(i*4096, min((i+1)*4096, b.Rows())).Data
				if want := crc32.Checksum(bytesOf(own), crc32.MakeTable(crc32.Castagnoli)); sum != want || cells != len(own) {
					t.Fatalf("piece %d: %x of %d cells, want %x of %d", i, sum, cells, want, len(own))
				}
				sums = append(sums, sum)
			}
			return b, sums
		}
		prepared := func(early bool) (framework.Problem, []framework.Column, []uint32, string) {
			b, sums := fill(early)
			s := matrix.Scaling{Center: "mean", Scale: "sd", Norm: norm}
			sources := make([]matrix.Source, p)
			for l := range sources {
				sources[l].Name = string(rune('a'+l%26)) + string(rune('a'+l/26))
			}
			data, _, problem, err := matrix.Prepare(b, sources, s, nil)
			if err != nil {
				return problem, nil, sums, err.Error()
			}
			must.Do(t, data.Close())
			return problem, problem.Columns, sums, ""
		}
		_, want, wantSums, wantFault := prepared(false)
		_, got, sums, fault := prepared(true)
		if d := cmp.Diff(want, got); d != "" || wantFault != fault {
			t.Fatalf("columns (%q, %q): %s", wantFault, fault, d)
		}
		if d := cmp.Diff(wantSums, sums); d != "" {
			t.Fatalf("checksums: %s", d)
		}
	})
}

// fillChunks says on two goroutines that chunks of n rows are there.
func fillChunks(b *matrix.Builder, n int, backwards bool) {
	const chunk = 2048
	chunks := (n + chunk - 1) / chunk
	var work sync.WaitGroup
	for w := range 2 {
		work.Go(func() {
			for i := w; i < chunks; i += 2 {
				c := i
				if backwards {
					c = chunks - 1 - i
				}
				b.Filled(c*chunk, min((c+1)*chunk, n))
			}
		})
	}
	work.Wait()
}

func ascending(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = float64(1 + i%3)
	}
	return w
}

func bytesOf(cells []float64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(cells))), 8*len(cells))
}
