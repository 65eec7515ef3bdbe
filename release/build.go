package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A product is a file that is released.
type product struct {
	name    string
	file    string   // that is in the archive
	library string   // the same as the go command has built it
	runs    bool     // it is a program
	duckdb  bool     // DuckDB is linked
	headers []string // of DuckDB, that it is compiled with and that are kept here
	beside  []string // further files of the archive
}

// build builds the command and the extension with make, as developers do, but without
// names of directories and symbols.
func build(s source, dir, goos, goarch string) ([]product, error) {
	args := []string{"--no-print-directory", "build", "extension", "BIN=" + dir, "VERSION=" + s.version,
		"BUILD=-trimpath -buildvcs=true", "LDFLAGS=-s -w -buildid="}
	cmd := exec.Command("make", args...) //nolint:gosec // arguments of this program
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=1", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0",
		"GOWORK=off", "CGO_CFLAGS=", "CGO_CPPFLAGS=", "CGO_CXXFLAGS=", "CGO_LDFLAGS=", "LC_ALL=C", "TZ=UTC")
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("make: %w", err)
	}
	beside := []string{"README.md", "CHANGELOG.md", "LICENSE"}
	command := product{name: "sqlcluster", file: filepath.Join(dir, "sqlcluster"), runs: true, duckdb: true, beside: beside}
	command.library = command.file
	extension := product{name: "sqlcluster-extension", file: filepath.Join(dir, "sqlcluster.duckdb_extension"),
		library: filepath.Join(dir, "sqlcluster.so"), beside: []string{"docs/extension.md", "CHANGELOG.md", "LICENSE"},
		headers: []string{"sql/extension/capi/duckdb.h", "sql/extension/capi/duckdb_extension.h"}}
	products := []product{command, extension}
	for _, p := range products {
		if err := p.is(s); err != nil {
			return nil, err
		}
	}
	return products, nil
}

// is returns an error unless the program says that it is of this version.
func (p product) is(s source) error {
	info, err := buildinfo.ReadFile(p.library)
	if err != nil {
		return err
	}
	if s.tagged && s.changed == "" && info.Main.Version != s.version {
		return fmt.Errorf("%s says that it is version %s of the module, and not %s: are there two tags?", p.name, info.Main.Version, s.version)
	}
	return nil
}
