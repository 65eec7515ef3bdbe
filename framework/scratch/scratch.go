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
	"fmt"
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
	tries   = 100                // directories that are made until one can be locked
)

// NameLength is the length of a directory's name, for paths with little room.
const NameLength = len(prefix) + 2*random

// A Dir is a directory for temporary files of this process.
type Dir struct {
	path   string
	made   os.FileInfo // of it when it was made
	lock   *os.File    // nil: there are no locks here
	parent string      // of a shared one; empty: it is not shared
	users  int         // of a shared one
}

var (
	mu     sync.Mutex
	shared = map[string]*Dir{} // by parent
)

// New makes a directory below parent, after it has removed leftovers from there.
// It must be released.
func New(parent string) (*Dir, error) {
	Sweep(parent)
	return create(parent, claim)
}

// create is New without the sweep, with locks of one's own.
func create(parent string, claim func(path string) (*os.File, error)) (*Dir, error) {
	var err error
	for range tries {
		var name [random]byte
		_, _ = rand.Read(name[:]) // never fails
		d := &Dir{path: filepath.Join(parent, prefix+hex.EncodeToString(name[:]))}
		if err = os.Mkdir(d.path, 0o700); errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if d.made, err = os.Lstat(d.path); err == nil {
			os.SameFile(d.made, d.made) // some systems look up only now which file it is
			d.lock, err = claim(d.path)
		}
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			_ = os.Remove(d.path) // it is empty, or somebody else's
			if errors.Is(err, errTaken) || errors.Is(err, fs.ErrNotExist) {
				continue // whoever has it takes it for a leftover, and removes it
			}
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(d.path, marker), nil, 0o600); err != nil {
			_ = d.remove()
			return nil, err
		}
		return d, nil
	}
	return nil, fmt.Errorf("none of %d new directories in %s could be locked: %w", tries, parent, err)
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
	d := &Dir{path: path, lock: lock}
	if info, err = lock.Stat(); err != nil || !isOwn(info) { // another one than before
		_ = lock.Close()
		return false
	}
	if d.isMarked() {
		return d.remove() == nil
	}
	defer func() { _ = lock.Close() }()
	return os.Remove(path) == nil // killed before it made the marker, or somebody else's: it must have nothing in it
}

func (d *Dir) isMarked() bool {
	root, err := d.open()
	if err != nil {
		return false
	}
	defer func() { _ = root.Close() }()
	_, err = root.Lstat(marker)
	return err == nil
}

// isName reports whether a name is one that New makes.
func isName(name string) bool {
	if len(name) != NameLength || name[:len(prefix)] != prefix {
		return false
	}
	_, err := hex.DecodeString(name[len(prefix):])
	return err == nil
}
