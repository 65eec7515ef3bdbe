package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// ReadFault explains why a stream ended early.
func ReadFault(err error, r *Relation, seen int) error {
	if _, ok := errors.AsType[duck.Error](err); !ok {
		return err
	}
	if writes := duck.WritesFault(err, r.Label); writes != nil {
		return writes.WithWhere("%s", r.Label)
	}
	if f := raggedFault(err, r, ""); f != nil {
		return f.WithWhere("%s", r.Label)
	}
	f := framework.Faultf(framework.Data, "read-failed", "DuckDB stopped reading %s after %s", r.Label, input.Plural(seen,
		"row")).WithCause(err)
	duck.Blame(f)
	return f
}

// RelationFault explains why a relation cannot be read.
func RelationFault(err error, label, where string) error {
	f := framework.AsFault(err)
	if _, ok := errors.AsType[duck.Error](err); !ok && f == nil {
		return err
	}
	if f == nil {
		f = cmp.Or(duck.ExtensionFault(err, label), duck.WritesFault(err, label))
	}
	if f == nil && strings.Contains(err.Error(), "This file is not utf-8 encoded") {
		f = notUTF8(label)
	}
	if f == nil {
		f = framework.Faultf(framework.Data, "relation-invalid", "DuckDB cannot read %s", label).WithCause(err)
	}
	return f.WithWhere("%s", where)
}

// notUTF8 is the fault of a CSV file whose text is in another encoding.
func notUTF8(label string) *framework.Fault {
	name, file := strings.CutPrefix(label, "file ")
	if !file {
		return framework.Faultf(framework.Data, "relation-invalid", "%s reads a CSV file that is not UTF-8", label).
			WithHint("name its encoding: read_csv(FILE, encoding='latin-1')")
	}
	return framework.Faultf(framework.Data, "relation-invalid", "%s is not UTF-8", label).
		WithHint("name its encoding: %s", framework.ShellWord("FROM read_csv("+schema.Text(name)+", encoding='latin-1')"))
}

// NumberFault explains why a relation cannot be read whose columns of these names,
// where it has them, must be numbers: it names the first with another value. Text
// that is a number is allowed.
func (db *DB) NumberFault(ctx context.Context, err error, r *Relation, where string, columns ...string) error {
	for _, name := range columns {
		c, missing := r.Column(name, where)
		if missing != nil {
			continue
		}
		if class, _ := classify(c.Type); class == number {
			continue
		}
		quoted := schema.Quote(c.Name)
		rows, unread := db.Rows(ctx, "SELECT min(CAST("+quoted+" AS VARCHAR)) FROM "+r.From+
			" WHERE "+quoted+" IS NOT NULL AND TRY_CAST("+quoted+" AS DOUBLE) IS NULL")
		if unread == nil && rows[0][0] == nil {
			continue
		}
		f := framework.Faultf(framework.Data, "column-not-numeric",
			"column %q of %s is %s, and must be a number", c.Name, r.Label, shortType(c.Type)).
			WithWhere("%s", where).WithHint("%s", c.advice())
		if unread == nil { // else nothing of this type is a number
			f.Details = []string{fmt.Sprintf("it has the value %q", rows[0][0])}
		}
		return f
	}
	return RelationFault(err, r.Label, where)
}
