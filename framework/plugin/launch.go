package plugin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	goplugrunner "github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/scratch"
)

// A Program is what is started as a plugin.
type Program struct {
	Name string // for messages; empty: from Path
	Path string // a file, or a name to be found in PATH
	Args []string

	Algorithm string // that it is started for, for messages; empty: for none alone
}

// Options say how to run a plugin. The zero value is fine.
type Options struct {
	StartTimeout time.Duration // until the first answer; 0: 10 s
	CallTimeout  time.Duration // silence after which the process counts as hung; 0: 10 s
	StepTimeout  time.Duration // for a step of an algorithm or a call of a set, whoever drives; 0: 10 min
	Profile      Profile       // of the plugin's process; its files are written when it is closed
	Stderr       io.Writer     // gets the plugin's standard error too, and must not block; nil: nothing does
}

func (o Options) withDefaults() Options {
	defaults := func(d *time.Duration, value time.Duration) {
		if *d <= 0 {
			*d = value
		}
	}
	defaults(&o.StartTimeout, 10*time.Second)
	defaults(&o.CallTimeout, 10*time.Second)
	defaults(&o.StepTimeout, 10*time.Minute)
	return o
}

// Times that a process is given.
const (
	exitGrace  = time.Second            // to end by itself
	writeGrace = time.Second            // and to write its profile
	killGrace  = time.Second            // to be reaped after a kill
	tidyGrace  = 500 * time.Millisecond // for go-plugin to tidy up after that
	closeGrace = 2 * time.Second        // for a session to stop its calls
)

// Why a process was ended by the host.
var (
	errClosed = errors.New("closed")
	errHung   = errors.New("hung")
	errStuck  = errors.New("stuck in a step")
	errSlow   = errors.New("late with a call")
)

// A Process is a running plugin. Its methods are safe for concurrent use.
type Process struct {
	name   string
	of     string // the algorithm that it was started for; "": none alone
	opts   Options
	runner *runner
	client *goplugin.Client
	calls  pb.PluginClient

	life    context.Context // ends with the process; the cause is errClosed, errHung or another
	end     context.CancelCauseFunc
	close   sync.Once
	closing error
}

// Launch starts the program and returns when it is ready for calls. The process
// must be closed. Its end is not tied to ctx, which bounds the start only.
func Launch(ctx context.Context, prog Program, o Options) (*Process, error) {
	p := &Process{name: prog.Name, of: prog.Algorithm, opts: o.withDefaults()}
	if p.name == "" {
		p.name = strings.TrimPrefix(filepath.Base(prog.Path), "sqlcluster-plugin-")
	}
	path, err := exec.LookPath(prog.Path)
	if err != nil {
		return nil, p.missing(prog.Path, err)
	}
	p.runner = newRunner(path, prog.Args, o)
	if p.runner.scratch, err = scratch.Shared(socketParent()); err != nil {
		return nil, p.noSocket(err)
	}
	p.life, p.end = context.WithCancelCause(context.Background())
	p.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  cookie,
		VersionedPlugins: map[int]goplugin.PluginSet{protocolVersion: {pluginName: &glue{}}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         true,
		SkipHostEnv:      true, // the runner has a list of its own
		StartTimeout:     p.opts.StartTimeout,
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: p.runner.scratch.Path()},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
			grpc.WithIdleTimeout(0), // the socket's path is gone: there is no second connection
		},
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, dir string) (goplugrunner.Runner, error) {
			p.runner.prepare(cmd, dir)
			return p.runner, nil
		},
	})
	ready := make(chan error, 1)
	go func() { ready <- p.connect() }()
	timeout := time.NewTimer(p.opts.StartTimeout)
	defer timeout.Stop()
	timedOut := false
	select {
	case err = <-ready:
		if err == nil {
			return p.tidied()
		}
	case <-timeout.C:
		timedOut = true
	case <-ctx.Done():
	}
	return nil, p.giveUp(ctx, ready, err, timedOut)
}

// title is what messages call the process: the user has asked for an algorithm, and
// may not know of a plugin with another name.
func (p *Process) title() string {
	if p.of == "" || p.of == p.name {
		return "plugin " + p.name
	}
	return p.of + " (plugin " + p.name + ")"
}

// connect starts the process, connects to it and waits for its first beat.
func (p *Process) connect() error {
	protocol, err := p.client.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(pluginName)
	if err != nil {
		return err
	}
	p.calls = raw.(pb.PluginClient)
	return p.watch()
}

// tidied removes the directory of the socket. A process whose directory stays
// is ended.
func (p *Process) tidied() (*Process, error) {
	if err := p.runner.removeSocket(); err != nil {
		_ = p.Close()
		return nil, framework.Faultf(framework.Internal, "plugin-start", "%s cannot be started: %v", p.title(), err)
	}
	return p, nil
}

// giveUp ends a process that did not start, and says why it did not.
func (p *Process) giveUp(ctx context.Context, ready chan error, err error, timedOut bool) error {
	crashed := err != nil && p.runner.started() && p.runner.wait(tidyGrace) && !p.runner.wasKilled()
	p.runner.kill()
	if err == nil { // connect is still busy; without a process it cannot be for long
		p.end(errClosed)
		select {
		case <-ready:
		case <-time.After(exitGrace + killGrace):
		}
	}
	_ = p.Close()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return p.startFault(err, timedOut, crashed)
}

func (p *Process) startFault(err error, timedOut, crashed bool) error {
	r := p.runner
	if isShort(r.startErr) {
		return p.noSocket(r.startErr)
	}
	if r.startErr != nil {
		return p.missing(r.path, r.startErr)
	}
	if !r.started() && !timedOut { // nothing to do with the plugin
		return p.noSocket(err)
	}
	found, core, version, said := r.handshake.seen()
	switch {
	case found && (core != goplugin.CoreProtocolVersion || version != protocolVersion):
		f := framework.Faultf(framework.Plugin, "plugin-version", "%s speaks version %d.%d of the plugin protocol, and sqlcluster %d.%d",
			p.title(), core, version, goplugin.CoreProtocolVersion, protocolVersion)
		return f.WithWhere("%s", r.path).WithHint("build the plugin with the version of sqlcluster in use")
	case timedOut:
		f := framework.Faultf(framework.Plugin, "plugin-start-timeout", "%s was not ready after %v", p.title(), p.opts.StartTimeout)
		f.Details = slices.Concat(said, r.stderr.lastWords())
		return f.WithWhere("%s", r.path).WithHint("check that this program is a sqlcluster plugin")
	case crashed && (found || r.stderr.panicked() || !r.cmd.ProcessState.Exited()):
		return p.crashFault("its start").WithWhere("%s", r.path)
	}
	how := "it printed no handshake"
	if crashed {
		how = fmt.Sprintf("it ended with %s", r.ended())
	} else if found {
		how = fmt.Sprintf("it does not answer: %v", err)
	}
	f := framework.Faultf(framework.Plugin, "not-a-plugin", "%s is not a sqlcluster plugin: %s", p.name, how)
	f.Details = slices.Concat(said, r.stderr.lastWords())
	return f.WithWhere("%s", r.path).WithHint("check that this program is a sqlcluster plugin")
}

// missing is the Fault of a program that cannot be executed.
func (p *Process) missing(path string, err error) error {
	why := err.Error()
	code := "plugin-missing"
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		why = "there is no such program"
		if _, found := os.Stat(path); found == nil {
			code, why = "not-a-plugin", "the program that its first line asks for, or its loader, does not exist"
		}
	case errors.Is(err, fs.ErrPermission):
		why = "the file is not executable"
	case errors.Is(err, syscall.ENOEXEC):
		code, why = "not-a-plugin", "the file is not a program for this machine"
	}
	return framework.Faultf(framework.Plugin, code, "%s cannot be started: %s", p.title(), why).
		WithWhere("%s", path).WithHint("check that this is the plugin's program, and that it may be run")
}

// PID returns the process id.
func (p *Process) PID() int { return p.runner.cmd.Process.Pid }

// Orphan makes the plugin believe that its host has died, by closing the pipe
// that ties them, and reports whether it ends within the given time. It is for
// tests of plugins: the process is of no use after it. It reports false where
// there is no such pipe.
func (p *Process) Orphan(within time.Duration) bool {
	if p.runner.lifeline == nil {
		return false
	}
	_ = p.runner.lifeline.Close()
	return p.runner.wait(within)
}

// Ended reports whether the process has ended.
func (p *Process) Ended() bool { return p.runner.wait(0) }

// Close ends the process, if need be by force, and removes what it has left. It
// returns within three seconds, or four when there is a profile to write, and
// may be called more than once.
func (p *Process) Close() error {
	p.close.Do(func() {
		p.end(errClosed)
		tidy := make(chan struct{})
		go func() {
			defer close(tidy)
			p.client.Kill() // asks the plugin to end; blocks while it is frozen
		}()
		if p.runner.started() {
			grace := exitGrace
			if p.opts.Profile.wanted() {
				grace += writeGrace
			}
			p.runner.wait(grace)
			p.runner.kill()
			if !p.runner.wait(killGrace) {
				p.closing = framework.Faultf(framework.Internal, "plugin-immortal", "%s (process %d) cannot be ended", p.title(), p.PID())
			}
		}
		select {
		case <-tidy:
		case <-time.After(tidyGrace):
		}
		p.closing = errors.Join(p.closing, p.runner.release())
	})
	return p.closing
}
