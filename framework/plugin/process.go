package plugin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin/proto"
)

// A Program is an executable that serves algorithms.
type Program struct {
	Name string // for messages; "": the file's name
	Path string
	Args []string
}

// Options of a process. Zero values stand for the defaults.
type Options struct {
	StartTimeout time.Duration // from start to handshake; 10 s
	CallTimeout  time.Duration // of a step, and between two signs of life of a fit; 30 s
}

// A Process is a running plugin.
type Process struct {
	name   string
	o      Options
	client *goplugin.Client
	rpc    proto.ClustererClient
	run    *process
	dir    string
}

// Launch starts a plugin and shakes hands with it. Errors are Faults of class
// Plugin, or ctx's error.
func Launch(ctx context.Context, program Program, o Options) (*Process, error) {
	if o.StartTimeout == 0 {
		o.StartTimeout = 10 * time.Second
	}
	if o.CallTimeout == 0 {
		o.CallTimeout = 30 * time.Second
	}
	if program.Name == "" {
		program.Name = filepath.Base(program.Path)
	}
	if err := executable(program); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "sqlcluster-")
	if err != nil {
		return nil, framework.Faultf(framework.Internal, "no-directory", "cannot make a directory for the plugin's sockets: %v", err).
			WithHint("set TMPDIR to a directory that can be written")
	}
	p := &Process{name: program.Name, o: o, dir: dir}
	p.client = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  handshake,
		Plugins:          goplugin.PluginSet{service: &wire{}},
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		AutoMTLS:         true,
		SkipHostEnv:      true,
		StartTimeout:     o.StartTimeout,
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: dir},
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, _ string) (runner.Runner, error) {
			p.run = newProcess(program, cmd.Env)
			return p.run, nil
		},
	})
	if err := p.connect(ctx); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// executable refuses what cannot be started.
func executable(program Program) error {
	path, err := exec.LookPath(program.Path)
	if err == nil {
		if info, statErr := os.Stat(path); statErr == nil && !info.IsDir() {
			return nil
		}
	}
	why := "it does not exist"
	if errors.Is(err, fs.ErrPermission) {
		why = "it may not be executed"
	}
	return framework.Faultf(framework.Plugin, "plugin-missing", "cannot start the plugin %s: %s", program.Name, why).
		WithWhere("%s", program.Path).WithHint("sqlcluster plugin list shows the plugins that are installed")
}

// connect shakes hands, and gives up when ctx is cancelled.
func (p *Process) connect(ctx context.Context) error {
	done := make(chan error, 1)
	go func() {
		protocol, err := p.client.Client()
		if err == nil {
			var raw any
			if raw, err = protocol.Dispense(service); err == nil {
				p.rpc = raw.(proto.ClustererClient)
			}
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return p.startFault(err)
		}
		return nil
	case <-ctx.Done():
		if p.run != nil {
			_ = p.run.Kill(ctx)
		}
		<-done
		return ctx.Err()
	}
}

// startFault says why there was no handshake.
func (p *Process) startFault(err error) error {
	text := err.Error()
	f := framework.Faultf(framework.Plugin, "plugin-start", "the plugin %s did not start", p.name)
	switch {
	case strings.Contains(text, "ncompatible"):
		f.Code = "plugin-version"
		f.Summary = fmt.Sprintf("the plugin %s speaks another version of the protocol than this sqlcluster (%d)", p.name, handshake.ProtocolVersion)
		f.Hint = "install a version of the plugin that was made for this sqlcluster"
	case strings.Contains(text, "timeout"):
		f.Code = "plugin-start-timeout"
		f.Summary = fmt.Sprintf("the plugin %s did not answer within %v", p.name, p.o.StartTimeout)
	default:
		f.Hint = "is it a plugin of sqlcluster? Run it by hand to see what it prints"
	}
	if p.run != nil {
		f.Details = p.run.lastLines()
	}
	return f
}

// PID returns the number of the operating system's process.
func (p *Process) PID() int { return p.run.pid() }

// Describe returns what the plugin serves.
func (p *Process) Describe(ctx context.Context) ([]framework.Description, error) {
	limited, cancel := context.WithTimeout(ctx, p.o.CallTimeout)
	defer cancel()
	reply, err := p.rpc.Describe(limited, &proto.DescribeRequest{})
	if err != nil {
		return nil, p.callFault(ctx, "describing itself", err)
	}
	var all []framework.Description
	for _, d := range reply.Algorithms {
		all = append(all, fromDescription(d))
	}
	return all, nil
}

// Close ends the process and everything that it started, and removes its
// sockets. It may be called more than once.
func (p *Process) Close() error {
	p.kill()
	return nil
}

// kill ends the group at once: a plugin has nothing to save, and a frozen one
// would never answer a polite request.
func (p *Process) kill() {
	if p.run != nil {
		_ = p.run.Kill(context.Background())
	}
	done := make(chan struct{})
	go func() { p.client.Kill(); close(done) }()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
	}
	_ = os.RemoveAll(p.dir)
}
