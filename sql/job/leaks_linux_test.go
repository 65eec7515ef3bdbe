package job

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestManyFitsLeaveNoFileNoMappingAndNoGoroutine(t *testing.T) {
	files := func() int { return len(must.Get(os.ReadDir("/proc/self/fd"))(t)) }
	mappings := func() int {
		text := must.Get(os.ReadFile("/proc/self/maps"))(t)
		return strings.Count(string(text), "sqlcluster") - strings.Count(string(text), os.Args[0])
	}
	for _, storage := range []matrix.Storage{matrix.Auto, matrix.Memory, matrix.File} {
		s, src := small()["skfr"], few()
		s.Storage, s.Threads, s.Restarts = storage, 2, 2
		first := must.Get(New(s, builtIn))(t)
		fitSmall(t, first.Again(), src) // what is opened once, such as /dev/urandom
		wasOpen, wasMapped, ran := files(), mappings(), runtime.NumGoroutine()
		for range 200 {
			fitSmall(t, first.Again(), src)
		}
		if open, mapped := files(), mappings(); open > wasOpen || mapped > wasMapped {
			t.Errorf("%s: %d files more are open, and %d mapped", storage, open-wasOpen, mapped-wasMapped)
		}
		if runs := runtime.NumGoroutine(); runs > ran+20 { // the last ones may be about to end
			t.Errorf("%s: %d goroutines more", storage, runs-ran)
		}
	}
}
