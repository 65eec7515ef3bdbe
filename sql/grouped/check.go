package grouped

import (
	"context"
	"slices"

	"github.com/sqlcluster/sqlcluster/sql/job"
	"github.com/sqlcluster/sqlcluster/sql/library"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/settings"
)

// Possible is the status of a group that has been checked, and can be fitted.
const Possible = "ok"

// Checks are those of the groups of a relation: everything that Fits would do, without the
// fits.
type Checks struct{ *Fits }

// NewChecks returns checks of fits whose settings are possible, as far as they go without
// data.
func NewChecks(s settings.Settings, l library.Library) (Checks, error) {
	f, err := NewFits(s, l)
	return Checks{f}, err
}

// A Checked says what would be fitted in a group.
type Checked struct {
	Uses    []job.Use
	LeftOut int      // rows
	Without []string // columns without an effect: they have one value, or none
	Nulls   int      // cells
}

// Runs are the checks, after Read.
func (c Checks) Runs() *Batches[*Checked] { return batches(c.Each, c.check) }

func (c Checks) check(ctx context.Context, group, threads int) (*Checked, result.Model, error) {
	b, err := c.read(ctx, group, threads)
	if err != nil {
		return nil, result.Model{}, err
	}
	defer b.Close()
	if err := b.Check(ctx); err != nil {
		return nil, result.Model{}, err
	}
	d := &Checked{Uses: b.Uses(), LeftOut: b.Table.Dropped}
	for _, f := range b.Recipe.Features {
		if name := f.Column(); (f.Constant || b.IsEmpty(f)) && !slices.Contains(d.Without, name) {
			d.Without = append(d.Without, name)
		}
		d.Nulls += f.Missing
	}
	return d, result.Model{Status: Possible, P: b.Problem.P, K: b.Problem.K, Notes: b.Notes}, nil
}
