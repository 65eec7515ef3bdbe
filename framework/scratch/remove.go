package scratch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// errReplaced says that a path leads to something else than the directory that
// was made there.
var errReplaced = errors.New("it was replaced while it was in use")

// RemoveAll removes a path in the directory and all that is in it.
func (d *Dir) RemoveAll(path string) error {
	inside, err := filepath.Rel(d.path, path)
	if err != nil {
		return err
	}
	root, err := d.open()
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return root.RemoveAll(inside)
}

func (d *Dir) remove() error {
	root, err := d.open()
	if err == nil {
		err = empty(root)
	}
	if err == nil {
		err = os.Remove(d.path)
	}
	if d.lock != nil {
		_ = d.lock.Close() // not before the directory is gone
	}
	return err
}

// open opens the directory, if its path still leads to it: somebody may have
// moved it, and put something else in its place, which is not ours to remove.
func (d *Dir) open() (*os.Root, error) {
	own := d.made
	if d.lock != nil {
		info, err := d.lock.Stat()
		if err != nil {
			return nil, err
		}
		own = info
	}
	named, err := os.Lstat(d.path)
	if err != nil {
		return nil, err
	}
	if !os.SameFile(own, named) {
		return nil, &fs.PathError{Op: "open", Path: d.path, Err: errReplaced}
	}
	root, err := os.OpenRoot(d.path)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".") // it may have been moved since
	if err == nil && !os.SameFile(own, opened) {
		err = &fs.PathError{Op: "open", Path: d.path, Err: errReplaced}
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return root, nil
}

// empty removes what is in a directory, and closes it. The marker goes last, so
// that a directory that is half removed is still known as a leftover.
// Links are removed, not followed.
func empty(root *os.Root) error {
	defer func() { _ = root.Close() }()
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	inside, err := dir.Readdirnames(-1)
	_ = dir.Close()
	if err != nil {
		return err
	}
	for _, name := range inside {
		if name != marker {
			if err := root.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	if err := root.Remove(marker); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
