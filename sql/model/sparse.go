package model

import (
	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
)

// Settle gives the rows of a sparse table all of their cells where an algorithm does not
// take sparse rows with these parameters. It returns a Fault if there is no room for that;
// the table is then closed.
func Settle(t *input.Table, d framework.Description, params framework.Params) error {
	if !t.Builder.IsSparse() || d.TakesSparse(params) {
		return nil
	}
	b, err := t.Builder.Dense()
	if err != nil {
		_ = t.Close() // the first error counts
		return err
	}
	t.Builder = b
	return nil
}

// CaseDiffers is the fault of features that rows with columns cannot have.
func CaseDiffers(a, b string) error {
	return framework.Faultf(framework.Data, "features-differ-by-case",
		"the features %q and %q of the model differ only by case, and a table cannot have columns of both names", a, b).
		WithHint("give rows as triples, as the fit had them: sqlcluster predict takes %s", framework.Setting("long"))
}
