package host

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sqlcluster/sqlcluster/framework/internal/kernel"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/peer"
	"github.com/sqlcluster/sqlcluster/framework/plugin/internal/wire"
	"github.com/sqlcluster/sqlcluster/framework/scratch"
)

// drainGrace is how long output is still read after the process has ended: a
// process that it started may keep the pipes open for ever.
const drainGrace = 200 * time.Millisecond

// allowed are the host's environment variables that a plugin may see; a name
// that ends in * stands for all with that beginning. Others may be secrets.
var allowed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP", "LANG", "LANGUAGE", "LC_*", "TZ", "SYSTEMROOT",
	kernel.Variable,
	"GOMAXPROCS", "GOMEMLIMIT", "GOGC", "GODEBUG", "GOTRACEBACK", "GOCOVERDIR",
	"OMP_*", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
	// Where interpreters and libraries are.
	"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "NODE_PATH", "R_HOME", "R_LIBS*",
	"JULIA_DEPOT_PATH", "JULIA_LOAD_PATH", "JULIA_PROJECT", "JAVA_HOME", "DOTNET_ROOT",
}

// environment returns the variables of the host for a plugin.
func environment(host []string) []string {
	env := []string{"GOTRACEBACK=single"} // enough to be quoted; a later one wins
	for _, kv := range host {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, wire.OwnKeys) {
			continue // a host that is itself a plugin
		}
		if slices.ContainsFunc(allowed, func(a string) bool {
			prefix, wild := strings.CutSuffix(a, "*")
			return name == a || wild && strings.HasPrefix(name, prefix)
		}) {
			env = append(env, kv)
		}
	}
	return env
}

// A runner is the process of a plugin. It implements go-plugin's runner.Runner.
// go-plugin gets the handshake of standard output, and nothing else of what the
// process prints.
type runner struct {
	path    string
	args    []string
	env     []string // of Program
	image   image    // what is run of a program that is pinned
	guard   []string // of Program
	own     bool     // it and this process know each other by their numbers
	profile Profile
	cmd     *exec.Cmd
	dir     string       // of the socket; go-plugin makes it, Process removes it
	scratch *scratch.Dir // that has dir in it; nil: released

	handshake handshake
	stderr    words

	stdoutR, stderrR *io.PipeReader
	stdoutW, stderrW *io.PipeWriter
	lifeline         *os.File // closing it ends the plugin

	mu       sync.Mutex
	startErr error
	killed   bool // it must not start any more
	gone     bool // its process id may belong to another one
	exited   chan struct{}
}

func newRunner(path string, prog Program, o Options) *runner {
	r := &runner{path: path, args: prog.Args, env: prog.Env, guard: guarded(prog.Guard), profile: o.Profile, exited: make(chan struct{})}
	r.own = prog.Own && peer.Told
	r.stderr.copy = o.Stderr
	r.stdoutR, r.stdoutW = io.Pipe()
	r.stderrR, r.stderrW = io.Pipe()
	return r
}

// prepare makes the command, with the variables that go-plugin's server reads.
func (r *runner) prepare(cmd *exec.Cmd, dir string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dir = dir
	r.cmd = r.command()
	r.cmd.Env = slices.Concat(environment(os.Environ()), r.env, r.profile.variables(), cmd.Env)
	if r.own {
		r.cmd.Env = append(r.cmd.Env, wire.HostKey+"="+strconv.Itoa(os.Getpid()))
	}
}

// Start implements runner.Runner.
func (r *runner) Start(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.killed {
		return errors.New("start was given up")
	}
	r.startErr = r.start()
	return r.startErr
}

func (r *runner) start() error {
	var pipes [4]*os.File // read and write ends of standard output and error
	var err error
	defer func() {
		for i, f := range pipes {
			if f != nil && (err != nil || i%2 == 1) {
				_ = f.Close()
			}
		}
	}()
	for i := 0; i < len(pipes); i += 2 {
		if pipes[i], pipes[i+1], err = os.Pipe(); err != nil {
			return err
		}
	}
	r.cmd.Stdout, r.cmd.Stderr = pipes[1], pipes[3] // files: Wait then waits for the process alone
	pluginEnd, err := r.tie()
	if err != nil {
		return err
	}
	executed, err := r.watchGuard()
	if err == nil {
		started := make(chan error)
		go r.run(started, pipes[0], pipes[2])
		err = <-started
	}
	if pluginEnd != nil {
		_ = pluginEnd.Close()
	}
	if why := executed(); err == nil {
		err = why
	}
	r.image.started()
	return err
}

// run starts the process and returns when it has ended. It keeps its thread: Linux
// sends the parent-death signal when the thread that forked ends.
func (r *runner) run(started chan<- error, stdout, stderr *os.File) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := startProcess(r.cmd); err != nil {
		started <- err
		return
	}
	started <- nil
	var drained sync.WaitGroup
	drained.Go(func() { r.handshake.pass(r.stdoutW, stdout) })
	drained.Go(func() { _, _ = io.Copy(&r.stderr, stderr) })
	reaped := awaitEnd(r.cmd)
	r.mu.Lock()
	if !reaped {
		killGroup(r.cmd) // what it has started goes with it
		_ = r.cmd.Wait() // how it ended is in ProcessState
	}
	r.gone = true
	r.mu.Unlock()
	for _, f := range []*os.File{stdout, stderr} {
		_ = f.SetReadDeadline(time.Now().Add(drainGrace))
	}
	drained.Wait()
	_, _ = stdout.Close(), stderr.Close()
	_, _ = r.stdoutW.Close(), r.stderrW.Close()
	close(r.exited)
}

// kill ends the process and its group, or keeps it from starting.
func (r *runner) kill() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.killed = true
	if r.hasStarted() && !r.gone {
		killGroup(r.cmd)
	}
}

func (r *runner) hasStarted() bool { return r.cmd != nil && r.cmd.Process != nil }

// started is hasStarted for other goroutines than that of Start.
func (r *runner) started() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hasStarted()
}

// wait reports whether the process ends within d.
func (r *runner) wait(d time.Duration) bool {
	select {
	case <-r.exited:
		return true
	case <-time.After(d):
	}
	select { // both may have come
	case <-r.exited:
		return true
	default:
		return false
	}
}

// wasKilled reports whether kill has ended an ended process. A call of kill is not
// enough, since go-plugin also kills what has already ended.
func (r *runner) wasKilled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.killed && !r.cmd.ProcessState.Exited()
}

// endedBySystem reports whether an ended process was killed, and not by us: most
// often by the kernel, when memory is short.
func (r *runner) endedBySystem() bool {
	return strings.HasPrefix(r.ended(), "signal: killed") && !r.wasKilled()
}

// ended says how the process ended: "exit status 3", "signal: killed".
func (r *runner) ended() string { return r.cmd.ProcessState.String() }

// release frees what is left of an ended or never started process.
func (r *runner) release() error {
	if r.lifeline != nil {
		_ = r.lifeline.Close()
	}
	_, _ = r.stdoutW.Close(), r.stderrW.Close()
	r.image.release()
	return r.removeSocket()
}

// Wait implements runner.Runner.
func (r *runner) Wait(context.Context) error { <-r.exited; return nil }

// Kill implements runner.Runner.
func (r *runner) Kill(context.Context) error { r.kill(); return nil }

// Diagnose implements runner.Runner; startFault diagnoses.
func (r *runner) Diagnose(context.Context) string { return "" }

// Stdout implements runner.Runner.
func (r *runner) Stdout() io.ReadCloser { return r.stdoutR }

// Stderr implements runner.Runner.
func (r *runner) Stderr() io.ReadCloser { return r.stderrR }

// Name implements runner.Runner.
func (r *runner) Name() string { return r.path }

// ID implements runner.Runner.
func (r *runner) ID() string {
	if !r.hasStarted() {
		return ""
	}
	return strconv.Itoa(r.cmd.Process.Pid)
}

// PluginToHost implements runner.Runner.
func (r *runner) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin implements runner.Runner.
func (r *runner) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
