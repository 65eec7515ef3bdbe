// Package processes holds the laws of the processes that serve algorithms and kinds
// of sets, and starts these.
package processes

import (
	"slices"
	"time"

	"github.com/sqlcluster/sqlcluster/conformance/internal/judge"
	"github.com/sqlcluster/sqlcluster/framework/plugin/host"
)

// How long a law waits for what must happen: what docs/plugin-authors.md promises,
// with room for a busy machine.
const (
	byHandTime = 5 * time.Second
	orphanTime = 3 * time.Second
	silence    = 400 * time.Millisecond // after which a frozen process counts as hung
)

// processContract is the source of the laws of processes.
const processContract = "package framework/plugin"

// Laws are the laws of processes, in the order in which they are checked.
var Laws = slices.Concat(processLaws, setProcessLaws)

var processLaws = []judge.Law[*Holder]{
	{Name: "process/by-hand", Source: processContract, Once: true, Check: byHand,
		Statement: "Started by hand, the program says that it is a plugin, and ends with a status other than 0."},
	{Name: "process/unknown-algorithm", Source: processContract, Once: true, Check: unknownAlgorithm,
		Statement: "Asking for an unknown algorithm is a Fault, and the process lives on."},
	{Name: "process/data-handle", Source: "matrix.Open", Once: true, Check: badHandle,
		Statement: "A handle to less data than it claims, or to data of another shape than the problem, is refused, and the process lives on."},
	{Name: "process/closed-session", Source: processContract, Once: true, Check: closedSession,
		Statement: "A step of a closed session is refused, and the process lives on."},
	{Name: "process/driver", Source: processContract, Cases: 10, Check: sameDrivers,
		Statement: "The driver in the plugin and the driver in the host give the same bits."},
	{Name: "process/description", Source: processContract, Once: true, Check: sameDescription,
		Statement: "The program describes itself in the same way each time, and in each process."},
	{Name: "process/digits", Source: "docs/plugin-protocol.md", Cases: 10, Check: digits,
		Statement: "Numbers arrive with all their digits."},
	{Name: "process/model", Source: "docs/plugin-protocol.md", Cases: 4, Check: keepsModel,
		Statement: "Project returns what it does not use of a model as it was."},
	{Name: "process/two-processes", Source: "framework.Rand", Cases: 6, Check: twoProcesses,
		Statement: "Two processes of the program give the same bits, also where one has fewer processors."},
	{Name: "process/sessions", Source: processContract, Cases: 6, Check: manySessions,
		Statement: "Sessions that are open at the same time do not affect each other."},
	{Name: "process/cancellation", Source: processContract, Cases: 4, Check: cancelledFit,
		Statement: "A fit that is cancelled ends, its session closes, and the process lives on."},
	{Name: "process/killed", Source: processContract, Once: true, Check: killed,
		Statement: "After a process is killed, the next call is an error, and nothing is left behind."},
	{Name: "process/frozen", Source: processContract, Once: true, Check: frozen,
		Statement: "A process that is stopped counts as hung, and is killed."},
	{Name: "process/strangers", Source: "docs/plugin-protocol.md, Certificates", Once: true, Check: strangers,
		Statement: "The process answers its host alone: no client without the certificate, or without encryption."},
	{Name: "process/children", Source: processContract, Once: true, Check: children,
		Statement: "No process that the program has started outlives it."},
	{Name: "process/close", Source: processContract, Once: true, Check: closes,
		Statement: "Close ends the process."},
	{Name: "process/orphan", Source: processContract, Once: true, Check: orphan,
		Statement: "The process ends when its host dies."},
}

// start starts a process of its own for the case, with further environment variables.
func (h *Holder) start(c *judge.Trial, o host.Options, env ...string) *host.Process {
	o.StepTimeout = h.stepTimeout
	program := h.program
	program.Env = env
	p, err := host.Launch(c.Ctx, program, o)
	c.Must(err)
	c.AtEnd(func() { _ = p.Close() })
	return p
}

// algorithm returns one of the algorithms as a subject, each in turn.
func (h *Holder) algorithm(c *judge.Trial) remote {
	if len(h.Served) == 0 {
		c.Skipf("the plugin serves no algorithms")
	}
	i := c.Index % len(h.Served)
	c.Index /= len(h.Served)
	return remote{h, c.Ctx, h.Served[i].Name}
}

// alive fails unless the process still answers.
func alive(c *judge.Trial, p *host.Process, after string) {
	if _, err := p.Describe(c.Ctx); err != nil {
		c.Failf("after %s, the process does not answer any more: %v", after, err)
	}
}
