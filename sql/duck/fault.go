package duck

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

// InternalFault wraps an error of DuckDB that is nobody's fault. Faults and
// the end of a context are returned as they are.
func InternalFault(code, summary string, err error) error {
	if _, ok := errors.AsType[Error](err); !ok {
		return err
	}
	f := framework.Faultf(framework.Internal, code, "%s", summary).WithCause(err)
	Blame(f)
	return f
}

// WritesFault is the fault of a query that would write to the database; nil if
// err is about something else.
func WritesFault(err error, label string) *framework.Fault {
	e, ok := errors.AsType[Error](err)
	if !ok || !strings.Contains(string(e), "in read-only mode") {
		return nil
	}
	return framework.Faultf(framework.Data, "query-has-effects", "%s would write to the database, and a relation is only read", label).
		WithCause(err).WithHint("nextval() is such a write; row_number() OVER () numbers rows without one")
}

// WriteFault explains why a transaction wrote nothing.
func WriteFault(err error, name string) error {
	summary := "the result tables cannot be written"
	if name != "" {
		summary = fmt.Sprintf("table %s cannot be written", name)
	}
	err = InternalFault("write-failed", summary, err)
	f := framework.AsFault(err)
	if f == nil || f.Code != "write-failed" || f.Err == nil {
		return err
	}
	switch said := f.Err.Error(); {
	case strings.Contains(said, "No space left"):
		return f.At("db").WithHint("no table is half-written; make room on its disk, or choose another place for the database")
	case strings.Contains(said, "Permission denied"):
		return f.At("db").WithHint("no table is half-written; DuckDB writes a log beside the database: check the permissions of the directory")
	}
	return err
}

// ofDuckDB is what DuckDB says when not the statement is to blame, but the
// machine or the file.
var ofDuckDB = []struct {
	said  []string
	class framework.Class
	code  string
	hint  string
}{
	{[]string{"Out of Memory Error", "Cannot allocate memory", "bad_alloc"}, framework.Internal, "out-of-memory",
		"give it more memory (see also ulimit -v), read fewer rows or columns, or sort less in the query"},
	{[]string{"Too many open files"}, framework.Internal, "too-many-files", "raise the limit of open files: ulimit -n 1024"},
	{[]string{"Failed to create directory"}, framework.Internal, "no-temporary-directory", // DuckDB makes no other one
		"it holds what does not fit into memory; set TMPDIR to a directory that you can write to"},
	{[]string{"Could not read enough bytes"}, framework.Data, "database-damaged",
		"the file is cut off, as by an incomplete copy; copy it again, or use a backup"},
	{[]string{"Failure while replaying WAL"}, framework.Data, "database-log",
		"the log beside the database (its name, with .wal at the end) is damaged, or belongs to another database; " +
			"move it away if it belongs to another one, or else use a backup"},
}

// saidAny reports whether a message has one of some texts in it.
func saidAny(message string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(message, text) })
}

// Blame gives a fault whose cause is the machine or the file the code and hint of
// that. It reports whether it is.
func Blame(f *framework.Fault) bool {
	for _, d := range ofDuckDB {
		if saidAny(f.Err.Error(), d.said...) {
			f.Class, f.Code, f.Hint = d.class, d.code, d.hint
			return true
		}
	}
	return false
}
