//go:build !portable

package memory

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// machine writes files below a new directory and returns it.
func machine(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

const meminfo = "MemTotal:       8000 kB\nMemAvailable:    4000 kB\n"

func TestTheTightestGroupAboveAProcessDecides(t *testing.T) {
	cases := map[string]struct {
		files map[string]string
		want  int64
	}{
		"no groups": {map[string]string{"proc/meminfo": meminfo}, 4000 << 10},
		"nothing":   {nil, math.MaxInt64},
		"version 2, own group": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/user.slice/run-1.scope\n",
			"cg/user.slice/run-1.scope/memory.max": "1000000\n", "cg/user.slice/run-1.scope/memory.current": "700000\n",
			"cg/user.slice/run-1.scope/memory.stat": "anon 300000\nactive_file 250000\ninactive_file 100000\n",
			"cg/user.slice/memory.max":              "max\n", "cg/user.slice/memory.current": "800000\n",
		}, 650_000}, // 1 000 000 − (700 000 − 350 000)
		"version 2, the group above": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"cg/a/b/memory.max": "1000000\n", "cg/a/b/memory.current": "0\n",
			"cg/a/memory.max": "2000000\n", "cg/a/memory.current": "1900000\n",
		}, 100_000},
		"version 2 in a container": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/docker/4711\n",
			"cg/memory.max": "500000\n", "cg/memory.current": "100000\n",
		}, 400_000},
		"version 1 beside version 2": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/x/y\n0::/\n",
			"cg/memory/x/y/memory.limit_in_bytes": "3000000\n", "cg/memory/x/y/memory.usage_in_bytes": "2500000\n",
			"cg/memory/x/y/memory.stat":       "inactive_file 7\ntotal_inactive_file 1000000\ntotal_active_file 0\n",
			"cg/memory/memory.limit_in_bytes": "9223372036854771712\n", "cg/memory/memory.usage_in_bytes": "5\n",
		}, 1_500_000},
		"more in use than allowed": {map[string]string{
			"proc/self/cgroup": "0::/\n", "cg/memory.max": "10\n", "cg/memory.current": "20\n",
		}, 0},
		"more on the group's account than the machine has": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "cg/memory.max": "99999999\n", "cg/memory.current": "0\n",
		}, 4000 << 10},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			dir := machine(t, c.files)
			if got := available(filepath.Join(dir, "proc"), filepath.Join(dir, "cg")); got != c.want {
				t.Errorf("%d bytes, want %d", got, c.want)
			}
		})
	}
}

func TestWhatIsStockedIsAvailable(t *testing.T) {
	defer ClearStock()
	stock.left.Store(math.MaxInt64)
	if got := Available(); got != math.MaxInt64 {
		t.Errorf("%d bytes beside all that there can be", got)
	}
}

func TestThisMachineHasSomeMemory(t *testing.T) {
	if got := Available(); got < 1<<20 || got == math.MaxInt64 {
		t.Errorf("%d bytes", got)
	}
}
