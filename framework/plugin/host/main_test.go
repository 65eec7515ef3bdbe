package host

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"testing"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/internal/parallel"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

// TestMain is the main of plugins and hosts too: tests start this executable
// with the name of a role.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "role" {
		roles[os.Args[2]]()
		return
	}
	os.Exit(m.Run())
}

var toys = []framework.Algorithm{toy{"toy"}, toy{"plain"}, toy{"linked"}, toy{"linkedtoy"}, toy{"path"}, toy{"linkedpath"}}

var roles = map[string]func(){
	"plugin":       func() { plugin.ServeAll(toys, nil) },
	"newer plugin": func() { fmt.Println("1|2|unix|/nowhere|grpc|"); forever() },
	"no plugin":    func() { fmt.Println("usage: something else") },
	"failing":      func() { fmt.Fprintln(os.Stderr, "cannot find my files"); os.Exit(7) },
	"panicking":    func() { panic("no start today") },
	"silent":       forever,
	"frozen":       func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP); plugin.Serve(toys[0]) },
	"endless":      func() { flood(os.Stdout); flood(os.Stdout); flood(os.Stdout); forever() },
	"liar":         func() { fmt.Println("1|1|unix|/nowhere|grpc|"); forever() },
	"elsewhere":    func() { fmt.Println("1|1|unix|" + os.Getenv("SQLCLUSTER_TEST_SOCKET") + "|grpc|"); forever() },
	"chattering":   chattering,
	"sets":         func() { plugin.Serve(nil, floor{"floor"}, floor{"other_floor"}) },
	"both":         func() { plugin.ServeAll(toys, []framework.Kind{floor{"floor"}}) },
	"misnamed":     func() { plugin.Serve(toy{"Toy Story"}) },
	"environment":  func() { fmt.Fprint(os.Stderr, os.Environ()); os.Exit(1) },
	"host":         host,
	"guard":        func() { Guard(os.Args[3:]) },
	"processors":   func() { plugin.Serve(processors{toy{"toy"}, runtime.GOMAXPROCS(0)}) },
}

func chattering() {
	flood(os.Stderr)
	fmt.Println("hello")
	flood(os.Stdout)
	fmt.Print("loading")
	plugin.Serve(toys[0])
}

// forever waits for a signal that ends it.
func forever() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGUSR1)
	<-never
}

// host starts a plugin, says its process id, and waits.
func host() {
	p, err := Launch(context.Background(), itself("plugin"), Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.PID())
	forever()
}

// itself is this executable in a role.
func itself(role string) Program {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return Program{Name: "toy", Path: path, Args: []string{"role", role}}
}

// processors is an algorithm that only says for how many goroutines there are processors: there were so many before it was served.
type processors struct {
	framework.Algorithm
	before int
}

func (a processors) New(framework.Problem) (framework.Clusterer, error) {
	return nil, framework.Faultf(framework.Data, "processors", "%d more, of which %d work", runtime.GOMAXPROCS(0)-a.before,
		parallel.Processors()-a.before)
}
