package pcskm_test

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/clustertest"
)

// unpacked is where the archives of testdata/reference are unpacked, see testdata/README.md.
var unpacked string

func TestMain(m *testing.M) {
	var remove func()
	unpacked, remove = clustertest.Unpack("testdata/reference")
	unpacked += "/"
	defer remove()
	m.Run()
}
