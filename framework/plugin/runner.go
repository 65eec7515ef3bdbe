package plugin

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/go-plugin/runner"
)

// process is our runner.Runner: the defaults of go-plugin would hand the plugin
// our standard input and environment, take its first line of chatter for the
// handshake, and leave it behind when we are killed.
type process struct {
	cmd      *exec.Cmd
	name     string
	stdout   *io.PipeReader // the handshake line only
	toStdout *io.PipeWriter
	stderr   *io.PipeReader // nothing: we read the real one ourselves
	toStderr *io.PipeWriter
	lifeline *os.File

	reading sync.WaitGroup
	exited  chan struct{}
	once    sync.Once
	err     error

	mu   sync.Mutex
	tail []string // last lines that the plugin printed
}

var _ runner.Runner = (*process)(nil)

// inherited are the variables of our environment that a plugin gets.
var inherited = []string{"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "GOMAXPROCS", "GOMEMLIMIT", "GOCOVERDIR", "LD_LIBRARY_PATH", "SystemRoot"}

func newProcess(program Program, env []string) *process {
	p := &process{cmd: exec.Command(program.Path, program.Args...), name: program.Name, exited: make(chan struct{})}
	for _, key := range inherited {
		if v, ok := os.LookupEnv(key); ok {
			p.cmd.Env = append(p.cmd.Env, key+"="+v)
		}
	}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "SQLCLUSTER_") {
			p.cmd.Env = append(p.cmd.Env, v)
		}
	}
	p.cmd.Env = append(p.cmd.Env, env...)
	p.stdout, p.toStdout = io.Pipe()
	p.stderr, p.toStderr = io.Pipe()
	ownGroup(p.cmd)
	return p
}

// Start implements runner.Runner.
func (p *process) Start(context.Context) error {
	ours, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = ours.Close() }()
	p.lifeline = theirs
	// Extra files begin at descriptor 3.
	p.cmd.ExtraFiles = []*os.File{ours}
	p.cmd.Env = append(p.cmd.Env, lifelineKey+"=3")
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		_ = theirs.Close()
		return err
	}
	p.reading.Go(func() {
		p.read(stdout, func(line string) {
			if isHandshake(line) {
				_, _ = io.WriteString(p.toStdout, line+"\n")
			} else {
				p.keep(line)
			}
		})
		_ = p.toStdout.Close()
	})
	p.reading.Go(func() { p.read(stderr, p.keep) })
	go p.reap()
	return nil
}

// reap waits for the end of the process, once.
func (p *process) reap() {
	p.reading.Wait()
	p.err = p.cmd.Wait()
	_ = p.lifeline.Close()
	close(p.exited)
	_ = p.toStderr.Close()
}

var handshakeLine = regexp.MustCompile(`^\d+\|\d+\|(unix|tcp)\|`)

func isHandshake(line string) bool { return handshakeLine.MatchString(line) }

// longestLine bounds what is kept of one line of output.
const longestLine = 64 << 10

// read hands on each line, cut to longestLine, and never stops reading.
func (p *process) read(r io.Reader, line func(string)) {
	b := bufio.NewReaderSize(r, longestLine)
	for {
		text, err := b.ReadSlice('\n')
		if len(text) > 0 {
			line(string(bytes.TrimRight(text, "\r\n")))
		}
		for err == bufio.ErrBufferFull {
			_, err = b.ReadSlice('\n')
		}
		if err != nil {
			return
		}
	}
}

// keptLines is how many lines of output are kept.
const keptLines = 200

func (p *process) keep(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.tail) == keptLines {
		p.tail = slices.Delete(p.tail, 0, 1)
	}
	p.tail = append(p.tail, line)
}

// lastLines returns what the plugin said last: the panic, if there was one, or
// else a few lines. A stack trace is of no use to a user, and is left out.
func (p *process) lastLines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, line := range p.tail {
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			return []string{p.name + " said: " + line}
		}
		if strings.HasPrefix(line, "goroutine ") {
			return say(p.name, p.tail[max(0, i-3):i])
		}
	}
	return say(p.name, p.tail[max(0, len(p.tail)-3):])
}

func say(name string, lines []string) []string {
	var out []string
	for _, line := range lines {
		if strings.TrimSpace(line) != "" {
			out = append(out, fmt.Sprintf("%s said: %.200s", name, line))
		}
	}
	return out
}

// Wait implements runner.Runner.
func (p *process) Wait(ctx context.Context) error {
	select {
	case <-p.exited:
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Kill implements runner.Runner: it kills the whole group, and waits until the
// process is gone.
func (p *process) Kill(context.Context) error {
	if p.cmd.Process == nil {
		return nil
	}
	p.once.Do(func() { killGroup(p.cmd) })
	<-p.exited
	return nil
}

// Stdout implements runner.Runner.
func (p *process) Stdout() io.ReadCloser { return p.stdout }

// Stderr implements runner.Runner.
func (p *process) Stderr() io.ReadCloser { return p.stderr }

// Name implements runner.Runner.
func (p *process) Name() string { return p.name }

// ID implements runner.Runner.
func (p *process) ID() string { return strconv.Itoa(p.pid()) }

// Diagnose implements runner.Runner.
func (p *process) Diagnose(context.Context) string { return "" }

// PluginToHost implements runner.Runner.
func (p *process) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

// HostToPlugin implements runner.Runner.
func (p *process) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

func (p *process) pid() int {
	if p.cmd.Process == nil {
		return 0
	}
	return p.cmd.Process.Pid
}
