package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bom lists what is in a product, in the format CycloneDX: modules of Go, the parts of
// DuckDB in C++, and headers that are kept here.
func (s source) bom(p product, modules []module) ([]byte, error) {
	text, err := os.ReadFile(p.file)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	kind := cdx.ComponentTypeLibrary
	if p.runs {
		kind = cdx.ComponentTypeApplication
	}
	main := cdx.Component{BOMRef: p.name, Type: kind, Name: p.name, Version: strings.TrimPrefix(s.version, "v"), Licenses: licenceOf("MIT"),
		PackageURL: "pkg:golang/github.com/sqlcluster/sqlcluster@" + s.version, Hashes: sha256Of(fmt.Sprintf("%x", sum)),
		Properties: &[]cdx.Property{{Name: "sqlcluster:commit", Value: s.commit}}}
	components, err := components(p, modules)
	if err != nil {
		return nil, err
	}
	refs := make([]string, len(components))
	for i, c := range components {
		refs[i] = c.BOMRef
	}
	bom := cdx.NewBOM()
	hex := fmt.Sprintf("%x", sum) // a UUID of version 8, which says nothing but that it is of our making
	bom.SerialNumber = fmt.Sprintf("urn:uuid:%s-%s-8%s-8%s-%s", hex[:8], hex[8:12], hex[13:16], hex[17:20], hex[20:32])
	bom.Metadata = &cdx.Metadata{Timestamp: s.time.Format(time.RFC3339), Component: &main}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: p.name, Dependencies: &refs}}
	var out bytes.Buffer
	err = cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6)
	return out.Bytes(), err
}

func components(p product, modules []module) (all []cdx.Component, err error) {
	for _, m := range modules {
		url := "pkg:golang/" + m.path + "@" + m.version
		c := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.path, Version: m.version, PackageURL: url,
			Licenses: licenceOf(m.licence), Hashes: sha256Of(m.sum)}
		all = append(all, c)
		if p.duckdb && strings.HasPrefix(m.path, prebuilt) {
			duckdb, err := duckdbComponent(m)
			if err != nil {
				return nil, err
			}
			all = append(all, duckdb)
		}
	}
	for _, path := range p.headers {
		text, err := os.ReadFile(path) //nolint:gosec // of this repository
		if err != nil {
			return nil, err
		}
		all = append(all, cdx.Component{BOMRef: path, Type: cdx.ComponentTypeFile, Name: path, Version: "1.4.4", Licenses: licenceOf("MIT"),
			Description: "header of DuckDB's C interface, compiled in", Hashes: sha256Of(fmt.Sprintf("%x", sha256.Sum256(text)))})
	}
	return all, nil
}

// duckdbComponent is DuckDB with its parts, which a module has as libraries of C++.
func duckdbComponent(m module) (c cdx.Component, err error) {
	version, err := duckdbVersion(m)
	if err != nil {
		return c, err
	}
	dir, err := download(m.path + "@" + m.version)
	if err != nil {
		return c, err
	}
	linked, err := partsOf(dir)
	if err != nil {
		return c, err
	}
	url := "pkg:github/duckdb/duckdb@v" + version
	var of []cdx.Component
	for _, part := range linked {
		of = append(of, cdx.Component{
			BOMRef: url + "#" + part.library, Type: cdx.ComponentTypeLibrary, Name: part.name, Licenses: licenceOf(part.licence),
			Description: "lib" + part.library + ".a of " + m.path})
	}
	return cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: "duckdb", Version: version, PackageURL: url,
		Description: "C++ library, linked statically", Licenses: licenceOf("MIT"), Components: &of}, nil
}

// licenceOf is a licence of one name, or an expression; nil for "".
func licenceOf(spdx string) *cdx.Licenses {
	switch {
	case spdx == "":
		return nil
	case strings.Contains(spdx, " "):
		return &cdx.Licenses{{Expression: spdx}}
	}
	return &cdx.Licenses{{License: &cdx.License{ID: spdx}}}
}

func sha256Of(hex string) *[]cdx.Hash {
	if hex == "" {
		return nil
	}
	return &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex}}
}
