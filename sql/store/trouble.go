package store

import (
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
)

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
		"the log beside the database (its name, with .wal at the end) is damaged, or belongs to another database; move it away if it belongs to another one, or else use a backup"},
}

// blame gives a fault whose cause is the machine or the file the code and hint of
// that. It reports whether it is.
func blame(f *framework.Fault) bool {
	for _, d := range ofDuckDB {
		for _, text := range d.said {
			if strings.Contains(f.Err.Error(), text) {
				f.Class, f.Code, f.Hint = d.class, d.code, d.hint
				return true
			}
		}
	}
	return false
}
