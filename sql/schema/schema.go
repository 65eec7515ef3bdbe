// Package schema has the definition of every result table, one commented .sql
// file each, and the one function that quotes identifiers.
package schema

import (
	"embed"
	"regexp"
	"strings"
)

//go:embed *.sql
var files embed.FS

// Tables lists the result tables of a run, in the order in which they are
// written. The table of run NAME is called NAME_ and one of these.
var Tables = []string{"assignments", "centers", "features", "clusters", "trace", "fit", "run"}

// Quote returns an identifier for use in SQL text. It is the only way by which
// a name gets there.
func Quote(name string) string {
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// Key is the row key's column: its name, and its type as DuckDB writes it.
type Key struct{ Name, Type string }

// DDL returns the statements that create a result table (one of Tables) under
// the quoted name qualified.
func DDL(table, qualified string, key Key) string {
	text, err := files.ReadFile(table + ".sql")
	if err != nil {
		panic("schema: no table " + table)
	}
	return strings.NewReplacer("{table}", qualified, "{key}", Quote(key.Name), "{keytype}", key.Type).Replace(string(text))
}

// ReservedKeyNames are the columns of the assignments table besides the key.
var ReservedKeyNames = []string{"cluster", "distance", "second_cluster", "margin", "status"}

// A Column is a column of a result table, as its definition describes it.
type Column struct{ Name, Comment string }

var comment = regexp.MustCompile(`(?m)^COMMENT ON COLUMN \{table\}\.(\S+) IS '((?:[^']|'')*)';$`)

// Columns returns the columns of a result table in order. The row key is called
// KEY.
func Columns(table string) []Column {
	text, err := files.ReadFile(table + ".sql")
	if err != nil {
		panic("schema: no table " + table)
	}
	var all []Column
	for _, m := range comment.FindAllStringSubmatch(string(text), -1) {
		all = append(all, Column{strings.Replace(m[1], "{key}", "KEY", 1), strings.ReplaceAll(m[2], "''", "'")})
	}
	return all
}
