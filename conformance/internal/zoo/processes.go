package zoo

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

// A Process is a program of the zoo.
type Process struct {
	What string // what is wrong with it
	Law  string // the law that catches it
	Says string // part of the message
	Main func()

	// Watchdog, if not 0, is long enough for the law. It is set for programs that
	// keep the law waiting: for ever, or for a quarter of it.
	Watchdog time.Duration
}

// Processes returns the wrong programs.
func Processes() []Process {
	var shared state
	return slices.Concat(kinds(), inexact(), []Process{
		{What: "waits when it is started by hand", Law: "process/by-hand", Says: "does not end", Watchdog: 4 * time.Second, Main: func() {
			if os.Getenv("SQLCLUSTER_PLUGIN_COOKIE") == "" {
				wait()
			}
			plugin.Serve(Right())
		}},
		{What: "does nothing when it is started by hand", Law: "process/by-hand", Says: "ends with status 0", Main: func() {
			if os.Getenv("SQLCLUSTER_PLUGIN_COOKIE") == "" {
				return
			}
			plugin.Serve(Right())
		}},
		{What: "survives its host", Law: "process/orphan", Says: "still there", Watchdog: 8 * time.Second, Main: func() {
			_ = os.Unsetenv("SQLCLUSTER_PLUGIN_LIFELINE")
			plugin.Serve(Right())
		}},
		{What: "serves from a child that outlives it", Law: "process/killed", Says: "must be the Fault plugin-crashed", Main: serveFromChild},
		{What: "serves from a child while it is frozen", Law: "process/frozen", Says: "did not return",
			Main: serveFromChild, Watchdog: 2 * time.Second},
		{What: "keeps state in the cache of its model", Law: "process/driver", Says: "with the driver in the host", Main: serving(mutation{
			update: func(_ *kmeans, m *framework.Model, step *framework.Step, _ framework.Stats) {
				rounds, _ := m.Cache.(int)
				m.Cache = rounds + 1
				step.At[framework.Centers].X.Data[0] += 1e-3 * float64(rounds)
			}})},
		{What: "leaves a process behind", Law: "process/children", Says: "processes that it started have not", Main: func() {
			cmd := exec.Command("sleep", "600")
			ownSession(cmd)
			if err := cmd.Start(); err != nil {
				panic(err)
			}
			plugin.Serve(Right())
		}},
		{What: "depends on its process id", Law: "process/two-processes", Says: "in another process", Main: serving(mutation{
			update: func(_ *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				step.At[framework.Centers].X.Data[0] += 1e-9 * float64(os.Getpid())
			}})},
		{What: "has one cache for all sessions", Law: "process/sessions", Says: "with another one open", Main: serving(mutation{
			update: func(_ *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				step.At[framework.Centers].X.Data[0] += 1e-3 * float64(shared.calls.Add(1))
			}})},
		{What: "cannot be stopped", Law: "process/cancellation", Says: "does not close", Main: serving(mutation{
			update: func(c *kmeans, _ *framework.Model, _ *framework.Step, _ framework.Stats) {
				if c.state.calls.Add(1) > 4 { // in the first run or a later one: the smallest case has them
					wait()
				}
			}})},
		{What: "gives up in mid-fit", Law: "clusterer/collect-adds", Says: "crashed", Main: serving(mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				if c.state.calls.Add(1) > 4 {
					fmt.Fprintln(os.Stderr, "the licence has expired")
					os.Exit(3)
				}
				c.move(b, from, to, s, b.Weight)
			}})},
		{What: "panics in a step", Law: "clusterer/nearest", Says: "the zoo is closed", Main: serving(mutation{
			distance: func(*kmeans, []float64, []float64) float64 { panic("the zoo is closed") }})},
	})
}

// serving is the main of a program that serves a mutation.
func serving(m mutation) func() { return func() { plugin.Serve(Algorithm{m}) } }

// inexact are programs whose numbers, or words, are not the same everywhere.
func inexact() []Process {
	return []Process{
		{What: "describes itself by its process id", Law: "process/description", Says: "another time", Main: serving(mutation{
			describe: func(d *framework.Description) { d.Version = fmt.Sprint(os.Getpid()) }})},
		{What: "rounds centers to fifteen digits", Law: "process/digits", Says: "fifteen digits", Main: serving(mutation{
			project: func(_ *kmeans, m *framework.Model, at framework.Point) {
				for i, v := range at.X.Data {
					m.Centers.Data[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
				}
			}})},
		{What: "reads centers with seven digits", Law: "process/digits", Says: "their distance is 0", Main: serving(mutation{
			distance: func(_ *kmeans, x, center []float64) (d float64) {
				for l, v := range x {
					if v == v {
						d += math.Pow(float64(float32(v)-float32(center[l])), 2)
					}
				}
				return d
			}})},
		{What: "returns a model of the fields that it uses", Law: "process/model", Says: "returned as they were", Main: serving(mutation{
			project: func(_ *kmeans, m *framework.Model, at framework.Point) {
				m.Centers.CopyFrom(at.X)
				m.Aux = nil
			}})},
		{What: "adds up as many parts as there are processors", Law: "process/two-processes", Says: "which has one processor",
			Main: serving(mutation{
				update: func(_ *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
					step.At[framework.Centers].X.Data[0] += 1e-12 * float64(runtime.GOMAXPROCS(0))
				}})},
	}
}

// child marks the process that serves for another one.
const child = "ZOO_CHILD"

// serveFromChild serves from a child in a session of its own, which signals to
// this process do not reach. The child ends when its host closes the lifeline.
func serveFromChild() {
	if os.Getenv(child) != "" {
		plugin.Serve(Right())
		return
	}
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), child+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "lifeline")} // its number is in the environment
	ownSession(cmd)
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// wait waits for a signal that ends the process.
func wait() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGHUP)
	<-never
}
