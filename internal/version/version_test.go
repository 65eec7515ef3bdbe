package version

import (
	"runtime/debug"
	"testing"

	"github.com/sqlcluster/sqlcluster/internal/must"
)

func TestAVersionIsWhatTheGoCommandHasWritten(t *testing.T) {
	commit := "c8bc8ad35ee5a12cce3b4b9cb8149dea2c4e811d"
	git := func(main, changed string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: main}, Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: commit}, {Key: "vcs.time", Value: "2026-11-24T15:18:56Z"}, {Key: "vcs.modified", Value: changed}}}
	}
	for name, c := range map[string]struct {
		info   *debug.BuildInfo
		given  string
		want   Version
		origin string
	}{
		"at a tag": {git("v0.7.0", "false"), "", Version{"v0.7.0", commit, "2026-11-24", false}, "commit c8bc8ad35ee5 of 2026-11-24"},
		"behind a tag": {git("v0.7.1-0.20261124151856-c8bc8ad35ee5+dirty", "true"), "",
			Version{"v0.7.1-0.20261124151856-c8bc8ad35ee5+dirty", commit, "2026-11-24", true}, "commit c8bc8ad35ee5 of 2026-11-24 and changes"},
		"go install of a version": {&debug.BuildInfo{Main: debug.Module{Version: "v0.7.0"}}, "", Version{Name: "v0.7.0"}, ""},
		"without git": {&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "",
			Version{Name: Unknown}, "built from files without a version"},
		"without git, but given": {&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "v0.7.0", Version{Name: "v0.7.0"}, ""},
		"given, but git knows": {git("v0.7.0", "false"), "v9.9.9",
			Version{"v0.7.0", commit, "2026-11-24", false}, "commit c8bc8ad35ee5 of 2026-11-24"},
		"nothing written": {nil, "", Version{Name: Unknown}, "built from files without a version"},
	} {
		t.Run(name, func(t *testing.T) {
			got := of(c.info, c.given)
			must.Equal(t, c.want, got)
			must.Equal(t, c.origin, got.Origin())
		})
	}
}
