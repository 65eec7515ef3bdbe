package process

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
)

// A runtime that gets no memory or thread ends the process with the code of a
// wrong command line and a stack trace, and nothing can be done about it then.
// So limits that are too low for what a command starts are refused before.

// leastAddresses is the address space with which a small fit just works on 2
// processors (1.8 GiB), rounded up. Most of it is reserved and never used.
const leastAddresses = 2 << 30

// leastThreads is how many threads a fit starts from here on, in both processes.
// On 2 processors a limit of 20 was enough, of which 6 were in use by then.
func leastThreads(processors int) int { return 10 + 2*processors }

// addressFault refuses a limit of the address space, in bytes.
func addressFault(limit uint64) error {
	if limit >= leastAddresses {
		return nil
	}
	return framework.Faultf(framework.Internal, "out-of-memory", "the address space is limited to %d MiB, and sqlcluster needs %d MiB",
		limit>>20, leastAddresses>>20).WithWhere("ulimit -v").
		WithHint("raise it: ulimit -v %d; a control group can limit the memory that is really used", 2*leastAddresses>>10)
}

// threadFault refuses a limit of processes and threads of which some are in use.
func threadFault(limit uint64, used, processors int) error {
	free := int(min(limit, 1<<30)) - used
	if free >= leastThreads(processors) {
		return nil
	}
	return framework.Faultf(framework.Internal, "too-few-processes",
		"this user may have %d processes and threads and has %d, and sqlcluster needs %d more", limit, used, leastThreads(processors)).
		WithWhere("ulimit -u").WithHint("raise the limit, or end other programs")
}

// lacks are the words in which the system, the runtime or DuckDB says that there
// is too little of something.
var lacks = []struct {
	said []string
	code string
	hint string
}{
	{[]string{"too many open files"}, "too-many-files", "raise the limit of open files: ulimit -n 1024"},
	{[]string{"resource temporarily unavailable", "failed to create new os thread"}, "too-few-processes",
		"raise the limit of processes and threads (ulimit -u) and that of the address space (ulimit -v), or end other programs"},
	{[]string{"out of memory", "cannot allocate memory"}, "out-of-memory",
		"give it more memory (see also ulimit -v), or read fewer rows or columns"},
}

// WithLack gives the fault of a lack the hint that helps.
func WithLack(f *framework.Fault) *framework.Fault {
	if f.Class != framework.Internal && f.Code != "plugin-crashed" {
		return f
	}
	text := strings.ToLower(fmt.Sprint(f.Summary, f.Err, f.Details))
	for _, l := range lacks {
		for _, said := range l.said {
			if !strings.Contains(text, said) {
				continue
			}
			lacking := *f
			if lacking.Code == "internal" {
				lacking.Code = l.code
			}
			if lacking.Code != l.code { // or else the hint knows more
				lacking.Hint = l.hint
			}
			if lacking.Hint == "" {
				lacking.Hint = l.hint
			}
			return &lacking
		}
	}
	return f
}

// LimitGarbage makes the garbage collector save memory where there is little:
// the command and the algorithm's process may have a third each, and then
// collect more often. Left alone, garbage may be as much as what is in use.
func LimitGarbage() {
	if _, given := os.LookupEnv("GOMEMLIMIT"); !given {
		go func() { debug.SetMemoryLimit(matrix.AvailableMemory() / 3) }() // a dozen files are read for it
	}
	if _, given := os.LookupEnv("GOGC"); given {
		return
	}
	// A small command ends before there is garbage worth a collection: the first one
	// comes at 32 MiB, and not at 4, the others as usual.
	usual := debug.SetGCPercent(firstPercent)
	runtime.SetFinalizer(&collected{}, func(*collected) { debug.SetGCPercent(usual) })
}

// collected is what the first collection collects.
type collected struct{ _ *byte }

// firstPercent is GOGC until the first collection; the heap begins with 4 MiB.
const firstPercent = 800
