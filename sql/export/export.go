// Package export writes the prediction of a stored run as plain SQL, for databases
// that do not know this program. The text has all of the model in it: a table of
// centers and one formula.
//
// The SQL adds up what predict adds up, in the order of the features, and of
// equally near centers takes the first. It differs in two points. Kernels fuse
// products with sums, and databases round both. And what a category adds to a
// distance is summed beforehand. So distances differ by rounding errors, and labels
// may differ in rows that are equally near to two centers but for such errors.
package export

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/framework/matrix"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/model"
)

// Forms of the SQL.
const (
	Macro = "macro" // statements that make functions
	Query = "sql"   // a query over a table
)

// Forms lists them.
func Forms() []string { return []string{Query, Macro} }

// Options say what is written. Settings of the same names give them.
type Options struct {
	Dialect  string // one of Dialects; "": DuckDB
	As       string // one of Forms; "": Query
	From     string // of a query: the table, as SQL has it
	Name     string // of a macro: what the names of its functions begin with; "": the name of the run
	Distance bool   // the distance too: over all features that have weight, as predict measures it

	// Unseen says what becomes of a category that the model does not know. SQL cannot
	// refuse it, so matrix.UnseenError leaves the row without a cluster.
	Unseen matrix.Unseen
}

// Text returns SQL that labels rows as the model does.
func Text(m *model.Model, o Options) (string, error) {
	for _, c := range []struct {
		setting, value string
		of             []string
	}{{"dialect", o.Dialect, Dialects()}, {"as", o.As, Forms()}, {"unseen", string(o.Unseen), model.Unseen}} {
		if err := input.OneOf(c.setting, c.value, c.of); err != nil {
			return "", err
		}
	}
	o.Dialect, o.As = cmp.Or(o.Dialect, DuckDB), cmp.Or(o.As, Query)
	if o.As == Macro && o.From != "" {
		return "", misplaced("from", Query)
	}
	if o.As == Query && o.Name != "" {
		return "", misplaced("name", Macro)
	}
	a, err := m.Arithmetic(o.Unseen)
	if err != nil {
		return "", err
	}
	o.Name, o.From = cmp.Or(o.Name, a.Run, "model"), cmp.Or(o.From, placeholder)
	w := &writer{Dialect: dialect.Of(o.Dialect), o: o, model: reduce(a, o)}
	if err := w.check(); err != nil {
		return "", err
	}
	w.comment(a)
	if o.Dialect == ClickHouse {
		w.arrays()
	} else {
		w.relational()
	}
	return w.text.String(), nil
}

// misplaced is the fault of a setting that goes with another form.
func misplaced(setting, form string) error {
	return framework.Faultf(framework.Usage, "bad-flag", "%s goes with %s only", framework.Setting(setting), framework.SettingTo("as", form)).
		At(setting).WithHint("leave it out, or use %s", framework.SettingTo("as", form))
}

// A writer writes one text.
type writer struct {
	dialect.Dialect
	o     Options
	model *reduced
	text  strings.Builder
}

func (w *writer) linef(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

// check refuses models that the database has no room for.
func (w *writer) check() error {
	if n := len(w.model.columns); w.o.As == Macro && w.MostArguments > 0 && n > w.MostArguments {
		return framework.Faultf(framework.Data, "too-many-columns", "the model needs %d columns, and functions of %s take %d arguments",
			n, w.Dialect.Name, w.MostArguments).At("as").WithHint("a query has no such limit: %s", framework.SettingTo("as", Query))
	}
	if n := w.model.entries; w.MostColumns > 0 && n >= w.MostColumns {
		return framework.Faultf(framework.Data, "too-many-columns", "the centers have %d numbers each, and tables of %s have at most %d columns",
			n, w.Dialect.Name, w.MostColumns).WithHint("fit again with fewer features, or label rows with predict")
	}
	if a, b := input.SameButCase(w.model.columns); a != b && w.o.Dialect == DuckDB {
		return model.CaseDiffers(a, b)
	}
	return nil
}

// comment writes what the text is.
func (w *writer) comment(a *model.Arithmetic) {
	of := "a fit"
	if a.Run != "" {
		of = fmt.Sprintf("run %q", a.Run)
	}
	w.linef("-- The clusters of %s (%s), for %s.", of, a.By, w.Dialect.Name)
	w.linef("-- A row gets the number of its nearest center, or NULL where it lacks the columns that count.")
	if w.o.As == Query && w.o.From == placeholder {
		w.linef("-- Put your table in the place of %s.", placeholder)
	}
}

// placeholder stands for a table that was not named.
const placeholder = "your_table"
