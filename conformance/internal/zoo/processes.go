package zoo

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
)

// A Process is a program of the zoo.
type Process struct {
	What string // what is wrong with it
	Law  string // that catches it
	Says string // part of the message
	Main func()
}

// Processes are the wrong ones.
func Processes() []Process {
	serving := func(m mutation) func() { return func() { plugin.Serve(Algorithm{m}) } }
	var shared state
	return append(kinds(), []Process{
		{"waits when it is started by hand", "process/by-hand", "does not end", func() {
			if os.Getenv("SQLCLUSTER_PLUGIN_COOKIE") == "" {
				wait()
			}
			plugin.Serve(Right())
		}},
		{"does nothing when it is started by hand", "process/by-hand", "ends with status 0", func() {
			if os.Getenv("SQLCLUSTER_PLUGIN_COOKIE") == "" {
				return
			}
			plugin.Serve(Right())
		}},
		{"survives its host", "process/orphan", "still there", func() {
			_ = os.Unsetenv("SQLCLUSTER_PLUGIN_LIFELINE")
			plugin.Serve(Right())
		}},
		{"keeps state in the cache of its model", "process/driver", "with the driver in the host", serving(mutation{
			update: func(_ *kmeans, m *framework.Model, step *framework.Step, _ framework.Stats) {
				rounds, _ := m.Cache.(int)
				m.Cache = rounds + 1
				step.At[framework.Centers].X.Data[0] += 1e-3 * float64(rounds)
			}})},
		{"depends on its process id", "process/two-processes", "in another process", serving(mutation{
			update: func(_ *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				step.At[framework.Centers].X.Data[0] += 1e-9 * float64(os.Getpid())
			}})},
		{"has one cache for all sessions", "process/sessions", "with another one open", serving(mutation{
			update: func(_ *kmeans, _ *framework.Model, step *framework.Step, _ framework.Stats) {
				step.At[framework.Centers].X.Data[0] += 1e-3 * float64(shared.calls.Add(1))
			}})},
		{"cannot be stopped", "process/cancellation", "does not close", serving(mutation{
			update: func(_ *kmeans, m *framework.Model, _ *framework.Step, _ framework.Stats) {
				if m.Round == 2 {
					wait()
				}
			}})},
		{"gives up in mid-fit", "clusterer/collect-adds", "crashed", serving(mutation{
			collect: func(c *kmeans, b framework.Block, from, to []int32, s framework.Stats) {
				if c.state.calls.Add(1) > 4 {
					fmt.Fprintln(os.Stderr, "the licence has expired")
					os.Exit(3)
				}
				c.move(b, from, to, s, b.Weight)
			}})},
		{"panics in a step", "clusterer/nearest", "the zoo is closed", serving(mutation{
			distance: func(*kmeans, []float64, []float64) float64 { panic("the zoo is closed") }})},
	}...)
}

// wait waits for a signal that ends it.
func wait() {
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGHUP)
	<-never
}
