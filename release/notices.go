package main

import (
	"fmt"
	"os"
	"strings"
)

// notices is the text of the licences of all that is linked.
func notices(p product, modules []module) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is under the MIT licence, see LICENSE. It contains the following, under licences of their own.\n", p.name)
	line := strings.Repeat("=", 80)
	for _, m := range modules {
		name := m.path + " " + m.version
		if m.path == "std" {
			name = "Go " + m.version + " (standard library and runtime)"
		}
		fmt.Fprintf(&b, "\n%s\n%s\nLicence: %s\n%s\n", line, name, m.licence, line)
		for _, t := range m.texts {
			fmt.Fprintf(&b, "\n--- %s\n\n%s\n", t.name, strings.TrimSpace(t.text))
		}
		if !p.duckdb || !strings.HasPrefix(m.path, prebuilt) {
			continue
		}
		dir, err := download(m.path + "@" + m.version)
		if err != nil {
			return nil, err
		}
		linked, err := partsOf(dir)
		if err != nil {
			return nil, err
		}
		version, err := duckdbVersion(m)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\nThese are libraries of DuckDB %s, in C++. Their sources, with the licences of each,\n"+
			"are in the directories third_party and extension of https://github.com/duckdb/duckdb\n"+
			"at the tag v%s:\n\n", version, version)
		for _, part := range linked {
			licence := part.licence
			if licence == "" {
				licence = "see there"
			}
			fmt.Fprintf(&b, "  %s: %s\n", part.name, licence)
		}
	}
	if len(p.headers) > 0 {
		text, err := os.ReadFile("sql/extension/capi/LICENSE")
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "\n%s\nHeaders of DuckDB: duckdb.h, duckdb_extension.h\nLicence: MIT\n%s\n\n%s\n",
			line, line, strings.TrimSpace(string(text)))
	}
	return []byte(b.String()), nil
}
