// Package cli is the command line: one file a command. It reads flags and
// configuration, lets the packages below do the work, and turns their errors
// into messages and exit codes.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/help"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/registry"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/summary"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/means"
)

// Exit codes, as the help topic exit-codes explains them.
const (
	exitDone       = 0
	exitInternal   = 1
	exitUsage      = 2
	exitData       = 3
	exitPlugin     = 4
	exitNoConverge = 5
	exitPipe       = 141
)

// errNotConverged makes --strict fail after everything was written.
var errNotConverged = errors.New("the fit did not converge")

// app is one run of the command.
type app struct {
	summary.Writer
	in     io.Reader
	args   []string
	stored string // where results were written to, if they were

	unfinished string // what is said of a command that was ended, instead of that nothing was written

	ends bool // the process ends with the command

	quietPipe bool // when nobody reads the output any more, the command just ends
}

// newApp returns a run of the command that has some built-in plugins.
func newApp(out, errw io.Writer, builtIns ...registry.BuiltIn) *app {
	return &app{in: os.Stdin, Writer: summary.Writer{Out: out, Err: errw, Flags: flags.New(registry.Read(builtIns...))}}
}

// Exit runs the command and ends the process with its exit code.
func Exit(args []string, out, errw io.Writer) { os.Exit(runAll(args, out, errw, true)) }

// Main runs the command and returns its exit code. It never panics.
func Main(args []string, out, errw io.Writer) int { return runAll(args, out, errw, false) }

// runAll is Main; ends says that the process ends after it.
func runAll(args []string, out, errw io.Writer, ends bool) int {
	process.LimitGarbage()
	if registry.Serve(args) {
		return exitDone
	}
	ctx, stop := process.Interruptible(errw)
	defer stop()
	a := newApp(out, errw, registry.BuiltIns()...)
	a.quietPipe, a.ends = process.OutlivePipe(), ends
	return a.main(ctx, args)
}

func (a *app) main(ctx context.Context, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			code = a.fail(ctx, framework.Faultf(framework.Internal, "internal", "sqlcluster stopped with an internal error: %v", r).
				WithHint("this is a bug; please report it with the command that you ran"))
		}
	}()
	if err := a.Flags.Registry.Check(); err != nil {
		return a.fail(ctx, &framework.Fault{Class: framework.Internal, Code: "internal",
			Summary: "the description of an algorithm is wrong", Err: err})
	}
	if err := means.CheckKernel(); err != nil {
		return a.fail(ctx, err)
	}
	out := &render.Output{To: a.Out}
	a.Out = out
	root := a.root()
	a.args = help.WithQueries(args)
	root.SetArgs(a.args)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	help.AddCompletion(root)
	err := root.ExecuteContext(ctx)
	if out.Failed != nil && (err == nil || errors.Is(err, out.Failed) || errors.Is(err, errNotConverged)) {
		if errors.Is(out.Failed, syscall.EPIPE) && a.quietPipe {
			return exitPipe
		}
		err = out.Fault(a.stored)
	}
	if err == nil {
		return exitDone
	}
	return a.fail(ctx, err)
}

// limitsFault is the fault of limits that are too low; tests have others than the
// system's.
var limitsFault = process.CheckLimits

// launches makes a command that starts the processes of plugins look at the limits
// first. Others work with less.
func launches(c *cobra.Command) *cobra.Command {
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := limitsFault(); err != nil {
			return err
		}
		return run(c, args)
	}
	return c
}

// fail writes the error and returns its exit code.
func (a *app) fail(ctx context.Context, err error) int {
	f := framework.AsFault(err)
	var kept *keptError
	switch {
	case errors.As(err, &kept):
		if kept.reason == "interrupted" {
			fmt.Fprintf(a.Err, "interrupted: %v\n", kept)
			return process.InterruptedCode(ctx)
		}
		f = timedOut(a.Flags.Timeout, kept.Error())
	case errors.Is(err, errNotConverged):
		fmt.Fprintln(a.Err, "not converged: raise --max-iter (--strict makes this an error)")
		return exitNoConverge
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || f != nil && f.Code != "internal"):
		fmt.Fprintln(a.Err, "interrupted: "+cmp.Or(a.unfinished, nothingWritten))
		return process.InterruptedCode(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		f = timedOut(a.Flags.Timeout, cmp.Or(a.unfinished, nothingWritten))
	case f == nil:
		root := a.root()
		help.AddCompletion(root)
		f = help.Fault(root, a.args, err)
	}
	if f == nil {
		f = framework.Faultf(framework.Internal, "internal", "%v", err)
	}
	f = process.WithLack(f)
	render.Fault(a.Err, a.Flags.Said(f), render.Colored(a.Err, a.Flags.Color))
	return map[framework.Class]int{framework.Usage: exitUsage, framework.Data: exitData, framework.Plugin: exitPlugin,
		framework.Internal: exitInternal}[f.Class]
}

// nothingWritten is true of most commands that are ended.
const nothingWritten = "nothing was written"

// timedOut is the fault of a command that --timeout has ended.
func timedOut(limit time.Duration, written string) *framework.Fault {
	return framework.Faultf(framework.Internal, "timed-out", "--timeout %v has passed; %s", limit, written).At("timeout")
}

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "sqlcluster",
		Short: "Cluster the rows of a table, and see which few columns make the clusters",
		Long: `sqlcluster reads a relation (a CSV, Parquet or JSON file, a table or view of a
DuckDB database, or a query), clusters its rows, and writes the clusters and the
selected columns back as tables.`,
		Example: `  sqlcluster fit wine.csv --id id --exclude class -a skfr -k 3 --sparsity 6
  sqlcluster fit customers --db shop.duckdb --id id -k 4 --into segments`,
		SilenceErrors: true, SilenceUsage: true,
		Version: versions(),
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, _ []string) error {
			if c.Name() == cobra.ShellCompRequestCmd { // it has its own way with what is wrong
				help.WithoutBackticks(c.Root())
				return nil
			}
			if err := a.Flags.Configure(c); err != nil {
				return err
			}
			if a.Flags.Timeout > 0 {
				ctx, cancel := context.WithTimeout(c.Context(), a.Flags.Timeout)
				context.AfterFunc(ctx, cancel)
				c.SetContext(ctx)
			}
			return a.Flags.Check()
		},
	}
	a.Flags.AddGlobal(root.PersistentFlags())
	root.AddCommand(launches(a.fitCommand()), launches(a.pathCommand()), launches(a.tuneCommand()), a.checkCommand(), a.predictCommand(),
		a.scoreCommand(), launches(a.stabilityCommand()), a.pairsCommand(), a.diffCommand(), a.showCommand(), a.runsCommand(), a.dropCommand(),
		a.reportCommand(), a.exportCommand(), a.sqlCommand(), a.pluginCommand(), a.versionCommand())
	help.Install(root, a.Flags)
	return root
}

// group is a command that has others and does nothing itself.
func group(use, short string, of ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(of...)
	return c
}
