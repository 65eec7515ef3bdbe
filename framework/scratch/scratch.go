// Package scratch makes directories for temporary files that do not outlive
// their process for long. A process that ends in order removes its own. What a
// killed one has left is removed when a directory is next made in that place.
//
// Each directory is locked while its process lives, and the lock ends with the
// process, however that happens. So a directory without a lock is a leftover,
// whatever the process ids and clocks say. The lock is taken right after the
// directory is made; should somebody remove it in between, another one is made.
package scratch

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

const (
	prefix  = ".sqlcluster-"     // of the names of directories, before random
	random  = 4                  // bytes, written as hexadecimal digits
	marker  = "sqlcluster.owner" // file in each directory that may have more in it
	atMost  = 100                // leftovers that are removed at a time
	entries = 100_000            // names that are looked at for leftovers
)

// NameLength is the length of a directory's name, for paths with little room.
const NameLength = len(prefix) + 2*random

// A Dir is a directory for temporary files of this process.
type Dir struct {
	path   string
	lock   *os.File // nil: there are no locks here
	parent string   // of a shared one; empty: it is not shared
	users  int      // of a shared one
}

var (
	mu     sync.Mutex
	shared = map[string]*Dir{} // by parent
)

// New makes a directory below parent, after it has removed leftovers from there.
// It must be released.
func New(parent string) (*Dir, error) {
	Sweep(parent)
	for {
		var name [random]byte
		_, _ = rand.Read(name[:]) // never fails
		d := &Dir{path: filepath.Join(parent, prefix+hex.EncodeToString(name[:]))}
		err := os.Mkdir(d.path, 0o700)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		d.lock, err = claim(d.path)
		if errors.Is(err, errTaken) {
			continue // whoever has it takes it for a leftover, and removes it
		}
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			_ = os.Remove(d.path)
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(d.path, marker), nil, 0o600); err != nil {
			_ = d.remove()
			return nil, err
		}
		return d, nil
	}
}

// Shared returns the directory below parent that all callers in this process
// share. Each must release it; the last release removes it.
func Shared(parent string) (*Dir, error) {
	mu.Lock()
	defer mu.Unlock()
	if d := shared[parent]; d != nil {
		d.users++
		return d, nil
	}
	d, err := New(parent)
	if err != nil {
		return nil, err
	}
	d.parent, d.users = parent, 1
	shared[parent] = d
	return d, nil
}

// Path returns the path of the directory, which is absolute if parent is.
func (d *Dir) Path() string { return d.path }

// Release removes the directory and all that is in it, unless it is shared with
// others.
func (d *Dir) Release() error {
	mu.Lock()
	defer mu.Unlock()
	if d.parent != "" {
		if d.users--; d.users > 0 {
			return nil
		}
		delete(shared, d.parent)
	}
	return d.remove()
}

func (d *Dir) remove() error {
	err := empty(d.path)
	if d.lock != nil {
		_ = d.lock.Close() // not before the directory is gone
	}
	return err
}

// empty removes a directory. The marker goes last, so that a directory of which
// a part has been removed is known as a leftover still. Links are removed, not
// followed.
func empty(path string) error {
	inside, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range inside {
		if e.Name() != marker {
			if err := os.RemoveAll(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.Remove(filepath.Join(path, marker)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Remove(path)
}

// Sweep removes the directories below parent that killed processes of this user
// have left. What it cannot remove stays.
func Sweep(parent string) {
	dir, err := os.Open(parent)
	if err != nil {
		return
	}
	names, _ := dir.Readdirnames(entries)
	_ = dir.Close()
	removed := 0
	for _, name := range names {
		if removed == atMost {
			return
		}
		if isName(name) && sweep(filepath.Join(parent, name)) {
			removed++
		}
	}
}

// sweep removes a directory if it is a leftover.
func sweep(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || !isOwn(info) {
		return false
	}
	lock, err := claim(path)
	if err != nil {
		return false // in use
	}
	defer func() { _ = lock.Close() }()
	if _, err := os.Lstat(filepath.Join(path, marker)); err != nil {
		return os.Remove(path) == nil // killed before it made the marker, or somebody else's: it must have nothing in it
	}
	return empty(path) == nil
}

// isName reports whether a name is one that New makes.
func isName(name string) bool {
	if len(name) != NameLength || name[:len(prefix)] != prefix {
		return false
	}
	_, err := hex.DecodeString(name[len(prefix):])
	return err == nil
}
