package job

import (
	"context"
	"fmt"
	"time"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
	"github.com/sqlcluster/sqlcluster/framework/tune"
)

// checkBatch refuses to start from batches of rows where that is not possible.
func (b *Job) checkBatch() error {
	s, bad := &b.Settings, ""
	switch {
	case s.Batch == 0:
		return nil
	case s.Batch < 0:
		return framework.Faultf(framework.Usage, "bad-setting", "batch is %d; it must be a number of rows, or 0 for no batches",
			s.Batch).At("batch")
	case s.Batch <= s.K:
		return framework.Faultf(framework.Usage, "bad-setting", "batch is %d; it must be more rows than k, which is %d", s.Batch,
			s.K).At("batch").
			WithHint("let a batch have some hundred rows for each cluster: %s", framework.SettingTo("batch", max(10_000, 200*s.K)))
	case b.vary.by != "":
		bad = "fits are compared that may differ by less than what batches leave"
	case s.Pairs != "":
		bad = "few pairs would have both of their rows in a batch"
	case s.Start != "":
		bad = "batches are to find a start, and one is given"
	default:
		return nil
	}
	return framework.Faultf(framework.Usage, "no-batch", "%s is not possible here: %s", framework.SettingTo("batch", s.Batch),
		bad).At("batch").
		WithHint("leave it out; %s ends a fit early, too", framework.SettingTo("tol", tune.BatchTol))
}

// begin returns with what start and settings the fit of all rows begins: those that are
// given, or those that batches lead to.
func (b *Job) begin(ctx context.Context, host fit.Host, f *Fitted) (fit.Start, fit.Settings, error) {
	s := b.Settings.Fitting()
	if b.Settings.Batch == 0 {
		return b.Start, s, nil
	}
	began := time.Now()
	start, err := tune.Begin(ctx, b.engine(host), b.Problem, b.Data, s, b.Settings.Batch)
	if err != nil || !start.Given() {
		return start, s, err
	}
	if s.Tol == 0 {
		s.Tol = tune.BatchTol
	}
	f.Approximate, f.beginning = true, time.Since(began).Seconds()
	return start, s, nil
}

// Starts returns how many starts the fit of all rows has, of which progress tells.
func (b *Job) Starts() int {
	if b.Settings.Batch > 0 && b.Settings.Batch < b.Problem.N {
		return 1
	}
	return b.Settings.Restarts
}

// batchNote says what is approximate; "" if nothing is.
func (b *Job) batchNote(f *Fitted) string {
	if !f.Approximate {
		return ""
	}
	note := fmt.Sprintf("approximate: the start is from batches of the rows, the first of %d; a better one may have been missed",
		b.Settings.Batch)
	if f.Stop == fit.Tolerance {
		note += ", and the iterations ended when the objective hardly improved"
	}
	return note
}
