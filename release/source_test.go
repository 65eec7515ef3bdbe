package main

import (
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

const changelog = `# Changelog

## Unreleased

## [0.9.0] - 2026-12-01

- a: b.

## 0.8.0 - 2026-11-30

Large tables.

- c: d.
- e: f.

## 0.7.0 - 2026-11-24

## 0.6.0

- g: h.
`

func TestASectionOfTheChangelogHasADateAndLines(t *testing.T) {
	for version, want := range map[string]string{
		"0.9.0": "- a: b.",
		"0.8.0": "Large tables.\n\n- c: d.\n- e: f.",
	} {
		must.Equal(t, want, must.Get(section(changelog, version))(t))
	}
	for version, want := range map[string]string{
		"0.7.0": "the section 0.7.0 of CHANGELOG.md is empty: move the lines of Unreleased there",
		"0.6.0": "the section 0.6.0 of CHANGELOG.md has no date: write ## 0.6.0 - 2006-01-02",
		"0.8":   "CHANGELOG.md has no section for 0.8: name it ## 0.8 - 2006-01-02, with the lines of Unreleased",
		"":      "CHANGELOG.md has no section for : name it ##  - 2006-01-02, with the lines of Unreleased",
	} {
		_, err := section(changelog, version)
		must.Fail(t, err, want)
	}
}

func TestOnlySemanticVersionsAreReleased(t *testing.T) {
	for tag, want := range map[string]bool{
		"v0.8.0": true, "v1.0.0-rc.1": true, "v10.20.30": true,
		"0.8.0": false, "v0.8": false, "v01.0.0": false, "v1.0.0+dirty": false, "v1.0.0-": false, "version1": false,
	} {
		if semantic.MatchString(tag) != want {
			t.Errorf("%q: %v", tag, !want)
		}
	}
}

func TestACommitWithoutATagOrWithChangesIsNotReleased(t *testing.T) {
	for name, s := range map[string]source{
		"commit 0123456789ab has no tag with a version; make one (git tag -a v1.2.3), or a snapshot (make snapshot)": {
			version: "v0.7.0-3-g0123456", commit: "0123456789abcdef"},
		"the tag v1.2 is not a version like v1.2.3 or v1.2.3-rc.1": {version: "v1.2", tagged: true},
		"files are not as in commit 0123456789ab:\n M go.mod\ncommit or remove them; ignored files do no harm": {
			version: "v1.2.3", tagged: true, changed: " M go.mod", commit: "0123456789abcdef"},
	} {
		must.Fail(t, s.releasable(), name)
	}
}
