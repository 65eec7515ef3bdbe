package fit

import (
	"fmt"
	"math"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/words"
)

// check refuses settings and starts that cannot be run. With Plan.Noise, rows need no
// cluster.
func check(p framework.Problem, plan framework.Plan, rows framework.Rows, start Start, s Settings) error {
	n := rows.Len()
	switch {
	case p.K < 1:
		return framework.Faultf(framework.Usage, "bad-setting", "k is %d; it must be at least 1", p.K).At("k")
	case p.K > n:
		return framework.Faultf(framework.Data, "too-few-rows", "k is %d, but there %s only %s",
			p.K, words.Agreed(n, "is", "are"), words.Plural(n, "row")).At("k")
	case s.Trim > 0 && len(p.Links) > 0:
		return framework.Faultf(framework.Usage, "trim-with-links", "rows cannot be trimmed where rows are linked").At("trim")
	}
	if err := s.Check(); err != nil {
		return err
	}
	if err := refuseLabels(p, plan, s); err != nil {
		return err
	}
	if s.Trim == 0 && !plan.Noise && slices.Contains(start.Labels, -1) {
		return framework.Faultf(framework.Data, "start-outliers", "the start has outliers, which have no cluster").At("start").
			WithHint("leave outliers out of this fit, too, with %s", framework.SettingTo("trim", "SHARE"))
	}
	return checkStart(p, n, start)
}

// mostRestarts is more than anybody waits for. Each has a place in memory.
const mostRestarts = 1_000_000

// Check refuses values that no data allow. It does not look at Init, which a
// given start makes meaningless.
func (s Settings) Check() error {
	bad := func(setting, format string, args ...any) error {
		return framework.Faultf(framework.Usage, "bad-setting", format, args...).At(setting)
	}
	switch {
	case s.Restarts < 1:
		return bad("restarts", "restarts is %d; it must be at least 1", s.Restarts)
	case s.Restarts > mostRestarts:
		return bad("restarts", "restarts is %d; it must be at most %d", s.Restarts, mostRestarts)
	case s.MaxIter < 0:
		return bad("max_iter", "max_iter is %d; it must not be negative", s.MaxIter)
	case !(s.Tol >= 0) || math.IsInf(s.Tol, 1):
		return bad("tol", "tol is %g; it must be a number that is not negative", s.Tol)
	case s.Empty != framework.Reseed && s.Empty != framework.Origin && s.Empty != framework.Fail:
		return bad("empty", "empty is %q; it must be reseed, origin or fail", s.Empty)
	case s.InitSpace != Both && s.InitSpace != Fitted && s.InitSpace != Raw:
		return bad("init_space", "init_space is %q; it must be both, fitted or raw", s.InitSpace)
	case !(s.Trim >= 0 && s.Trim <= 0.5):
		return bad("trim", "trim is %g; it must be a share from 0 to 0.5", s.Trim)
	}
	return nil
}

func checkStart(p framework.Problem, n int, start Start) error {
	bad := func(format string, args ...any) error {
		return framework.Faultf(framework.Data, "bad-start", "%s", fmt.Sprintf(format, args...)).At("start")
	}
	if start.Labels != nil && len(start.Labels) != n {
		return bad("the start has %s for %s", words.Plural(len(start.Labels), "label"), words.Plural(n, "row"))
	}
	for i, l := range start.Labels {
		if l < -1 || int(l) >= p.K {
			return bad("row %d of the start has label %d; labels are 0 to %d", i, l, p.K-1)
		}
	}
	if start.Settled && (start.Labels == nil || start.Centers == nil) {
		return bad("a settled start has labels and centers")
	}
	if c := start.Centers; c != nil && (c.Rows != p.K || c.Cols != p.P) {
		return bad("the start has %d centers of %d features; %d centers of %d are needed", c.Rows, c.Cols, p.K, p.P)
	}
	if start.Rows != nil && len(start.Rows) != p.K {
		return bad("the start has %s for %s", words.Plural(len(start.Rows), "row"), words.Plural(p.K, "cluster"))
	}
	for _, i := range start.Rows {
		if i < 0 || i >= n {
			return bad("the start names row %d of %d", i, n)
		}
	}
	return nil
}
