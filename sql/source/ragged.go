package source

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A CSV file in which a line has more or fewer fields than the others is read by
// DuckDB as one column of whole lines, or it says that it cannot tell how the file
// is written, or it stops at that line: it depends on where the line is.

// badLine is what DuckDB says of a line with a wrong number of fields.
var badLine = pattern.New(`CSV Error on Line: (\d+)\s+Original Line: ?(.*)\s+Expected Number of Columns: (\d+) Found: (\d+)`)

// badFile is where DuckDB says which file that line is in.
var badFile = pattern.New(`(?m)^\s*file = (.+)$`)

// isCSV reports whether the relation is a CSV file.
func (r *Relation) isCSV() bool {
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(r.text), ".gz"), ".zst")
	return strings.HasPrefix(r.Label, "file ") && (strings.HasSuffix(name, ".csv") || strings.HasSuffix(name, ".tsv"))
}

// ragged returns the fault of a CSV file that DuckDB does not split into columns,
// if that is because of a line with a wrong number of fields; else nil.
func (db *DB) ragged(ctx context.Context, r *Relation) *framework.Fault {
	if !r.isCSV() || len(r.Columns) > 1 {
		return nil
	}
	for _, delim := range []string{",", ";", "\t", "|"} {
		if len(r.Columns) == 1 && !strings.Contains(r.Columns[0].Name, delim) {
			continue
		}
		options := ", delim=" + schema.Text(delim) + ", header=true"
		file := "read_csv(" + schema.Text(r.text) + options
		names, err := db.Rows(ctx, "DESCRIBE FROM "+file+", ignore_errors=true)")
		if err != nil || len(names) < 2 {
			continue
		}
		columns := make([]string, len(names))
		for i := range columns {
			columns[i] = "c" + strconv.Itoa(i) + ": 'VARCHAR'"
		}
		_, err = db.Rows(ctx, "SELECT count(*) FROM "+file+", auto_detect=false, columns={"+strings.Join(columns, ", ")+"})")
		if err == nil {
			continue
		}
		if f := raggedFault(err, r, options); f != nil {
			return f
		}
	}
	return nil
}

// raggedFault returns the fault of an error of DuckDB about a line with a wrong
// number of fields; nil if it is another one. options are those of read_csv that the
// file needs.
func raggedFault(err error, r *Relation, options string) *framework.Fault {
	m := badLine().FindStringSubmatch(err.Error())
	if m == nil {
		return nil
	}
	want, _ := strconv.Atoi(m[3])
	found, _ := strconv.Atoi(m[4])
	label := r.Label
	if file := badFile().FindStringSubmatch(err.Error()); !r.isCSV() && file != nil {
		label = "file " + file[1]
	}
	f := framework.Faultf(framework.Data, "csv-line",
		"line %s of %s has %s, where there must be %d", m[1], label, input.Plural(found, "field"), want)
	if m[2] != "" {
		f.Details = []string{shortLine(m[2])}
	}
	if !r.isCSV() {
		return f.WithHint("correct the line, or let read_csv leave such lines out: ignore_errors=true")
	}
	read := func(option string) string {
		return framework.ShellWord("FROM read_csv(" + schema.Text(r.text) + options + ", " + option + ")")
	}
	if found < want {
		return f.WithHint("correct the line, or give the relation %s, in which the fields that a line lacks are NULL", read("null_padding=true"))
	}
	return f.WithHint("correct the line (a field with the delimiter in it goes in double quotes), "+
		"or leave such lines out with the relation %s", read("ignore_errors=true"))
}

// shortLine cuts a long line off.
func shortLine(text string) string {
	const limit = 100
	text = strings.ToValidUTF8(text, "\uFFFD")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}
