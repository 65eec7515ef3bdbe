package kernel_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
)

func TestTheBestKernelIsUsedWhateverTheEnvironmentSays(t *testing.T) {
	all := kernel.Names()
	defer kernel.Use(kernel.Name())()
	t.Setenv(kernel.Variable, all[len(all)-1])
	kernel.Best()
	if kernel.Name() != all[0] {
		t.Errorf("%s is used, and the best is %s", kernel.Name(), all[0])
	}
}
