//go:build !portable

package scratch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

// names returns what is in a directory.
func names(t *testing.T, dir string) []string {
	t.Helper()
	inside := must.Get(os.ReadDir(dir))(t)
	all := []string{}
	for _, e := range inside {
		all = append(all, e.Name())
	}
	return all
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

func made(t *testing.T, from func(string) (*Dir, error), parent string) *Dir {
	t.Helper()
	return must.Get(from(parent))(t)
}

// die ends the lock of a directory, as the death of its process does.
func die(t *testing.T, d *Dir) {
	t.Helper()
	must.Do(t, d.lock.Close())
}

func TestAReleaseRemovesEverything(t *testing.T) {
	parent := t.TempDir()
	d := made(t, New, parent)
	write(t, filepath.Join(d.Path(), "deep", "file"), "x")
	if err := d.Release(); err != nil || len(names(t, parent)) > 0 {
		t.Errorf("%v; left: %v", err, names(t, parent))
	}
}

func TestADirectoryOfALivingProcessStays(t *testing.T) {
	parent := t.TempDir()
	d := made(t, New, parent)
	write(t, filepath.Join(d.Path(), "file"), "x")
	Sweep(parent)
	if got := names(t, d.Path()); !slices.Equal(got, []string{"file", marker}) {
		t.Errorf("what is left of it is %v", got)
	}
	must.Do(t, d.Release())
}

func TestTheNextDirectoryTakesThePlaceOfWhatADeadProcessHasLeft(t *testing.T) {
	parent := t.TempDir()
	killed := made(t, New, parent)
	write(t, filepath.Join(killed.Path(), "deep", "file"), "x")
	die(t, killed)
	early := filepath.Join(parent, prefix+"00000000") // killed before it had a lock
	must.Do(t, os.Mkdir(early, 0o700))
	d := made(t, New, parent)
	if got := names(t, parent); !slices.Equal(got, []string{filepath.Base(d.Path())}) {
		t.Errorf("there are %v", got)
	}
	must.Do(t, d.Release())
}

func TestNothingOfOthersIsRemoved(t *testing.T) {
	parent, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, marker), "")
	write(t, filepath.Join(outside, "precious"), "x")
	in := func(name string) string { return filepath.Join(parent, name) }
	for _, name := range []string{
		prefix + "notes", prefix + "0000000", prefix + "000000000", prefix + "0000000g", // none is 8 hexadecimal digits
		"sqlcluster-00000000", prefix + "11111111", // without marker
	} {
		write(t, filepath.Join(in(name), "precious"), "x")
	}
	for _, name := range []string{prefix + "notes", "sqlcluster-00000000"} {
		write(t, filepath.Join(in(name), marker), "")
	}
	write(t, in(prefix+"22222222"), "a file")
	must.Do(t, os.Symlink(outside, in(prefix+"33333333")))
	write(t, filepath.Join(in(prefix+"44444444"), marker), "") // open to others, as New makes none
	must.Do(t, os.Chmod(in(prefix+"44444444"), 0o755))
	before := names(t, parent)
	Sweep(parent)
	if got := names(t, parent); !slices.Equal(got, before) {
		t.Errorf("of %v there are %v", before, got)
	}
	if got := names(t, outside); !slices.Equal(got, []string{"precious", marker}) {
		t.Errorf("behind a link there are %v", got)
	}
}

// swap moves a directory away, and puts a link to another one in its place, which
// has a marker too.
func swap(t *testing.T, d *Dir) (outside string) {
	t.Helper()
	outside = t.TempDir()
	write(t, filepath.Join(outside, marker), "")
	write(t, filepath.Join(outside, "precious"), "x")
	must.Do(t, os.Rename(d.Path(), d.Path()+".moved"))
	must.Do(t, os.Symlink(outside, d.Path()))
	return outside
}

func TestAReleaseRemovesNothingFromADirectoryThatHasTakenItsPlace(t *testing.T) {
	for name, locks := range map[string]func(string) (*os.File, error){
		"with locks":    claim,
		"without locks": func(string) (*os.File, error) { return nil, errors.ErrUnsupported },
	} {
		t.Run(name, func(t *testing.T) {
			d := must.Get(create(t.TempDir(), locks))(t)
			outside := swap(t, d)
			if err := d.RemoveAll(filepath.Join(d.Path(), "precious")); !errors.Is(err, errReplaced) {
				t.Errorf("removing one file gave %v", err)
			}
			if err := d.Release(); !errors.Is(err, errReplaced) {
				t.Errorf("the release gave %v", err)
			}
			if got := names(t, outside); !slices.Equal(got, []string{"precious", marker}) {
				t.Errorf("of the other directory is left %v", got)
			}
		})
	}
}

func TestNothingOutsideADirectoryIsRemovedByItsRemoveAll(t *testing.T) {
	parent := t.TempDir()
	d := made(t, New, parent)
	write(t, filepath.Join(parent, "precious"), "x")
	write(t, filepath.Join(d.Path(), "deep", "file"), "x")
	for _, path := range []string{filepath.Join(parent, "precious"), parent, filepath.Join(d.Path(), "..", "precious")} {
		if err := d.RemoveAll(path); err == nil {
			t.Errorf("removing %s is no error", path)
		}
	}
	if err := d.RemoveAll(filepath.Join(d.Path(), "deep")); err != nil || !slices.Equal(names(t, d.Path()), []string{marker}) {
		t.Errorf("%v; there are %v", err, names(t, d.Path()))
	}
	if err := d.Release(); err != nil || !slices.Equal(names(t, parent), []string{"precious"}) {
		t.Errorf("%v; there are %v", err, names(t, parent))
	}
}

// As on file systems where a directory has another number each time.
func TestDirectoriesThatCannotBeLockedAreNotMadeForEver(t *testing.T) {
	parent := t.TempDir()
	tried := 0
	d, err := create(parent, func(string) (*os.File, error) {
		if tried++; tried > tries {
			return nil, errors.New("too often")
		}
		return nil, errTaken
	})
	if d != nil || !errors.Is(err, errTaken) {
		t.Errorf("%v, %v", d, err)
	}
	if left := names(t, parent); tried != tries || len(left) > 0 {
		t.Errorf("after %d tries there are %v", tried, left)
	}
}

func TestALinkInALeftoverIsNotFollowed(t *testing.T) {
	parent, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "precious"), "x")
	d := made(t, New, parent)
	must.Do(t, os.Symlink(outside, filepath.Join(d.Path(), "link")))
	die(t, d)
	Sweep(parent)
	if len(names(t, parent)) > 0 || len(names(t, outside)) != 1 {
		t.Errorf("left: %v; outside: %v", names(t, parent), names(t, outside))
	}
}

func TestALeftoverThatIsHalfRemovedIsStillOne(t *testing.T) {
	parent := t.TempDir()
	d := made(t, New, parent)
	write(t, filepath.Join(d.Path(), "a"), "x")
	write(t, filepath.Join(d.Path(), "z"), "x")
	die(t, d)
	if err := os.Remove(filepath.Join(d.Path(), "a")); err != nil { // as by a sweep that is killed
		t.Fatal(err)
	}
	Sweep(parent)
	if left := names(t, parent); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestASharedDirectoryStaysUntilItsLastUserIsDone(t *testing.T) {
	parent := t.TempDir()
	a, b := made(t, Shared, parent), made(t, Shared, parent)
	if a.Path() != b.Path() {
		t.Errorf("%s is not %s", a.Path(), b.Path())
	}
	if err := a.Release(); err != nil || len(names(t, parent)) != 1 {
		t.Errorf("%v; there are %v", err, names(t, parent))
	}
	if err := b.Release(); err != nil || len(names(t, parent)) != 0 {
		t.Errorf("%v; there are %v", err, names(t, parent))
	}
	c := made(t, Shared, parent)
	if c.Path() == a.Path() || !strings.HasPrefix(filepath.Base(c.Path()), prefix) {
		t.Errorf("after all were released it is %s again", c.Path())
	}
	must.Do(t, c.Release())
}

// Processes that make and sweep directories in one place at a time, with as many
// as there would be of them here, meet only at a directory that is not locked yet.
func TestADirectoryIsNeverSweptBetweenItsBirthAndItsLock(t *testing.T) {
	parent := t.TempDir()
	done := make(chan error)
	const makers, rounds = 4, 50
	for range makers {
		go func() {
			for range rounds {
				d, err := New(parent) // sweeps first
				if err == nil {
					err = os.WriteFile(filepath.Join(d.Path(), "file"), nil, 0o600)
				}
				if err == nil {
					err = d.Release()
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range makers {
		must.Do(t, <-done)
	}
	if left := names(t, parent); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
