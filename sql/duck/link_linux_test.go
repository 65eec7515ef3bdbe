package duck

import (
	"debug/elf"
	"os"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// Those of cgo are a few dozen, those of DuckDB 59 000 (nm -D --defined-only).
func TestAProgramDoesNotExportTheNamesOfDuckDB(t *testing.T) {
	f := must.Get(elf.Open(must.Get(os.Executable())(t)))(t)
	defer func() { must.Do(t, f.Close()) }()
	exported := 0
	for _, s := range must.Get(f.DynamicSymbols())(t) {
		if s.Section != elf.SHN_UNDEF {
			exported++
		}
	}
	if exported > 1000 {
		t.Errorf("the program exports %d names", exported)
	}
}
