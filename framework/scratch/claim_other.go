//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd) || portable

package scratch

import (
	"errors"
	"os"
)

// With the build tag portable this is what every system uses, for tests.

// There are no locks here: what a killed process has left stays.
var errTaken = errors.New("another process has it")

func claim(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func isOwn(os.FileInfo) bool { return false }
