package process

import (
	"os"
	"runtime"
	"runtime/metrics"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestLimitsThatAreTooLowAreRefusedBeforeAnythingRuns(t *testing.T) {
	must.Do(t, addressFault(leastAddresses))
	if err := addressFault(^uint64(0)); err != nil { // no limit
		t.Error(err)
	}
	must.Do(t, threadFault(^uint64(0), 1000, 64))
	// Two processors need 14 threads: leastThreads.
	must.Do(t, threadFault(114, 100, 2))
	for want, err := range map[string]error{
		"the address space is limited to 1464 MiB, and sqlcluster needs 2048 MiB":                addressFault(1_500_000 << 10),
		"this user may have 113 processes and threads and has 100, and sqlcluster needs 14 more": threadFault(113, 100, 2),
		"this user may have 12 processes and threads and has 100, and sqlcluster needs 14 more":  threadFault(12, 100, 2),
	} {
		if f := framework.AsFault(err); f == nil || f.Class != framework.Internal || f.Summary != want || f.Hint == "" {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

func TestGarbageIsCollectedAsUsualAfterTheFirstTime(t *testing.T) {
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	usual := percent()
	t.Setenv("GOGC", "") // restored after the test
	must.Do(t, os.Unsetenv("GOGC"))
	LimitGarbage()
	must.Equal(t, uint64(firstPercent), percent())
	for percent() != usual { // the collector does it on its own time
		runtime.GC()
	}
}
