package skfr_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
)

// unpacked is where the archives of testdata/reference are unpacked, see README.md there.
var unpacked string

func TestMain(m *testing.M) {
	var remove func()
	unpacked, remove = clustertest.Unpack("testdata/reference")
	defer remove()
	m.Run()
}
