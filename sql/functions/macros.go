package functions

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/query"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// noRelation is the default of arguments that are relations, which have to be some
// relation: one that every database has, of one row, and that is none of a user's.
const noRelation = "pg_catalog.pg_tablespace"

// severalModels is what DuckDB's error of a run with groups says.
const severalModels = "the run has several models"

//go:embed surface.sql
var surface string

// macros are the statements that make what users call.
func (f *Functions) macros() []string {
	var words []string
	for _, function := range []string{"fit", "path", "tune", "check"} {
		named, fields := f.arguments(function)
		words = append(words, "{"+function+"}", schema.Quote(f.prefix+function), "{settings of "+function+"}", named,
			"{options of "+function+"}", fields)
	}
	for _, name := range []string{"predict", "measure", "enforce", "export", "rows", "score", "algorithms", "params"} {
		words = append(words, "{"+name+"}", schema.Quote(f.prefix+name))
	}
	words = append(words, "{columns of a fit}", texts(schema.AllColumns(schema.Fit), "error", "notes"), "{lists of a fit}", texts(lists),
		"{rows of violations}", rowType(schema.Violations, "VARCHAR")+"[]", "{rows of limits}", rowType(schema.Limits, "VARCHAR")+"[]", "{several models}", severalModels)
	var all []string
	for _, s := range query.Split(strings.NewReplacer(words...).Replace(surface)) {
		if !strings.Contains(s.Text, "{list}") {
			all = append(all, s.Text)
			continue
		}
		for _, name := range lists {
			all = append(all, strings.NewReplacer("{list}", name, "{order}", orders[name]).Replace(s.Text))
		}
	}
	return all
}

// orders are those of the rows of lists; others have the one in which they are kept.
var orders = map[string]string{
	schema.Features: ` ORDER BY coalesce("cluster", -1), coalesce(rank, -1), gain DESC NULLS LAST`, // as the command shows them
}

// texts are texts as SQL.
func texts(all []string, more ...string) string {
	return strings.Join(input.NamesOf(append(slices.Clone(all), more...), schema.Text), ", ")
}

// arguments are the named arguments of a function, which are its options and the
// parameters of all algorithms, and the struct that is made of them.
func (f *Functions) arguments(function string) (named, fields string) {
	names := append(f.library.Parameters(), "params")
	for name := range targets(function, new(options)) {
		if name != "key" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var arguments, all []string
	for _, name := range slices.Compact(names) {
		arguments = append(arguments, schema.Quote(name)+" := NULL")
		all = append(all, schema.Quote(name)+": "+schema.Quote(name))
	}
	for _, name := range beside {
		arguments = append(arguments, name+" := "+schema.Text(noRelation))
		all = append(all, name+": (SELECT list(__"+name+") FROM query_table("+name+") AS __"+name+")")
	}
	return strings.Join(arguments, ", "), "{key: key, " + strings.Join(all, ", ") + "}"
}
