package host

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	goplugrunner "github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/pb"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/peer"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
	"github.com/sqlcluster/sqlcluster/framework/scratch"
)

// A Program is what is started as a plugin.
type Program struct {
	Name string // for messages; empty: from Path
	Path string // a file, or a name to be found in PATH
	Args []string

	// SHA256 is that of the file, in hex, if nothing else may be run: see Hash. The
	// process then runs a copy that was made while the file was read to be hashed. A
	// program that asks for the path of its file is not told that of Path, but its
	// arguments begin with it. A script is copied alone, without its interpreter and
	// what it loads; beside the copy are links to the files beside the script.
	SHA256 string

	// Own says that it is the program of this process, started once more, and directly:
	// the two then know each other by the numbers of their processes, where the system
	// tells these, and need no certificates, which take longer to make than the rest of
	// the start.
	Own bool

	Env []string // NAME=VALUE, besides what a plugin gets of the host's environment

	// Guard is a program that calls Guard, with the arguments by which it knows that it
	// is to do so. The plugin then has no files open but its own. nil: it is started as
	// it is, and has those that this process keeps open over an exec.
	Guard []string

	Algorithm string // that it is started for, for messages; empty: for none alone
}

// Options say how to run a plugin. The zero value is fine.
type Options struct {
	StartTimeout time.Duration // until the first answer; 0: 30 s
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
	defaults(&o.StartTimeout, 30*time.Second)
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
	name      string
	algorithm string // that it was started for; "": none in particular
	opts      Options
	runner    *runner
	client    *goplugin.Client
	attached  *grpc.ClientConn // to a process that this one has not started, see Attach; nil: it has
	calls     pb.PluginClient

	life    context.Context // ends with the process; the cause is errClosed, errHung or another
	end     context.CancelCauseFunc
	close   sync.Once
	closing error
}

// Launch starts the program and returns when it is ready for calls. The process
// must be closed. Its end is not tied to ctx, which bounds the start only.
func Launch(ctx context.Context, prog Program, o Options) (*Process, error) {
	p, err := start(ctx, prog, o)
	if err != nil {
		return nil, err
	}
	return p.removeSocket()
}

// start is Launch, but for the socket, to which others can still connect.
func start(ctx context.Context, prog Program, o Options) (*Process, error) {
	p := &Process{name: prog.Name, algorithm: prog.Algorithm, opts: o.withDefaults()}
	if p.name == "" {
		p.name = strings.TrimPrefix(filepath.Base(prog.Path), "sqlcluster-plugin-")
	}
	path, err := exec.LookPath(prog.Path)
	if err != nil {
		return nil, p.missingFault(prog.Path, err, false)
	}
	p.runner = newRunner(path, prog, o)
	if prog.SHA256 != "" {
		if p.runner.image, err = p.pin(path, prog.SHA256); err != nil {
			return nil, err
		}
	}
	if p.runner.scratch, err = scratch.Shared(socketParent()); err != nil {
		p.runner.image.release()
		return nil, p.systemFault(err)
	}
	p.life, p.end = context.WithCancelCause(context.Background())
	p.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: map[int]goplugin.PluginSet{wire.Version: {wire.Served: &wire.Glue{}}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         !p.runner.own,
		SkipHostEnv:      true, // the runner has a list of its own
		StartTimeout:     p.opts.StartTimeout,
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: p.runner.scratch.Path()},
		GRPCDialOptions:  p.dialOptions(),
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
			return p, nil
		}
	case <-timeout.C:
		timedOut = true
	case <-ctx.Done():
	}
	return nil, p.giveUp(ctx, ready, err, timedOut)
}

// dialOptions are those of the connection. The last credentials count.
func (p *Process) dialOptions() []grpc.DialOption {
	options := []grpc.DialOption{callOptions, neverIdle}
	if p.runner.own {
		options = append(options, grpc.WithTransportCredentials(peer.Credentials(p.PID)))
	}
	return options
}

// title is what messages call the process. The user has asked for an algorithm, and
// may not know the plugin if that has another name.
func (p *Process) title() string {
	if p.algorithm == "" || p.algorithm == p.name {
		return "plugin " + p.name
	}
	return p.algorithm + " (plugin " + p.name + ")"
}

// connect starts the process, connects to it and waits for its first beat.
func (p *Process) connect() error {
	protocol, err := p.client.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(wire.Served)
	if err != nil {
		return err
	}
	p.calls = raw.(pb.PluginClient)
	return p.watch()
}

// removeSocket removes the directory of the socket. A process whose directory stays
// is ended.
func (p *Process) removeSocket() (*Process, error) {
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

// Forced reports whether an ended process had to be killed, as it did not end when it
// was asked to.
func (p *Process) Forced() bool { return p.Ended() && p.runner.wasKilled() }

// Close ends the process, if need be by force, and removes what it has left. It
// returns within three seconds, or four when there is a profile to write, and
// may be called more than once. A process that was attached to goes on.
func (p *Process) Close() error {
	p.close.Do(func() {
		p.end(errClosed)
		if p.attached != nil {
			p.closing = p.attached.Close()
			return
		}
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
