package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A module is one that is linked, with its licences.
type module struct {
	path, version string
	sum           string // SHA-256 of the module, in hexadecimal; "": none is known
	texts         []licenceText
	licence       string // in SPDX
}

// A licenceText is a file of a module.
type licenceText struct{ name, text string }

// linked returns the modules that the go command says are in a program, and the standard
// library of Go, which is in it too.
func linked(program string) ([]module, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	std := module{path: "std", version: strings.TrimPrefix(info.GoVersion, "go")}
	if std.texts, err = texts(runtime.GOROOT()); err != nil { //nolint:staticcheck // go run has one
		return nil, err
	}
	all := []module{std}
	for _, d := range info.Deps {
		if d.Replace != nil {
			return nil, fmt.Errorf("module %s is replaced, and so nobody can get it", d.Path)
		}
		m := module{path: d.Path, version: d.Version}
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(d.Sum, "h1:")); err == nil {
			m.sum = hex.EncodeToString(sum)
		}
		dir, err := download(d.Path + "@" + d.Version)
		if err != nil {
			return nil, err
		}
		if m.texts, err = texts(dir); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	for i := range all {
		if all[i].licence, err = licences(all[i].texts); err != nil {
			return nil, fmt.Errorf("module %s: %w", all[i].path, err)
		}
	}
	return all, nil
}

// download returns the directory of a module in the cache.
func download(module string) (dir string, err error) {
	cmd := exec.Command("go", "mod", "download", "-json", module) //nolint:gosec // of the program that was built
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var of struct{ Dir, Error string }
	if err := json.Unmarshal(out, &of); err != nil {
		return "", err
	}
	if of.Error != "" {
		return "", errors.New(of.Error)
	}
	return of.Dir, nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|third_party)`)

// texts reads the files with licences and notices that are at the top of a module, and in
// directories there that have such a name.
func texts(dir string) (all []licenceText, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !licenceFile.MatchString(e.Name()) {
			continue
		}
		err := filepath.WalkDir(filepath.Join(dir, e.Name()), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "gpl.txt" { // of freetype, which may be had under its own licence, too
				return err
			}
			text, err := os.ReadFile(path) //nolint:gosec // in the module
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(dir, path)
			all = append(all, licenceText{filepath.ToSlash(name), string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// known are licences by words that the others do not have, in SPDX.
var known = []struct{ words, name string }{
	{"Mozilla Public License, version 2.0", "MPL-2.0"},
	{"Mozilla Public License Version 2.0", "MPL-2.0"},
	{"Apache License Version 2.0", "Apache-2.0"},
	{"SIL OPEN FONT LICENSE Version 1.1", "OFL-1.1"},
	{"FreeType Project LICENSE", "FTL"},
	{"Creative Commons Attribution 4.0", "CC-BY-4.0"},
	{"Creative Commons Attribution 3.0", "CC-BY-3.0"},
	{"Neither the name", "BSD-3-Clause"},
	{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
	{"Permission is hereby granted, free of charge, to any person obtaining a copy", "MIT"},
	{"Permission to use, copy, modify, and/or distribute", "ISC"},
}

// licences names the licences of a module. There must be one that is known, so that one of
// a new kind is looked at by a person.
func licences(texts []licenceText) (string, error) {
	var names []string
	for _, t := range texts {
		words := strings.Join(strings.Fields(t.text), " ")
		for _, k := range known {
			if strings.Contains(words, k.words) {
				names = append(names, k.name)
				break
			}
		}
	}
	if len(names) == 0 {
		return "", errors.New("no known licence is in its directory; look at it, and add its words to release/modules.go")
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " AND "), nil
}
