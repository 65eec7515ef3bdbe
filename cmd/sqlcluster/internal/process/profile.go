package process

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

// Profiles returns what the process of a plugin is asked for when this one makes
// profiles. Its files have .plugin behind their names.
func Profiles(of host.Profile) host.Profile {
	file := func(path string) string {
		if path == "" {
			return ""
		}
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
		return path + pluginSuffix
	}
	return host.Profile{CPU: file(of.CPU), Trace: file(of.Trace)}
}

// StartProfile begins the profiles that --cpuprofile and --trace ask for in this
// process. stop ends them; the plugin's are complete when its process has ended.
func StartProfile(here host.Profile) (stop func() error, err error) {
	if here.CPU != "" && here.CPU == here.Trace {
		return nil, framework.Faultf(framework.Usage, "bad-flag", "--cpuprofile and --trace cannot be one file").At("trace")
	}
	for _, f := range []struct{ flag, path string }{{"cpuprofile", here.CPU}, {"trace", here.Trace}} {
		if f.path == "" {
			continue
		}
		for _, path := range []string{f.path, f.path + pluginSuffix} {
			if err := os.WriteFile(path, nil, 0o666); err != nil { // before the fit, which may take long
				fault := framework.Faultf(framework.Internal, "file-unwritable", "cannot write %s", path).At(f.flag)
				fault.Err = err
				if at, ok := errors.AsType[*fs.PathError](err); ok {
					fault.Err = at.Err // the path has been said
				}
				return nil, fault
			}
		}
	}
	end, err := here.Start()
	if err != nil {
		return nil, framework.Faultf(framework.Internal, "profile-failed", "cannot make a profile: %v", err)
	}
	return func() error {
		if err := end(); err != nil {
			return framework.Faultf(framework.Internal, "profile-failed", "the profile is not complete: %v", err)
		}
		return nil
	}, nil
}
