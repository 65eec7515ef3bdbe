package host

import (
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/profile"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
)

// A Profile says where a process writes how it spends its time. The zero value
// asks for nothing.
type Profile struct {
	CPU   string // file for a CPU profile (go tool pprof); empty: none
	Trace string // file for an execution trace (go tool trace); empty: none
}

// Start begins to profile this process, until stop is called. There can be one
// profile at a time.
func (p Profile) Start() (stop func() error, err error) { return profile.Start(p.CPU, p.Trace) }

func (p Profile) wanted() bool { return p != Profile{} }

// variables ask a plugin for the profile.
func (p Profile) variables() []string {
	var env []string
	if p.CPU != "" {
		env = append(env, wire.CPUKey+"="+p.CPU)
	}
	if p.Trace != "" {
		env = append(env, wire.TraceKey+"="+p.Trace)
	}
	return env
}
