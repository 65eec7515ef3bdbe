package store

import (
	"errors"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// readFault explains why a stream ended early.
func readFault(err error, r *relation, seen int) error {
	if _, ok := errors.AsType[duck.Error](err); !ok {
		return err
	}
	if writes := duck.WritesFault(err, r.label); writes != nil {
		return writes.WithWhere("%s", r.label)
	}
	if f := raggedFault(err, r, ""); f != nil {
		return f.WithWhere("%s", r.label)
	}
	f := framework.Faultf(framework.Data, "read-failed", "DuckDB stopped reading %s after %s", r.label, input.Plural(seen, "row"))
	f.Err = err
	duck.Blame(f)
	return f
}

// relationFault explains why a relation cannot be read.
func relationFault(err error, label, where string) error {
	if f := framework.AsFault(err); f != nil {
		return f.WithWhere("%s", where)
	}
	if _, ok := errors.AsType[duck.Error](err); !ok {
		return err
	}
	if f := duck.ExtensionFault(err, label); f != nil {
		return f.WithWhere("%s", where)
	}
	if f := duck.WritesFault(err, label); f != nil {
		return f.WithWhere("%s", where)
	}
	if strings.Contains(err.Error(), "This file is not utf-8 encoded") {
		return notUTF8(label).WithWhere("%s", where)
	}
	f := framework.Faultf(framework.Data, "relation-invalid", "DuckDB cannot read %s", label).WithWhere("%s", where)
	f.Err = err
	return f
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
