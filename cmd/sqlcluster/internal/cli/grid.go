package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sqlcluster/sqlcluster/cmd/sqlcluster/internal/flags"
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// gridSettings are the flags of path and tune.
type gridSettings struct {
	grid        string
	points      int
	keepPartial bool
}

// add adds the flags, of which keep is the help of --keep-partial.
func (s *gridSettings) add(f *pflag.FlagSet, keep string) {
	f.StringVar(&s.grid, "grid", "", "`values` of the parameter: A,B,..., FROM:TO (whole numbers) or FROM:TO:NUMBER; NAME=... for another "+
		"parameter (default: chosen from the data)")
	f.IntVar(&s.points, "points", 20, "maximum `number` of values, without --grid")
	f.BoolVar(&s.keepPartial, "keep-partial", false, keep)
	flags.In(f, flags.GroupModel, "grid", "points")
	flags.In(f, flags.GroupOutput, "keep-partial")
}

// gridJob returns the settings of a job on a relation, and the values that it tries.
func (a *app) gridJob(c *cobra.Command, s gridSettings, relation string) (of settings.Settings, l library.Library, g settings.Grid,
	err error) {
	if err := s.check(a); err != nil {
		return of, l, g, err
	}
	l = a.Flags.Library()
	if g, err = settings.NewGrid(l, a.Flags.Algorithm, s.grid, s.points); err != nil {
		return of, l, g, err
	}
	of, err = a.Flags.FitJob(c.Flags(), relation, g.Parameter.Name)
	return of, l, g, err
}

// check refuses to keep what is not written.
func (s *gridSettings) check(a *app) error {
	if s.keepPartial && a.Flags.Into == "" {
		return framework.Faultf(framework.Usage, "bad-flag", "there is nothing to keep without tables to write").
			At("keep_partial").WithHint("--into NAME writes them")
	}
	return nil
}

// A keptError reports that a path or a tuning ended early, and that its finished part
// was written.
type keptError struct {
	ended, of int
	reason    string // that NAME_fit has: timed_out, interrupted
}

// keep decides about a command that ended with err after some of its fits: it returns
// a keptError if they are to be written, and err if not.
func (s gridSettings) keep(ctx context.Context, err error, ended, of int) (*keptError, error) {
	if err == nil || !s.keepPartial || ctx.Err() == nil || ended == 0 {
		return nil, err
	}
	timedOut := errors.Is(ctx.Err(), context.DeadlineExceeded)
	return &keptError{ended, of, map[bool]string{true: "timed_out", false: "interrupted"}[timedOut]}, nil
}

func (e *keptError) Error() string {
	return fmt.Sprintf("%d of %d values were fitted and written", e.ended, e.of)
}

// stopReason is the reason that NAME_fit has; "" if nothing ended the path.
func (e *keptError) stopReason() string {
	if e == nil {
		return ""
	}
	return e.reason
}
