package process

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadAtMost reads a file that must not be longer. Nothing is read from a pipe,
// which may never say anything.
func ReadAtMost(path string, most int64) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return nil, errors.New("it is a pipe or a socket, not a file")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("it has more than %d KiB", most>>10)
	}
	return text, err
}
