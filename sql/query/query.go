// Package query tells the text of a query from the name of a table or a file, before
// any database sees it, and takes such a text apart.
package query

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sqlcluster/sqlcluster/internal/pattern"
)

// startsQuery holds the words that begin a query. TABLE does, too: see IsTable.
var startsQuery = []string{"select", "with", "from", "values", "pivot", "unpivot"}

// IsQuery reports whether a relation is the text of a query, and not the name of a
// table or a file.
func IsQuery(text string) bool {
	text = skipBlank(text)
	if strings.HasPrefix(text, "(") {
		return true
	}
	for _, w := range startsQuery {
		if len(text) <= len(w) || !strings.EqualFold(text[:len(w)], w) {
			continue // a word alone is the name of a table or a file
		}
		// What follows tells "from t" from "from.csv" and "select_1".
		after := text[len(w):]
		first, _ := utf8.DecodeRuneInString(after)
		if blank(first) || strings.ContainsRune("('\"*", first) || strings.HasPrefix(after, "--") || strings.HasPrefix(after, "/*") {
			return true
		}
	}
	return IsTable(text)
}

// startsStatement are words that begin statements that are no queries.
var startsStatement = pattern.New(`(?is)^\s*(create|insert|update|delete|drop|alter|show|describe|summarize|explain|copy|attach|detach|` +
	`set|pragma|call|install|load|begin|export|import|checkpoint|vacuum|use)\s+\S`)

// IsStatement reports whether a text is a statement in SQL rather than the name of a file.
func IsStatement(text string) bool { return IsQuery(text) || startsStatement().MatchString(text) }

// oneName is a name in SQL, with those of its schema and database.
var oneName = pattern.New(`^(?:[\pL_][\pL\pN_$]*|"(?:[^"]|"")+")(?:\.(?:[\pL_][\pL\pN_$]*|"(?:[^"]|"")+")){0,2}`)

// IsTable reports whether a relation is TABLE with the name of a table, and no more.
// "table 1" and "table a.csv" are rather names of tables and files.
func IsTable(text string) bool {
	const word = "table"
	text = skipBlank(text)
	if len(text) <= len(word) || !strings.EqualFold(text[:len(word)], word) {
		return false
	}
	after := text[len(word):]
	name := skipBlank(after)
	if name == after && !strings.HasPrefix(name, `"`) {
		return false // the word is longer
	}
	found := oneName().FindString(name)
	statement, _ := First(name[len(found):])
	return found != "" && !IsDataFile(found) && skipBlank(statement) == ""
}

// FileTypes are the endings by which DuckDB knows how to read a file.
var FileTypes = []string{".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson"}

// IsDataFile reports whether DuckDB knows from its name how to read a file.
func IsDataFile(name string) bool {
	name = strings.ToLower(name)
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	return slices.ContainsFunc(FileTypes, func(t string) bool { return strings.HasSuffix(name, t) })
}
