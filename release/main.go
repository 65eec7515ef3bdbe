// Release makes the archives of a release, with checksums and lists of what is in them,
// from the commit that is checked out. docs/release.md says how a release is made.
//
//	go run ./release [-snapshot] [-o dist] [-platform linux/amd64]
//
// The same commit gives the same bytes in any directory, with the same compilers.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

func main() {
	log.SetFlags(0)
	snapshot := flag.Bool("snapshot", false, "do without a tag, a section of the changelog and unchanged files")
	out := flag.String("o", "dist", "`directory` of the archives")
	platform := flag.String("platform", runtime.GOOS+"/"+runtime.GOARCH, "`GOOS/GOARCH` to build for; CC and CXX are its compilers")
	check := flag.Bool("check", false, "only say whether the commit can be released")
	flag.Parse()
	if err := release(*snapshot, *check, *out, *platform); err != nil {
		log.Fatal("release: ", err)
	}
}

func release(snapshot, check bool, out, platform string) error {
	s, err := readSource()
	if err == nil && !snapshot {
		err = s.releasable()
	}
	if err != nil || check {
		return err
	}
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("the platform %q is not GOOS/GOARCH", platform)
	}
	work, err := os.MkdirTemp("", "sqlcluster-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()
	products, err := build(s, work, goos, goarch)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil { //nolint:gosec // for everybody
		return err
	}
	for _, p := range products {
		if err := p.write(s, out, goos+"-"+goarch); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return sums(out)
}

// write makes the archive of a product, and the list of what is in it.
func (p product) write(s source, out, platform string) error {
	modules, err := linked(p.library)
	if err != nil {
		return err
	}
	name := strings.Join([]string{p.name, strings.TrimPrefix(s.version, "v"), platform}, "-")
	bom, err := s.bom(p, modules)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, name+".cdx.json"), bom, 0o644); err != nil { //nolint:gosec // for everybody
		return err
	}
	notices, err := notices(p, modules)
	if err != nil {
		return err
	}
	files := []file{{name: "THIRD-PARTY-NOTICES.txt", text: notices}}
	for _, path := range append([]string{p.file}, p.beside...) {
		text, err := os.ReadFile(path) //nolint:gosec // of this repository, or just built
		if err != nil {
			return err
		}
		files = append(files, file{filepath.Base(path), text, path == p.file && p.runs})
	}
	return archive(filepath.Join(out, name+".tar.gz"), name, files, s.time)
}
