package functions

import (
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/internal/pattern"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/query"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// DuckDB does not know that our functions are macros to their users' surprise, and
// says of a misspelled argument only what all arguments are.
var (
	refused    = pattern.New(`^Binder Error: Macro (cluster\w*)\(\) does not support the supplied arguments`)
	candidate  = pattern.New(`(?m)^\s+cluster\w*\((.*)\)$`)
	argument   = pattern.New(`(\w+|"(?:[^"]|"")+")\s*:=`)
	modified   = pattern.New(`Function "(cluster\w*)" is a Macro Function`)
	noSuchKey  = pattern.New(`Could not find key "((?:[^"]|"")*)" in struct\s+Candidate Entries: (.*)`)
	quotedName = pattern.New(`"((?:[^"]|"")*)"`)
	keyWord    = pattern.New(`(?i)[(,{]\s*(lambda|order)\s*:`)
	scalar     = pattern.New(`__sqlcluster_\d+_(?:predict|measure)(\(VARCHAR|\(STRING_LITERAL|\(?)`)
	noList     = pattern.New(`Referenced column "(centers|features|clusters|assignments|trace|violations)" not found`)
	noTable    = pattern.New(`^Catalog Error: Table with name (.+) does not exist!`)
)

// Explain returns what DuckDB's error of a statement means where it is about a
// function of ours, or nil.
func Explain(text string, said duck.Error) *framework.Fault {
	if !slices.ContainsFunc(query.Words(text), func(w string) bool { return strings.HasPrefix(strings.ToLower(w), "cluster") }) {
		return nil
	}
	message := string(said)
	if m := refused().FindStringSubmatch(message); m != nil {
		return wrongArguments(text, m[1], message)
	}
	if m := modified().FindStringSubmatch(message); m != nil {
		return unmodified(m[1])
	}
	if strings.Contains(message, "Window function macros must be functions") {
		return unmodified("such a function")
	}
	if m := scalar().FindStringSubmatch(message); m != nil {
		switch m[1] {
		case "":
			return unmodified("cluster_predict")
		case "(":
			return notAModel("a model is the column model of what cluster_fit returns: a text")
		}
		return framework.Faultf(framework.Usage, "bad-options", "%s must be a text: error, ignore or nearest", framework.Setting("unseen"))
	}
	if strings.Contains(message, `Values list "__m" does not have a column named "model"`) {
		return notAModel("the table of models has no column model")
	}
	if m := noSuchKey().FindStringSubmatch(message); m != nil {
		f := framework.Faultf(framework.Data, "column-not-found", "the relation has no column %q", m[1]).At("id")
		var near []string
		for _, q := range quotedName().FindAllStringSubmatch(m[2], -1) {
			near = append(near, q[1])
		}
		if f.Similar = framework.Closest(m[1], near); f.Similar == "" {
			f.Hint = "the key is the name of a column in quotes; the most similar ones: " + strings.Join(near, ", ")
		}
		return f
	}
	if strings.Contains(message, "struct_extract") { // with something else than a text
		return framework.Faultf(framework.Usage, "key-not-a-name", "the key must be the name of a column, as a text").
			At("key").WithHint("put it in quotes: 'id'")
	}
	if m := keyWord().FindStringSubmatch(text); m != nil && strings.HasPrefix(message, "Parser Error") {
		return framework.Faultf(framework.Usage, "key-word", "%s is a key word of SQL", m[1]).
			WithHint("put it in double quotes: %s", schema.Quote(m[1]))
	}
	if m := noTable().FindStringSubmatch(message); m != nil && strings.Contains(strings.ToLower(text),
		"cluster_model") && strings.HasSuffix(m[1], "_fit") {
		return framework.Faultf(framework.Data, "run-not-found", "the database has no run %q", strings.TrimSuffix(m[1], "_fit")).
			WithHint("FROM cluster_runs() lists the runs")
	}
	if strings.Contains(message, severalModels) {
		return framework.Faultf(framework.Data, "run-has-groups", "the run has a model for each group of rows, and cluster_model returns one").
			WithHint("take them from its table of fits: SELECT cluster_predict(f.model, c) FROM customers c JOIN RUN_fit f USING (region); " +
				"the others, as RUN_centers, have the rows of all")
	}
	if m := noList().FindStringSubmatch(message); m != nil {
		return framework.Faultf(framework.Data, "not-a-fit", "that is not a table of fits: it has no column %s", m[1]).
			WithHint("make one: CREATE TABLE m AS FROM cluster_fit(customers, 'id', k := 3)")
	}
	if m := noTable().FindStringSubmatch(message); m != nil && query.IsQuery(m[1]) || strings.Contains(message,
		"Table function cannot contain subqueries") {
		return framework.Faultf(framework.Usage, "relation-not-a-name", "a relation is the name of a table, a view or a file, and not a query").
			WithHint("give the query a name: WITH q AS (SELECT …) FROM cluster_fit(q, 'id', k := 3)")
	}
	if strings.Contains(message, "Cannot use NULL as function argument") {
		return framework.Faultf(framework.Usage, "relation-is-null", "an argument that names a relation is NULL").
			WithHint("leave it out where there is no such relation")
	}
	return nil
}

func notAModel(why string) *framework.Fault {
	return framework.Faultf(framework.Usage, "not-a-model", "%s", why).
		WithHint("cluster_predict(m.model, c) FROM customers c, m, or FROM cluster_predict(m, customers, 'id'), where m is a fit; " +
			"a path and a tuning have no model")
}

// wrongArguments says which of the named arguments of a call is none.
func wrongArguments(text, function, message string) *framework.Fault {
	var known []string
	for _, c := range candidate().FindAllStringSubmatch(message, -1) {
		for _, a := range argument().FindAllStringSubmatch(c[1], -1) {
			known = append(known, strings.Trim(a[1], `"`))
		}
	}
	for _, a := range argument().FindAllStringSubmatch(text, -1) {
		name := strings.ToLower(strings.Trim(a[1], `"`))
		if slices.Contains(known, name) {
			continue
		}
		f := framework.Faultf(framework.Usage, "unknown-option", "%s has no argument %s", function, name)
		f.Similar = framework.Closest(name, known)
		switch {
		case slices.Equal(known, []string{"options"}):
			f.Hint = "FROM " + function + "(customers, 'id', k := 3) has settings as arguments; elsewhere they are a struct: " +
				"SELECT " + function + "(c.id, c, {k: 3}) FROM customers c"
		case f.Similar == "" && len(known) > 0:
			f.Hint = "it has " + strings.Join(input.NamesOf(known, quotedWord), ", ")
		}
		return f
	}
	f := framework.Faultf(framework.Usage, "wrong-arguments", "%s was called with other arguments than it has", function)
	if calls := candidate().FindStringSubmatch(message); calls != nil {
		named := argument().FindStringIndex(calls[1])
		positional := calls[1]
		if named != nil {
			positional = strings.TrimRight(calls[1][:named[0]], ", ")
		}
		f.Hint = "it takes (" + positional + "), and others by name: k := 3"
		if named == nil {
			f.Hint = "it takes (" + positional + ")"
		}
	}
	return f
}

// quotedWord is the name of an argument as it has to be written.
func quotedWord(name string) string {
	if name == "lambda" || name == "order" { // key words
		return schema.Quote(name)
	}
	return name
}

func unmodified(function string) *framework.Fault {
	return framework.Faultf(framework.Usage, "aggregate-modified", "%s takes no DISTINCT, FILTER, ORDER BY or OVER", function).
		WithHint("choose the rows in a query with WHERE; their order does not matter, since they are fitted in that of the key")
}
