package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAnArchiveIsTheSameWhateverTheOrderOfItsFiles(t *testing.T) {
	dir, when := t.TempDir(), time.Unix(1764000000, 0)
	a, b := file{"a", []byte("text"), false}, file{"b", []byte("program"), true}
	must.Do(t, archive(filepath.Join(dir, "1.tar.gz"), "x-1", []file{a, b}, when))
	must.Do(t, archive(filepath.Join(dir, "2.tar.gz"), "x-1", []file{b, a}, when))
	first := must.Get(os.ReadFile(filepath.Join(dir, "1.tar.gz")))(t)
	if !bytes.Equal(first, must.Get(os.ReadFile(filepath.Join(dir, "2.tar.gz")))(t)) {
		t.Error("the bytes differ")
	}
	from := tar.NewReader(must.Get(gzip.NewReader(bytes.NewReader(first)))(t))
	for _, want := range []file{{"x-1/a", a.text, false}, {"x-1/b", b.text, true}} {
		h := must.Get(from.Next())(t)
		got := file{h.Name, must.Get(io.ReadAll(from))(t), h.Mode&0o111 != 0}
		same := got.name == want.name && got.runs == want.runs && bytes.Equal(got.text, want.text)
		if !same || !h.ModTime.Equal(when) || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%+v, want %s", h, want.name)
		}
	}
}

// The sum of "abc" is the one-block example of FIPS 180-4.
func TestSumsAreOfAllFilesButTheirOwn(t *testing.T) {
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "b"), []byte("abc"), 0o600))
	must.Do(t, os.Mkdir(filepath.Join(dir, "of somebody"), 0o700))
	must.Do(t, sums(dir))
	must.Do(t, sums(dir))
	sums := must.Get(os.ReadFile(filepath.Join(dir, "SHA256SUMS")))(t)
	must.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n", string(sums))
}
