package testbed

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/fit"
)

// Settings are the settings of a fit from given labels.
func (b *Bed) Settings(threads int) fit.Settings {
	return fit.Settings{Init: "random", InitSpace: "fitted", Restarts: 1, MaxIter: 300, Empty: b.Description.Empty, Threads: threads}
}

// Fit runs the driver. It returns a refusal.
func (b *Bed) Fit(start fit.Start, s fit.Settings) (*fit.Result, error) {
	res, err := fit.Run(b.Ctx, b.Clusterer, b.Problem, b.Data, start, s, nil)
	if err != nil && !IsRefusal(err) {
		b.Failf("a fit fails with %v", err)
	}
	return res, err
}

// IsRefusal reports whether an error is a Fault that data or a user can cause.
func IsRefusal(err error) bool {
	f := framework.AsFault(err)
	return f != nil && f.Class != framework.Internal && f.Class != framework.Plugin
}

// FitOrSkip runs the driver; a refusal says nothing about the law.
func (b *Bed) FitOrSkip(start fit.Start, s fit.Settings) *fit.Result {
	res, err := b.Fit(start, s)
	if err != nil {
		b.Skipf("the fit is refused: %v", err)
	}
	return res
}

// StartFrom is a start from given labels.
func StartFrom(labels []int32) fit.Start { return fit.Start{Labels: labels} }
