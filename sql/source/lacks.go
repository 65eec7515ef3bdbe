package source

import (
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// mostLacking is how many columns a relation may lack until it is rather the wrong
// one.
const mostLacking = 5

// longestQuery is the length up to which a query is repeated in a hint.
const longestQuery = 200

// remedy adds to the fault of columns that a model needs, and that a relation does
// not have, what to do.
func (r *Relation) remedy(f *framework.Fault, missing []string, spec input.Spec) *framework.Fault {
	if len(missing) > mostLacking {
		return f
	}
	hint := "the algorithm of the run needs a value in every row: give a relation with " + input.ColumnNames(missing)
	if spec.MissingOK {
		var b strings.Builder
		b.WriteString("SELECT *")
		for _, name := range missing {
			typ := "DOUBLE"
			if _, categorical := spec.WantCategories[name]; categorical {
				typ = "VARCHAR"
			}
			b.WriteString(", NULL::" + typ + " AS " + schema.Quote(name))
		}
		b.WriteString(" " + r.fromAgain())
		hint = "if " + input.Agreed(len(missing), "it is", "they are") + " not known, give NULLs: " + framework.ShellWord(b.String())
	}
	if f.Hint != "" {
		hint = f.Hint + "; " + hint
	}
	f.Hint = hint
	return f
}

// fromAgain returns the FROM of a query about the same relation.
func (r *Relation) fromAgain() string {
	switch {
	case r.Label != "the query":
		return r.source
	case len(r.source) > longestQuery || strings.Contains(r.source, "--") || strings.Contains(r.source, "\n"):
		return "FROM (…)"
	}
	return "FROM (" + r.source + ")"
}
