package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A file of an archive.
type file struct {
	name string
	text []byte
	runs bool
}

// archive writes a .tar.gz with a directory of files. All have the same owner and time, and
// are in the order of their names.
func archive(path, dir string, files []file, when time.Time) error {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	var packed bytes.Buffer
	zip, err := gzip.NewWriterLevel(&packed, gzip.BestCompression) // its header has neither name nor time
	if err != nil {
		return err
	}
	to := tar.NewWriter(zip)
	for _, f := range files {
		mode := int64(0o644)
		if f.runs {
			mode = 0o755
		}
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: dir + "/" + f.name, Mode: mode, Size: int64(len(f.text)), ModTime: when, Format: tar.FormatUSTAR,
		}
		if err := to.WriteHeader(h); err != nil {
			return err
		}
		if _, err := to.Write(f.text); err != nil {
			return err
		}
	}
	if err := to.Close(); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, packed.Bytes(), 0o644) //nolint:gosec // for everybody
}

// sums writes SHA256SUMS of the files of a directory, as sha256sum -c reads it.
func sums(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var all bytes.Buffer
	for _, e := range entries { // by name
		if e.Name() == "SHA256SUMS" || !e.Type().IsRegular() {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name())) //nolint:gosec // of this program
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "%x  %s\n", sha256.Sum256(text), e.Name())
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), all.Bytes(), 0o644) //nolint:gosec // for everybody
}
