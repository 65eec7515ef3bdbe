// Package lock keeps the plugins that a user has added: where each is, the hash
// of its file, and what it says of itself, so that flags, help and completion
// start no process.
package lock

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
	i, found := slices.BinarySearchFunc(f.Plugins, p.Name, byName)
	if found {
		old := f.Plugins[i]
		before, f.Plugins[i] = &old, p
	} else {
		f.Plugins = slices.Insert(f.Plugins, i, p)
	}
	return before, f.write()
}

// Remove removes a plugin and writes the file. It reports whether it was there.
func (f *File) Remove(name string) (bool, error) {
	i, found := slices.BinarySearchFunc(f.Plugins, name, byName)
	if !found {
		return false, nil
	}
	f.Plugins = slices.Delete(f.Plugins, i, i+1)
	return true, f.write()
}

func byName(p Plugin, name string) int { return strings.Compare(p.Name, name) }

// write replaces the file as a whole, so that nobody reads half of it.
func (f *File) write() error {
	text, err := json.MarshalIndent(content{formatVersion, f.Plugins}, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(f.path), 0o755)
	}
	if err == nil {
		next := fmt.Sprintf("%s.%d", f.path, os.Getpid())
		if err = os.WriteFile(next, append(text, '\n'), 0o644); err == nil {
			err = os.Rename(next, f.path)
		}
		if err != nil {
			_ = os.Remove(next)
		}
	}
	if err != nil {
		return framework.Faultf(framework.Internal, "lock-unwritable", "the list of added plugins cannot be written: %v", err).
			WithWhere("%s", f.path)
	}
	return nil
}

// Hash returns the SHA-256 of a file, in hex.
func Hash(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Verify returns a Fault unless the plugin's file is the one that was added.
func (p Plugin) Verify() error {
	now, err := Hash(p.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return framework.Faultf(framework.Plugin, "plugin-missing", "the file of plugin %s is gone", p.Name).
			WithWhere("%s", p.Path).WithHint("put it back, or: sqlcluster plugin remove %s", p.Name)
	case err != nil:
		return framework.Faultf(framework.Plugin, "plugin-missing", "the file of plugin %s cannot be read: %v", p.Name, err).
			WithWhere("%s", p.Path)
	case now == p.SHA256:
		return nil
	}
	f := framework.Faultf(framework.Plugin, "plugin-changed", "the file of plugin %s is not the one that was added, so it is not run", p.Name).
		WithWhere("%s", p.Path).WithHint("if you trust the new file: sqlcluster plugin add %s", p.Path)
	f.Details = []string{"sha256 when it was added: " + p.SHA256, "sha256 now:               " + now}
	return f
}
