// Footer makes an extension of DuckDB of a shared library: it appends what DuckDB reads
// before it loads one.
//
//	go run ./footer -library sqlcluster.so -platform linux_amd64 -version v1.2.3 -o sqlcluster.duckdb_extension
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
)

// The interface that the extension needs, and with it the versions of DuckDB that load
// it: those that have this version of the stable C interface, or a later one.
const (
	abi = "C_STRUCT"
	api = "v1.2.0"
)

func main() {
	log.SetFlags(0)
	library := flag.String("library", "", "the shared `file`")
	platform := flag.String("platform", "", "what DuckDB calls the machine: PRAGMA platform")
	version := flag.String("version", "", "of the extension")
	out := flag.String("o", "", "the `file` of the extension")
	flag.Parse()
	if err := write(*library, *platform, *version, *out); err != nil {
		log.Fatal(err)
	}
}

func write(library, platform, version, out string) error {
	if platform == "" || version == "" || out == "" {
		return errors.New("platform, version and o are needed")
	}
	text, err := os.ReadFile(library) //nolint:gosec // the user has named it
	if err != nil {
		return err
	}
	end, err := footer(platform, version)
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, end...), 0o644) //nolint:gosec // for everybody, as libraries are
}

// footer is what follows the library: a section of a WebAssembly module, of which DuckDB
// reads the last 512 bytes: eight fields of 32 bytes, the last field first, and a
// signature of 256 bytes, which is of zeros for one that is not signed.
func footer(platform, version string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("\x00\x93\x04\x10duckdb_signature\x80\x04")
	for _, field := range []string{"", "", "", abi, version, api, platform, "4"} {
		if len(field) > 32 {
			return nil, fmt.Errorf("%q is longer than 32 bytes", field)
		}
		b.WriteString(field)
		b.Write(make([]byte, 32-len(field)))
	}
	b.Write(make([]byte, 256))
	return b.Bytes(), nil
}
