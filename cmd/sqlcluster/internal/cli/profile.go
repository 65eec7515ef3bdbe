package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// pluginSuffix ends the names of the profiles of a plugin's process.
const pluginSuffix = ".plugin"

// startProfile begins what --cpuprofile and --trace ask for in this process,
// and what to ask of the plugin's process. stop ends it; the plugin's profile is
// complete when its process has ended.
func (a *app) startProfile() (stop func() error, err error) {
	var of host.Profile
	s := a.settings
	here := host.Profile{CPU: s.cpuprofile, Trace: s.trace}
	if here.CPU != "" && here.CPU == here.Trace {
		return nil, framework.Faultf(framework.Usage, "bad-flag", "--cpuprofile and --trace cannot be one file").At("trace")
	}
	for _, f := range []struct {
		flag, path string
		plugin     *string
	}{{"cpuprofile", here.CPU, &of.CPU}, {"trace", here.Trace, &of.Trace}} {
		if f.path == "" {
			continue
		}
		if *f.plugin, err = filepath.Abs(f.path + pluginSuffix); err != nil {
			return nil, err
		}
		for _, path := range []string{f.path, f.path + pluginSuffix} {
			if err := touch(path); err != nil {
				fault := framework.Faultf(framework.Internal, "file-unwritable", "cannot write %s", path).At(f.flag)
				fault.Err = err
				if at, ok := errors.AsType[*fs.PathError](err); ok {
					fault.Err = at.Err // the path has been said
				}
				return nil, fault
			}
		}
	}
	if stop, err = here.Start(); err != nil {
		return nil, framework.Faultf(framework.Internal, "profile-failed", "cannot make a profile: %v", err)
	}
	a.profile = of
	return stop, nil
}

// touch finds out whether a file can be written.
func touch(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// endProfile ends what startProfile began, and says where the profiles are. It
// returns the error of the fit, if there is one.
func (a *app) endProfile(stop func() error, failed error) error {
	err := stop()
	if failed != nil {
		return failed
	}
	if err != nil {
		return framework.Faultf(framework.Internal, "profile-failed", "the profile is not complete: %v", err)
	}
	if path := a.settings.cpuprofile; path != "" {
		a.note("CPU profiles: %s of the command, %s of the algorithm; see them with: go tool pprof -http : FILE", path, path+pluginSuffix)
	}
	if path := a.settings.trace; path != "" {
		a.note("traces: %s of the command, %s of the algorithm; see them with: go tool trace FILE", path, path+pluginSuffix)
	}
	return nil
}
