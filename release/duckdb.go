package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// prebuilt is the path of the modules that have the libraries of DuckDB, in C++.
const prebuilt = "github.com/duckdb/duckdb-go-bindings/lib/"

// A part of DuckDB is a library of its build, made of sources of others that are kept in
// its repository.
type part struct{ library, name, licence string }

// parts are what DuckDB's libraries are made of, by the names of the libraries. Licences
// are those that the directories third_party and extension of its repository state.
var parts = []part{
	{"duckdb_static", "DuckDB core", "MIT"},
	{"duckdb_generated_extension_loader", "DuckDB extension loader", "MIT"},
	{"autocomplete_extension", "DuckDB autocomplete extension", "MIT"},
	{"core_functions_extension", "DuckDB core functions extension", "MIT"},
	{"icu_extension", "DuckDB ICU extension with ICU4C", "ICU"},
	{"json_extension", "DuckDB JSON extension", "MIT"},
	{"parquet_extension", "DuckDB Parquet extension with Thrift, Snappy, LZ4 and Brotli",
		"Apache-2.0 AND BSD-2-Clause AND BSD-3-Clause AND MIT"},
	{"tpcds_extension", "DuckDB TPC-DS extension", ""},
	{"tpch_extension", "DuckDB TPC-H extension", ""},
	{"duckdb_fastpforlib", "FastPFor", "Apache-2.0"},
	{"duckdb_fmt", "{fmt}", "MIT"},
	{"duckdb_fsst", "FSST", "MIT"},
	{"duckdb_hyperloglog", "HyperLogLog", ""},
	{"duckdb_jemalloc", "jemalloc", "BSD-2-Clause"},
	{"duckdb_mbedtls", "Mbed TLS", "Apache-2.0"},
	{"duckdb_miniz", "miniz", "MIT"},
	{"duckdb_pg_query", "libpg_query", "BSD-3-Clause"},
	{"duckdb_re2", "RE2", "BSD-3-Clause"},
	{"duckdb_skiplistlib", "SkipList", "MIT"},
	{"duckdb_utf8proc", "utf8proc", "MIT"},
	{"duckdb_yyjson", "yyjson", "MIT"},
	{"duckdb_zstd", "Zstandard", "BSD-3-Clause"},
}

var linkedLibrary = regexp.MustCompile(`-l((?:duckdb_|\w+_extension)\w*)`)

// partsOf returns the parts of DuckDB that a module with its libraries links. One that is
// not known is an error.
func partsOf(dir string) (linked []part, err error) {
	text, err := os.ReadFile(dir + "/prebuilt.go") //nolint:gosec // in the module
	if err != nil {
		return nil, err
	}
	for _, m := range linkedLibrary.FindAllStringSubmatch(string(text), -1) {
		i := slices.IndexFunc(parts, func(p part) bool { return p.library == m[1] })
		if i < 0 {
			return nil, fmt.Errorf("DuckDB has a library %s that is not known; add it to release/duckdb.go", m[1])
		}
		if !slices.Contains(linked, parts[i]) {
			linked = append(linked, parts[i])
		}
	}
	if len(linked) == 0 {
		return nil, fmt.Errorf("%s links no library of DuckDB", dir)
	}
	return linked, nil
}

// duckdbVersion is the version of DuckDB in a module with its libraries: v0.10505.0 has
// 1.5.5.
func duckdbVersion(m module) (string, error) {
	number, err := strconv.Atoi(strings.Split(m.version, ".")[1])
	if err != nil {
		return "", fmt.Errorf("the version %s of %s does not say which DuckDB it has: %w", m.version, m.path, err)
	}
	return fmt.Sprintf("%d.%d.%d", number/10000, number/100%100, number%100), nil
}
