//go:build !portable

package matrix_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/clustertest"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

// mappings returns how many mappings of memory files this process has.
func mappings(t *testing.T) int {
	t.Helper()
	return strings.Count(string(must.Get(os.ReadFile("/proc/self/maps"))(t)), "/memfd:sqlcluster")
}

func TestRowsThatWereMappedAheadAreThoseOfOpenAndSeeWhatHasChangedSince(t *testing.T) {
	defer matrix.DropAhead()
	had := mappings(t)
	b := build(t, matrix.Memory, 100_000, 3)
	matrix.MapAhead(t.Context(), b.Path(), 100_000, 3)
	if n := mappings(t) - had; n != 2 {
		t.Fatalf("%d mappings of the rows, of which one is to be ahead", n)
	}
	b.Cells().Row(99_999)[2] = -7
	d := must.Get(b.Seal())(t)
	_ = d.Handle() // waits for the seal, which there is in spite of the mapping
	before := mappings(t)
	same := must.Get(matrix.Open(d.Handle()))(t)
	if n := mappings(t); n != before {
		t.Errorf("Open has made %d mappings", n-before)
	}
	must.Equal(t, d.Matrix(), same.Matrix(), clustertest.Bitwise)
	if got := same.Matrix().Row(99_999)[2]; got != -7 {
		t.Errorf("a cell has changed, and is %g still", got)
	}
	again := must.Get(matrix.Open(d.Handle()))(t) // maps them itself
	for _, all := range []*matrix.Data{again, same, d} {
		must.Do(t, all.Close())
	}
	if n := mappings(t); n != had {
		t.Errorf("%d mappings are left", n-had)
	}
}

func TestNothingStaysOfWhatWasMappedAheadAndIsNotOpened(t *testing.T) {
	had := mappings(t)
	b := build(t, matrix.Memory, 100_000, 3)
	defer func() { must.Do(t, b.Discard()) }()
	alone := mappings(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	matrix.MapAhead(cancelled, b.Path(), 100_000, 3)
	matrix.MapAhead(t.Context(), b.Path(), 10_000_000, 3)
	matrix.MapAhead(t.Context(), b.Path(), 1<<62, 1<<62)
	matrix.MapAhead(t.Context(), b.Path(), 0, 3)
	matrix.MapAhead(t.Context(), "/does/not/exist", 100_000, 3)
	if n := mappings(t); n != alone {
		t.Errorf("%d mappings of other rows", n-alone)
	}
	for range 3 {
		matrix.MapAhead(t.Context(), b.Path(), 100_000, 3)
	}
	if n := mappings(t) - alone; n != 1 {
		t.Errorf("%d mappings of rows that were mapped ahead again and again", n)
	}
	other := must.Get(build(t, matrix.Memory, 100_000, 2).Seal())(t)
	must.Do(t, must.Get(matrix.Open(other.Handle()))(t).Close())
	must.Do(t, other.Close())
	if n := mappings(t); n != alone {
		t.Errorf("%d mappings are left when other rows are opened; %d had been there", n-alone, had)
	}
	matrix.MapAhead(t.Context(), b.Path(), 100_000, 3)
	matrix.DropAhead()
	if n := mappings(t); n != alone {
		t.Errorf("%d mappings are left of what was dropped", n-alone)
	}
}

func TestOnlyRowsInAMemoryFileHaveAPathBeforeTheyAreSealed(t *testing.T) {
	sparse := matrix.NewSparseBuilder(3, matrix.Options{Storage: matrix.Memory})
	defer func() { must.Do(t, sparse.Discard()) }()
	for name, c := range map[string]struct {
		b    *matrix.Builder
		path bool
	}{
		"memory": {build(t, matrix.Memory, 100_000, 3), true},
		"file":   {build(t, matrix.File, 100_000, 3), false},
		"few":    {build(t, matrix.Auto, 10, 3), false},
		"sparse": {sparse, false},
	} {
		if path := c.b.Path(); (path != "") != c.path {
			t.Errorf("%s: path %q", name, path)
		}
		if c.b != sparse {
			must.Do(t, c.b.Discard())
		}
	}
}
