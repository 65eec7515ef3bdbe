package plugin

import (
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"runtime/trace"
)

// A Profile says where a process writes how it spends its time. The zero value
// asks for nothing.
type Profile struct {
	CPU   string // file for a CPU profile (go tool pprof); empty: none
	Trace string // file for an execution trace (go tool trace); empty: none
}

// The variables by which a host asks a plugin for profiles.
const (
	cpuKey   = ownKeys + "CPUPROFILE"
	traceKey = ownKeys + "TRACE"
)

// Start begins to profile this process, until stop is called. There can be one
// profile at a time.
func (p Profile) Start() (stop func() error, err error) {
	var stops []func() error
	stop = func() error {
		var all []error
		for _, s := range stops {
			all = append(all, s())
		}
		return errors.Join(all...)
	}
	begin := func(path string, start func(*os.File) error, end func()) error {
		if path == "" {
			return nil
		}
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		if err := start(f); err != nil {
			_ = f.Close()
			return fmt.Errorf("%s: %w", path, err)
		}
		stops = append(stops, func() error { end(); return f.Close() })
		return nil
	}
	err = begin(p.CPU, func(f *os.File) error { return pprof.StartCPUProfile(f) }, pprof.StopCPUProfile)
	if err == nil {
		err = begin(p.Trace, func(f *os.File) error { return trace.Start(f) }, trace.Stop)
	}
	if err != nil {
		return nil, errors.Join(err, stop())
	}
	return stop, nil
}

func (p Profile) wanted() bool { return p != Profile{} }

// variables ask a plugin for the profile.
func (p Profile) variables() []string {
	var env []string
	if p.CPU != "" {
		env = append(env, cpuKey+"="+p.CPU)
	}
	if p.Trace != "" {
		env = append(env, traceKey+"="+p.Trace)
	}
	return env
}

// profileAskedFor returns what the host has asked this process for.
func profileAskedFor() Profile {
	p := Profile{CPU: os.Getenv(cpuKey), Trace: os.Getenv(traceKey)}
	_, _ = os.Unsetenv(cpuKey), os.Unsetenv(traceKey) // not for what the algorithm may start
	return p
}
