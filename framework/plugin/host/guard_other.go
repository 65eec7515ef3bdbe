//go:build !unix

package host

import "errors"

// guarded returns nothing: no process becomes another program here, and none inherits
// files that it is not given.
func guarded([]string) []string { return nil }

func closeOnExec(int) {}

func execute(string, []string, []string) error { return errors.ErrUnsupported }

// CloseInherited does nothing here.
func CloseInherited() {}
