package main

import (
	"path/filepath"
	"testing"
)

// BenchmarkStartToFinish_iris times the whole command, with its plugin process:
// 150 rows of 4 columns.
func BenchmarkStartToFinish_iris(b *testing.B) {
	path, err := filepath.Abs("testdata/reference/skfr/iris/X.csv")
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	for b.Loop() {
		succeed(b, dir, "fit", path, "-a", "skfr", "-k", "3", "--sparsity", "2", "-q")
	}
}
