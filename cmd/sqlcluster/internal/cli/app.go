// Package cli is the command line: one file a command. It reads flags and
// configuration, lets the packages below do the work, and turns their errors
// into messages and exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/process"
	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/render"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/means"
	"github.com/sqlcluster/sqlcluster/framework/plugin"
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
	out, err io.Writer
	args     []string
	settings *settings
	origins  map[string]string // of flags: flag, environment, file or default
	stored   string            // where results were written to, if they were

	quietPipe bool // when nobody reads the output any more, the command just ends
}

// Main runs the command and returns its exit code. It never panics.
func Main(args []string, out, errw io.Writer) int {
	process.LimitGarbage()
	if len(args) == 2 && args[0] == serveCommand {
		for _, b := range builtins {
			if b.name == args[1] {
				plugin.ServeAll(b.algorithms, nil)
				return exitDone
			}
		}
	}
	ctx, stop := process.Interruptible(errw)
	defer stop()
	a := &app{out: out, err: errw, settings: &settings{}, origins: map[string]string{}, quietPipe: process.OutlivePipe()}
	return a.main(ctx, args)
}

func (a *app) main(ctx context.Context, args []string) (code int) {
	defer func() {
		if r := recover(); r != nil {
			code = a.fail(ctx, framework.Faultf(framework.Internal, "internal", "sqlcluster stopped with an internal error: %v", r).
				WithHint("this is a bug; please report it with the command that you ran"))
		}
	}()
	if err := checkBuiltins(); err != nil {
		return a.fail(ctx, &framework.Fault{Class: framework.Internal, Code: "internal", Summary: "the description of an algorithm is wrong", Err: err})
	}
	if err := means.CheckKernel(); err != nil {
		return a.fail(ctx, err)
	}
	out := &render.Output{To: a.out}
	a.out = out
	readAdded()
	root := a.root()
	a.args = withQueries(args)
	root.SetArgs(a.args)
	root.SetOut(a.out)
	root.SetErr(a.err)
	addCompletion(root)
	err := root.ExecuteContext(ctx)
	if errors.Is(out.Failed, syscall.EPIPE) && a.quietPipe && (err == nil || errors.Is(err, out.Failed) || errors.Is(err, errNotConverged)) {
		return exitPipe
	}
	if out.Failed != nil && (err == nil || errors.Is(err, out.Failed) || errors.Is(err, errNotConverged)) {
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

// addCompletion adds the command of cobra, which takes any word for a shell if
// left alone. It writes to what the root writes to now.
func addCompletion(root *cobra.Command) *cobra.Command {
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		reflow(c)
		c.Args, c.RunE = cobra.NoArgs, func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	return root
}

// fail writes the error and returns its exit code.
func (a *app) fail(ctx context.Context, err error) int {
	f := framework.AsFault(err)
	var kept *keptError
	switch {
	case errors.As(err, &kept):
		if !kept.timedOut {
			_, _ = fmt.Fprintf(a.err, "interrupted: %v\n", kept)
			return process.InterruptedCode(ctx)
		}
		f = timedOut(a.settings.timeout, kept.Error())
	case errors.Is(err, errNotConverged):
		_, _ = fmt.Fprintln(a.err, "not converged: raise --max-iter (--strict makes this an error)")
		return exitNoConverge
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || f != nil && f.Code != "internal"):
		_, _ = fmt.Fprintln(a.err, "interrupted: nothing was written")
		return process.InterruptedCode(ctx)
	case errors.Is(err, context.DeadlineExceeded):
		f = timedOut(a.settings.timeout, "nothing was written")
	case f == nil && isUsage(err):
		f = usageFault(addCompletion(a.root()), a.args, err)
	case f == nil:
		f = framework.Faultf(framework.Internal, "internal", "%v", err)
	}
	f = process.WithLack(f)
	render.Fault(a.err, a.said(f), render.Colored(a.err, a.settings.color))
	return map[framework.Class]int{framework.Usage: exitUsage, framework.Data: exitData, framework.Plugin: exitPlugin}[f.Class] + boolToInt(f.Class == framework.Internal)
}

// timedOut is the fault of a command that --timeout has ended.
func timedOut(limit time.Duration, written string) *framework.Fault {
	return framework.Faultf(framework.Internal, "timed-out", "--timeout %v has passed; %s", limit, written).At("timeout")
}

func boolToInt(b bool) int {
	if b {
		return exitInternal
	}
	return 0
}

// progress begins a stage, which is not shown with --quiet.
func (a *app) progress(stage string) *render.Progress {
	if a.settings.quiet {
		return render.NewProgress(io.Discard, stage)
	}
	return render.NewProgress(a.err, stage)
}

// note writes a line for people, unless --quiet.
func (a *app) note(format string, args ...any) {
	if !a.settings.quiet {
		_, _ = fmt.Fprintln(a.err, render.Safe(framework.Say(fmt.Sprintf(format, args...), flagText)))
	}
}

// notes writes what a user should know, unless --quiet.
func (a *app) notes(all []string) {
	for _, n := range all {
		a.note("note: %s", framework.Say(n, flagText))
	}
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
				withoutBackticks(c.Root())
				return nil
			}
			if err := a.configure(c); err != nil {
				return err
			}
			if a.settings.timeout > 0 {
				ctx, cancel := context.WithTimeout(c.Context(), a.settings.timeout)
				context.AfterFunc(ctx, cancel)
				c.SetContext(ctx)
			}
			if a.settings.replace && a.settings.into == "" && a.origins["replace"] == "flag" {
				return framework.Faultf(framework.Usage, "bad-flag", "there is nothing to replace without --into").
					At("replace").WithHint("add --into NAME, or leave out --replace")
			}
			return a.settings.check()
		},
	}
	a.settings.addGlobal(root.PersistentFlags())
	root.AddCommand(launches(a.fitCommand()), launches(a.pathCommand()), launches(a.tuneCommand()), a.checkCommand(), a.predictCommand(), a.scoreCommand(), a.pairsCommand(), a.showCommand(), a.runsCommand(), a.dropCommand(),
		a.pluginCommand(), a.versionCommand())
	root.AddCommand(topics()...)
	a.complete(root)
	root.SetHelpCommand(helpCommand(root))
	root.InitDefaultVersionFlag() // so that it is known to take no value
	root.SetVersionTemplate("sqlcluster {{.Version}}\n")
	withGroups(root)
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		_ = a.configure(c) // which may choose another algorithm; help is shown whatever is wrong with it
		help(c, args)
	})
	reflow(root)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return &flagError{c, err} })
	return root
}
