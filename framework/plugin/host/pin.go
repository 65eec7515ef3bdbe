package host

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/scratch"
)

// mostProgram bounds a pinned program, in bytes, since it is copied into memory.
const mostProgram = 2 << 30

// An image is what is executed of a pinned program: the very bytes that were hashed,
// where nobody can exchange them for others.
type image struct {
	path string       // of a file; "": the file in memory
	file *os.File     // in memory; nil: none
	dir  *scratch.Dir // that has path in it; nil: none
}

// release frees the copy. A process that has begun to run a file in memory goes on;
// an interpreter may read its script at any time.
func (i *image) release() {
	i.started()
	if i.dir != nil {
		_ = i.dir.Release()
		i.dir = nil
	}
}

// started frees what is not needed once the process runs.
func (i *image) started() {
	if i.file != nil {
		_ = i.file.Close()
		i.file = nil
	}
}

// Hash returns the SHA-256 of a file, in hex, as Program.SHA256 has it.
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
	return sum(h), nil
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// pin copies the program while it is hashed, and refuses it unless it has the hash
// that it was added with.
func (p *Process) pin(path, sha string) (i image, err error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe in its place would never open
	if err != nil {
		return i, p.missingFault(path, err, false)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is not a file")
	case info.Size() > mostProgram:
		err = fmt.Errorf("it has more than %d MiB", mostProgram>>20)
	case info.Mode()&0o111 == 0:
		err = fs.ErrPermission
	}
	if err != nil {
		return i, p.missingFault(path, err, false)
	}
	h := sha256.New()
	all := bufio.NewReader(io.TeeReader(io.LimitReader(file, mostProgram), h)) // it may grow meanwhile
	if i, err = copied(path, all, isScript(all)); err != nil {
		i.release()
		return i, p.systemFault(err)
	}
	if now := sum(h); now != sha {
		i.release()
		return i, p.changedFault(path, sha, now)
	}
	return i, nil
}

// IsScript reports whether a program is a script: then a hash of it says nothing of
// its interpreter and of what it loads.
func IsScript(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	return isScript(bufio.NewReader(file))
}

func isScript(program *bufio.Reader) bool {
	start, _ := program.Peek(2)
	return string(start) == "#!"
}

// copied copies a program into memory, or to a private file: a script, whose
// interpreter opens it by its path, and anything where memory cannot be run.
func copied(path string, from io.Reader, script bool) (i image, err error) {
	if !script {
		if i.file, err = inMemory(filepath.Base(path)); err == nil {
			if _, err = io.Copy(i.file, from); err == nil {
				err = seal(i.file)
			}
			return i, err
		}
	}
	if i.dir, err = scratch.New(os.TempDir()); err != nil {
		return i, err
	}
	i.path = filepath.Join(i.dir.Path(), filepath.Base(path))
	if err := writeProgram(i.path, from); err != nil {
		return i, err
	}
	if script {
		neighbours(path, i.dir.Path())
	}
	return i, nil
}

// writeProgram writes a file that only this user may read and run. A process that is
// forked meanwhile would hold it open for writing, and such a file cannot be run.
func writeProgram(path string, from io.Reader) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o500)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close())
}

// mostNeighbours bounds the links of a script that lies among many other files.
const mostNeighbours = 4096

// neighbours links the files beside a script into the directory of its copy, since
// scripts load others by paths that begin with their own.
func neighbours(script, dir string) {
	from, err := filepath.Abs(filepath.Dir(script))
	if err != nil {
		return
	}
	entries, err := os.ReadDir(from)
	if err != nil || len(entries) > mostNeighbours {
		return
	}
	for _, e := range entries {
		_ = os.Symlink(filepath.Join(from, e.Name()), filepath.Join(dir, e.Name())) // fails for the script itself, which is there
	}
}

// changedFault is the Fault of a program that is not the one that was added.
func (p *Process) changedFault(path, added, now string) error {
	f := framework.Faultf(framework.Plugin, "plugin-changed", "the file of plugin %s is not the one that was added, so it is not run", p.name)
	return f.WithWhere("%s", path).WithHint("if you trust the new file, add the plugin again").
		WithDetails([]string{fmt.Sprintf("sha256 when it was added: %s", added), fmt.Sprintf("sha256 now:               %s", now)})
}
