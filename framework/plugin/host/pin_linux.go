//go:build !portable

package host

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// inMemory makes a file that has no path, to be written, sealed and run.
func inMemory(name string) (*os.File, error) {
	if _, err := os.Stat(ownFiles); err != nil {
		return nil, err // it could not be named
	}
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3
		fd, err = unix.MemfdCreate(name, flags)
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// seal makes the file one that nobody can change any more.
func seal(file *os.File) error {
	const all = unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK | unix.F_SEAL_SEAL
	_, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, all)
	return err
}
