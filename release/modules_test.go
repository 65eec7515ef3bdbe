package main

import (
	"os"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestLicencesAreNamedAndUnknownOnesRefused(t *testing.T) {
	own := string(must.Get(os.ReadFile("../LICENSE"))(t))
	must.Equal(t, "MIT", must.Get(licences([]licenceText{{"LICENSE", own}}))(t))
	both := []licenceText{{"LICENSE", own}, {"PATENTS", "a grant"}, {"LICENSE-SIL", "SIL OPEN FONT\nLICENSE   Version 1.1"}}
	must.Equal(t, "MIT AND OFL-1.1", must.Get(licences(both))(t))
	for _, texts := range [][]licenceText{nil, {{"LICENSE", "All rights reserved."}}} {
		_, err := licences(texts)
		must.Fail(t, err, "no known licence is in its directory; look at it, and add its words to release/modules.go")
	}
}

func TestTheVersionOfDuckDBIsInThatOfItsModule(t *testing.T) {
	for module, want := range map[string]string{"v0.10505.0": "1.5.5", "v0.10404.1": "1.4.4", "v0.20010.0": "2.0.10"} {
		must.Equal(t, want, must.Get(duckdbVersion(module0(module)))(t))
	}
	if _, err := duckdbVersion(module0("v0.x.0")); err == nil {
		t.Error("v0.x.0 has a version")
	}
}

func module0(version string) module { return module{path: prebuilt + "linux-amd64", version: version} }

func TestALibraryOfDuckDBThatIsNotKnownIsRefused(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(dir+"/prebuilt.go", []byte("#cgo LDFLAGS: -rdynamic -lduckdb_static -ljson_extension -lstdc++ -lm"), 0o600))
	must.Equal(t, 2, len(must.Get(partsOf(dir))(t)))
	must.Do(t, os.WriteFile(dir+"/prebuilt.go", []byte("#cgo LDFLAGS: -lduckdb_static -lduckdb_new"), 0o600))
	_, err := partsOf(dir)
	must.Fail(t, err, "DuckDB has a library duckdb_new that is not known; add it to release/duckdb.go")
}
