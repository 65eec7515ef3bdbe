package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/internal/sqltest"
)

// The size at which reading is compared with a bare copy.
const (
	benchRows    = 200_000
	benchColumns = 100
)

// benchFile makes a database with table wide(id, x1…x100).
func benchFile(b *testing.B) *DB {
	b.Helper()
	path := filepath.Join(b.TempDir(), "wide.duckdb")
	var columns []string
	for j := range benchColumns {
		columns = append(columns, fmt.Sprintf("sin(i * %d.0) AS x%d", j+1, j+1))
	}
	made := opened(b, path, duck.ReadWrite,
		fmt.Sprintf("CREATE TABLE wide AS SELECT i AS id, %s FROM range(%d) r(i)", strings.Join(columns, ", "), benchRows), "CHECKPOINT")
	sqltest.Close(b, made)
	return opened(b, path, duck.ReadOnly)
}

func readWide(b *testing.B, db *DB) (free func()) {
	table := must.Get(db.Read(context.Background(), input.Spec{Relation: "wide", ID: "id"}))(b)
	if table.Builder.Rows() != benchRows || len(table.Features) != benchColumns {
		b.Fatalf("%d rows, %d features", table.Builder.Rows(), len(table.Features))
	}
	return func() {
		must.Do(b, table.Close())
	}
}

// copyWide is the least that reading can do: every chunk is copied, column by
// column, into memory of the right size.
func copyWide(b *testing.B, db *DB) (free func()) {
	columns := make([][]float64, benchColumns)
	for j := range columns {
		columns[j] = make([]float64, benchRows)
	}
	seen := 0
	err := db.Stream(context.Background(), "SELECT * EXCLUDE (id) FROM wide", func(c duck.Chunk) error {
		for j := range columns {
			copy(columns[j][seen:], duck.View[float64](c.Column(j), c.Rows))
		}
		seen += c.Rows
		return nil
	})
	if err != nil || seen != benchRows {
		b.Fatal(seen, err)
	}
	return func() { debug.FreeOSMemory() }
}

func BenchmarkRead_200000x100(b *testing.B) {
	db := benchFile(b)
	b.SetBytes(benchRows * benchColumns * 8)
	for b.Loop() {
		readWide(b, db)()
	}
}

func BenchmarkBareCopy_200000x100(b *testing.B) {
	db := benchFile(b)
	b.SetBytes(benchRows * benchColumns * 8)
	for b.Loop() {
		copyWide(b, db)()
	}
}

// BenchmarkReadAgainstBareCopy_200000x100 alternates both and reports the
// ratios: of time, without that of freeing the result, and of peak memory above
// what the process had before.
func BenchmarkReadAgainstBareCopy_200000x100(b *testing.B) {
	db := benchFile(b)
	copyWide(b, db)() // DuckDB's own cache is full from now on
	var times [2]time.Duration
	var peaks [2]int
	for b.Loop() {
		for i, work := range []func(*testing.B, *DB) func(){readWide, copyWide} {
			before := resetPeak()
			began := time.Now()
			free := work(b, db)
			times[i] += time.Since(began)
			peaks[i] = max(peaks[i], peak()-before)
			free()
		}
	}
	b.ReportMetric(float64(times[0])/float64(times[1]), "time-ratio")
	if peaks[1] > 0 {
		b.ReportMetric(float64(peaks[0])/float64(peaks[1]), "memory-ratio")
		b.ReportMetric(float64(peaks[0])/1e6, "MB-read")
		b.ReportMetric(float64(peaks[1])/1e6, "MB-copy")
	}
}

// resetPeak frees what can be freed, forgets the greatest size of the process
// so far, and returns the present size; 0 where Linux is not there to tell.
func resetPeak() int {
	debug.FreeOSMemory()
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return 0
	}
	return status("VmRSS")
}

func peak() int { return status("VmHWM") }

// status returns a size from /proc/self/status, in bytes.
func status(name string) int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n * 1024
}
