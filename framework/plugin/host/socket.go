package host

import (
	"os"
	"path/filepath"

	"github.com/sqlcluster/sqlcluster/framework/scratch"
)

// The path of a socket may have 103 bytes on the strictest system, and go-plugin
// takes two names of a word and up to 10 digits.
const (
	maxSocketPath = 103
	socketName    = len("/plugin-dir1234567890/plugin1234567890")
)

// socketParent returns where the socket's directory is made. (Windows has no
// /tmp, and uses TCP.)
func socketParent() string {
	dir := os.TempDir()
	if len(dir)+1+scratch.NameLength+socketName > maxSocketPath && filepath.IsAbs("/tmp") {
		return "/tmp"
	}
	return dir
}

// removeSocket removes the directory of the socket, which is needed only until
// both sides are connected.
func (r *runner) removeSocket() error {
	if r.scratch == nil {
		return nil
	}
	if r.dir != "" {
		if err := r.scratch.RemoveAll(r.dir); err != nil {
			return err
		}
	}
	d := r.scratch
	r.scratch = nil
	return d.Release()
}
