package grouped

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/model"
	"github.com/sqlcluster/sqlcluster/sql/result"
)

// A Run is one with groups that is stored.
type Run struct {
	Name   string
	Groups *input.Groups
	Fits   []*result.Fit // one a group, with its model; nil: it has none

	library library.Library
}

// open makes a library ready for the models, until what it returns is called.
func (r *Run) open(l library.Library) (done func()) {
	kept := &library.Kept{}
	r.library = kept.Library(l.InThisProcess())
	return func() { _ = kept.Close() } // the processes of plugins: what they say comes too late
}

// first returns the model of the first group that has one, and the group. use says what
// for, in the fault of a run without one.
func (r *Run) first(ctx context.Context, use string) (*model.Model, int, error) {
	some := slices.IndexFunc(r.Fits, func(f *result.Fit) bool { return f != nil })
	group := slices.IndexFunc(r.Fits, isModel)
	if group < 0 { // it is of paths or tunings, as loading one says
		group = some
	}
	if group < 0 {
		return nil, 0, framework.Faultf(framework.Data, "no-model", "run %q has no model", r.Name)
	}
	m, err := r.one(ctx, group, use)
	return m, group, err
}

// isModel reports whether a fit has a model: that of a tuning which has chosen nothing has none.
func isModel(f *result.Fit) bool { return f != nil && !f.IsPath() }

// one returns the model of a group.
func (r *Run) one(ctx context.Context, group int, use string) (*model.Model, error) {
	return model.Load(ctx, r.library, oneFit{r.Fits[group]}, r.Name, use)
}

// oneFit are runs of which only one is asked for.
type oneFit struct{ fit *result.Fit }

func (o oneFit) LoadModel(context.Context, string) (*result.Fit, error) { return o.fit, nil }
