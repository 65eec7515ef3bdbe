package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A source is the commit that is released.
type source struct {
	version string // its tag v1.2.3; without one, what git describe calls it
	tagged  bool
	changed string // files that are not as in the commit; "": none
	commit  string
	time    time.Time // of the commit, which all files of the archives have
}

func git(args ...string) (string, error) {
	out, err := exec.Command("git", args...).Output() //nolint:gosec // arguments of this program
	return strings.TrimSpace(string(out)), err
}

func readSource() (s source, err error) {
	if s.commit, err = git("rev-parse", "HEAD"); err != nil {
		return s, errors.New("this is no git repository, and so nothing says which version it is; make it in a clone")
	}
	if s.changed, err = git("status", "--porcelain"); err != nil {
		return s, err
	}
	seconds, err := git("show", "-s", "--format=%ct", "HEAD")
	if err != nil {
		return s, err
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return s, err
	}
	s.time = time.Unix(unix, 0).UTC()
	s.version, err = git("describe", "--tags", "--exact-match", "--match", "v[0-9]*", "HEAD")
	if s.tagged = err == nil; s.tagged {
		return s, nil
	}
	s.version, err = git("describe", "--tags", "--always", "--dirty", "--match", "v[0-9]*")
	return s, err
}

// semantic are the versions of Semantic Versioning 2.0.0 without build metadata, with the
// v of Go modules.
var semantic = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

// releasable returns an error that says why the commit cannot be released.
func (s source) releasable() error {
	if !s.tagged {
		return fmt.Errorf("commit %.12s has no tag with a version; make one (git tag -a v1.2.3), or a snapshot (make snapshot)", s.commit)
	}
	if !semantic.MatchString(s.version) {
		return fmt.Errorf("the tag %s is not a version like v1.2.3 or v1.2.3-rc.1", s.version)
	}
	if s.changed != "" {
		return fmt.Errorf("files are not as in commit %.12s:\n%s\ncommit or remove them; ignored files do no harm", s.commit, s.changed)
	}
	text, err := os.ReadFile("CHANGELOG.md")
	if err != nil {
		return err
	}
	_, err = section(string(text), strings.TrimPrefix(s.version, "v"))
	return err
}

var heading = regexp.MustCompile(`(?m)^## \[?([^\]\s]+)\]?(?: - (\d{4}-\d{2}-\d{2}))?.*\n`)

// section returns what the changelog says of a version. It is an error if that is nothing,
// or if there is no date.
func section(changelog, version string) (string, error) {
	all := heading.FindAllStringSubmatchIndex(changelog, -1)
	for i, at := range all {
		if changelog[at[2]:at[3]] != version {
			continue
		}
		end := len(changelog)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		text := strings.TrimSpace(changelog[at[1]:end])
		if at[4] < 0 {
			return "", fmt.Errorf("the section %s of CHANGELOG.md has no date: write ## %s - 2006-01-02", version, version)
		}
		if !strings.Contains(text, "- ") {
			return "", fmt.Errorf("the section %s of CHANGELOG.md is empty: move the lines of Unreleased there", version)
		}
		return text, nil
	}
	return "", fmt.Errorf("CHANGELOG.md has no section for %s: name it ## %s - 2006-01-02, with the lines of Unreleased", version, version)
}
