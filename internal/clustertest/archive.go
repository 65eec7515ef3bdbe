package clustertest

import (
	"log"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// Unpack makes a directory NAME of each archive NAME.txtar in dir. It returns the
// directory that has them and everything else in dir, and a function that removes it.
// It is for TestMain, and ends the program if it fails.
func Unpack(dir string) (root string, remove func()) {
	root, err := unpack(dir)
	if err != nil {
		_ = os.RemoveAll(root)
		log.Fatalf("%s cannot be unpacked: %v", dir, err)
	}
	return root, func() { _ = os.RemoveAll(root) }
}

func unpack(dir string) (root string, err error) {
	if root, err = os.MkdirTemp("", "references-"); err != nil {
		return "", err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return root, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return root, err
	}
	for _, e := range entries {
		name, packed := strings.CutSuffix(e.Name(), ".txtar")
		path := filepath.Join(dir, e.Name())
		if packed {
			err = unpackInto(filepath.Join(root, name), path)
		} else {
			err = os.Symlink(path, filepath.Join(root, name))
		}
		if err != nil {
			return root, err
		}
	}
	return root, nil
}

func unpackInto(dir, path string) error {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return err
	}
	for _, f := range archive.Files {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
