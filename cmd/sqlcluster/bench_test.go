package main

import (
	"testing"
)

// BenchmarkStartUp is what a fit costs beside its rows: two processes, a
// database, and the tables of the result.
func BenchmarkStartUp(b *testing.B) {
	dir := b.TempDir()
	write(b, dir, "data.csv", "id,x\n1,0\n2,0.5\n3,7\n4,7.5\n")
	b.Run("version", func(b *testing.B) {
		for b.Loop() {
			served(b, dir, "version")
		}
	})
	b.Run("fit", func(b *testing.B) {
		for b.Loop() {
			served(b, dir, "fit", "data.csv", "--id", "id", "-k", "2", "--restarts", "1", "--db", "out.duckdb", "--into", "run", "--replace")
		}
	})
}
