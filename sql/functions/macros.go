package functions

import (
	_ "embed"
	"fmt"
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

//go:embed runs.sql
var runs string

// macros are the statements that make what users call.
func (f *Functions) macros() []string {
	var words []string
	for _, function := range []string{"fit", "path", "tune", "check"} {
		named, fields := f.arguments(function)
		words = append(words, "{settings of "+function+"}", named)
		for _, rows := range []string{"query_table(relation)", "__rows"} {
			words = append(words, "{"+function+" of "+rows+"}",
				f.form.ofRelation(f, function, "struct_extract(__r, key), __r, "+fields, rows+" AS __r"))
		}
	}
	words = append(words, "{macro}", f.form.macro(), "{fit of a group}", f.form.ofGroup(f, "fit", "key, fields, options"),
		"{fit of a group without options}", f.form.ofGroup(f, "fit", "key, fields, NULL"),
		"{score of the rows}", f.form.ofRows(f, "score",
			"{m: (SELECT list(__m) FROM query_table(m) AS __m), key: key, truth: truth, sample: sample}",
			"0, __r, NULL", "query_table(relation) AS __r"),
		"{enforce of the rows}", f.form.ofRows(f, "enforce", "__models.model, unseen", "__n, __r, NULL",
			"__rows GROUP BY __n IS NULL", "__models")) // no group without rows
	for _, name := range []string{"predict", "measure", "export", "algorithms", "params"} {
		words = append(words, "{"+name+"}", f.name(name))
	}
	words = append(words, "{columns of a fit}", texts(schema.AllColumns(schema.Fit), "error", "notes"), "{lists of a fit}", texts(lists),
		"{rows of violations}", rowType(schema.Violations, "VARCHAR")+"[]", "{rows of limits}", rowType(schema.Limits, "VARCHAR")+"[]",
		"{several models}", severalModels)
	whole := surface
	if p, is := f.form.(polled); is {
		fits, groups := fitTables()
		words = append(words, "{fits}", fits, "{groups}", groups, "{catalogue}", p.catalogue)
		whole += runs
	}
	var all []string
	for _, s := range query.Split(strings.NewReplacer(words...).Replace(whole)) {
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

// fitTables are a condition of the list columns, that it has those of a fit table of some
// version, and how many of groups come before.
func fitTables() (fits, groups string) {
	var conditions, cases []string
	for _, names := range schema.Versions(schema.Fit) {
		is := fmt.Sprintf("columns[-%d:] = [%s]", len(names), texts(names))
		conditions = append(conditions, is)
		cases = append(cases, fmt.Sprintf("WHEN %s THEN len(columns) - %d", is, len(names)))
	}
	return strings.Join(conditions, " OR "), "CASE " + strings.Join(cases, " ") + " END"
}

// name is a function of ours as SQL has it.
func (f *Functions) name(function string) string { return schema.Quote(f.prefix + function) }

// A form says how macros make values of our aggregates.
type form interface {
	macro() string // of which kind they are
	// ofRelation is a query of the value __v of an aggregate, with these arguments, over rows;
	// ofGroup an expression, over the rows of a group.
	ofRelation(f *Functions, function, arguments, rows string) string
	ofGroup(f *Functions, function, arguments string) string
	// ofRows is a query of the value __v that a scalar function makes of gathered rows and
	// further arguments, which are columns of other relations.
	ofRows(f *Functions, function, further, arguments, rows string, others ...string) string
}

// direct is the form of a session: the aggregate returns the value.
type direct struct{}

func (direct) macro() string { return "TEMP MACRO " }

func (direct) ofRelation(f *Functions, function, arguments, rows string) string {
	return "SELECT " + f.name(function) + "(" + arguments + ", (SELECT uuid())) AS __v FROM " + rows
}

// A CASE takes no DISTINCT, FILTER, ORDER BY and OVER: within aggregates of ours they
// would crash DuckDB.
func (direct) ofGroup(f *Functions, function, arguments string) string {
	return "CASE WHEN true THEN " + f.name(function) + "(" + arguments + ", (SELECT uuid())) END"
}

func (d direct) ofRows(f *Functions, function, further, arguments, rows string, others ...string) string {
	return "SELECT " + f.name(function) + "(__g, " + further + ") AS __v FROM " +
		strings.Join(append([]string{"(SELECT __v AS __g FROM (" + d.ofRelation(f, "rows", arguments, rows) + "))"}, others...), ", ")
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
