package parallel_test

import (
	"runtime"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestProcessorsToSpareDoNoWorkAndAreThoseOfWhoHasSetNone(t *testing.T) {
	there := runtime.GOMAXPROCS(0)
	defer parallel.TakeBack(there)
	must.Equal(t, there, parallel.Processors())
	t.Setenv("GOMAXPROCS", "1")
	parallel.Spare()
	must.Equal(t, there, runtime.GOMAXPROCS(0))
	t.Setenv("GOMAXPROCS", "")
	for range 2 { // the second time it has some already
		parallel.Spare()
		must.Equal(t, there+2, runtime.GOMAXPROCS(0)) // spares
		must.Equal(t, there, parallel.Processors())
	}
}
