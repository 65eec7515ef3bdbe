package lock

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/sqlcluster/sqlcluster/internal/pattern"
)

// mostText bounds the lock file, in bytes: the descriptions of a plugin may have
// 1 MiB.
const mostText = 64 << 20

// decode returns the plugins of a lock file, which somebody may have edited, in
// alphabetical order.
func decode(text []byte) ([]Plugin, error) {
	var c content
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if c.FormatVersion != formatVersion {
		return nil, fmt.Errorf("it was written by another version of sqlcluster (format %d)", c.FormatVersion)
	}
	seen := map[string]bool{}
	for _, p := range c.Plugins {
		if seen[p.Name] {
			return nil, fmt.Errorf("plugin %q is there twice", p.Name)
		}
		seen[p.Name] = true
		if err := p.check(); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(c.Plugins, func(a, b Plugin) int { return byName(a, b.Name) })
	return c.Plugins, nil
}

var hexDigest = pattern.New(`^[0-9a-f]{64}$`)

var goodName = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// GoodName reports whether a plugin may be called so. Names stand in tables, in commands
// that are pasted, and in names of files.
func GoodName(name string) bool { return goodName().MatchString(name) }

// check refuses an entry that Put was not given: what is at a path that is not
// absolute depends on the working directory.
func (p Plugin) check() error {
	switch {
	case p.Name == "":
		return errors.New("a plugin has no name")
	case !GoodName(p.Name):
		return fmt.Errorf("a plugin has the name %.80q", p.Name)
	case !filepath.IsAbs(p.Path):
		return fmt.Errorf("plugin %q has the path %q, which is not absolute", p.Name, p.Path)
	case !hexDigest().MatchString(p.SHA256):
		return fmt.Errorf("plugin %q has an invalid SHA-256, %.80q", p.Name, p.SHA256)
	}
	for _, d := range p.Algorithms {
		if err := d.Check(); err != nil {
			return err
		}
	}
	for _, d := range p.Sets {
		if err := d.Check(); err != nil {
			return err
		}
	}
	return nil
}
