// Package lock keeps the plugins that a user has added: where each is, the hash
// of its file, and what it says of itself, so that flags, help and completion
// start no process.
package lock

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/framework"
)

// formatVersion is the version of the shape of the file.
const formatVersion = 1

// A Plugin is an added plugin.
type Plugin struct {
	Name       string                     `json:"name"`
	Path       string                     `json:"path"` // absolute
	SHA256     string                     `json:"sha256"`
	Algorithms []framework.Description    `json:"algorithms"`
	Sets       []framework.SetDescription `json:"sets,omitempty"` // kinds of sets of centers
}

// A File is the lock file: plugins by name, in alphabetical order.
type File struct {
	path    string
	Plugins []Plugin
}

type content struct {
	FormatVersion int      `json:"format_version"`
	Plugins       []Plugin `json:"plugins"`
}

// Read reads the lock file. A missing file counts as empty.
func Read(path string) (*File, error) {
	f := &File{path: path}
	text, err := process.ReadAtMost(path, mostText)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err == nil {
		f.Plugins, err = decode(text)
	}
	if err != nil {
		fault := framework.Faultf(framework.Usage, "bad-lock", "the list of added plugins cannot be read: %v", err)
		return f, fault.WithWhere("%s", path).WithHint("delete the file, and add the plugins again: sqlcluster plugin add PATH")
	}
	return f, nil
}

// Put adds a plugin, or replaces the one of its name, and writes the file. It
// returns the replaced one.
func (f *File) Put(p Plugin) (before *Plugin, err error) {
	err = f.change(func() bool {
		i, found := slices.BinarySearchFunc(f.Plugins, p.Name, byName)
		if found {
			old := f.Plugins[i]
			before, f.Plugins[i] = &old, p
		} else {
			f.Plugins = slices.Insert(f.Plugins, i, p)
		}
		return true
	})
	return before, err
}

// Remove removes a plugin and writes the file. It reports whether it was there.
func (f *File) Remove(name string) (found bool, err error) {
	if _, found = slices.BinarySearchFunc(f.Plugins, name, byName); !found {
		return false, nil // and no directory is made
	}
	err = f.change(func() bool {
		var i int
		if i, found = slices.BinarySearchFunc(f.Plugins, name, byName); found {
			f.Plugins = slices.Delete(f.Plugins, i, i+1)
		}
		return found
	})
	return found, err
}

// change reads the file again, changes the plugins, and writes them, while no other
// process does so. edit reports whether there is something to write.
func (f *File) change(edit func() bool) error {
	unwritable := func(err error) error {
		return framework.Faultf(framework.Internal, "lock-unwritable", "the list of added plugins cannot be written: %v", err).
			WithWhere("%s", f.path)
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return unwritable(err)
	}
	only := flock.New(f.path+".lock", flock.SetPermissions(0o600))
	if err := only.Lock(); err != nil {
		return unwritable(err)
	}
	defer func() { _ = only.Unlock() }() // the file stays: to remove it would let two processes hold a lock each
	now, err := Read(f.path)
	if err != nil {
		return err
	}
	f.Plugins = now.Plugins
	if !edit() {
		return nil
	}
	if err := f.write(); err != nil {
		return unwritable(err)
	}
	return nil
}

func byName(p Plugin, name string) int { return strings.Compare(p.Name, name) }

// write replaces the file as a whole, so that nobody reads half of it.
func (f *File) write() error {
	text, err := json.MarshalIndent(content{formatVersion, f.Plugins}, "", "  ")
	if err != nil {
		return err
	}
	next := fmt.Sprintf("%s.%d", f.path, os.Getpid())
	if err = os.WriteFile(next, append(text, '\n'), 0o600); err == nil {
		err = os.Rename(next, f.path)
	}
	if err != nil {
		_ = os.Remove(next)
	}
	return err
}
