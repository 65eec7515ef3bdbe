package functions

import (
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/result"
	"github.com/sqlcluster/sqlcluster/sql/schema"
	"github.com/sqlcluster/sqlcluster/sql/store"
)

// lists are the fields of a fit that have the rows of result tables.
var lists = []string{schema.Centers, schema.Features, schema.Clusters, schema.Assignments, schema.Trace, schema.Violations,
	schema.Limits}

// keyTypes are the types that keys keep. Those of other types become text.
var keyTypes = []string{"VARCHAR", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER",
	"UBIGINT", "UHUGEINT", "FLOAT", "DOUBLE", "UUID", "BLOB", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS",
	"TIMESTAMP WITH TIME ZONE"}

// overloads are those of an aggregate whose value has a type that depends on that of
// the key. The last one takes all keys that the others do not.
func overloads(value func(keyType string) string) []duck.Overload {
	var all []duck.Overload
	for _, t := range keyTypes {
		all = append(all, duck.Overload{Parameters: []string{t, "ANY", "ANY", "UUID"}, Returns: value(t)})
	}
	return append(all, duck.Overload{Parameters: []string{"ANY", "ANY", "ANY", "UUID"}, Returns: value("VARCHAR")})
}

// always are the overloads of an aggregate whose value has one type.
func always(value string) []duck.Overload {
	return []duck.Overload{{Parameters: []string{"ANY", "ANY", "ANY", "UUID"}, Returns: value}}
}

// fitType is the type of a fit: the columns of the fit table, why there is none, what
// is to be noted, and the rows of the other tables.
func fitType(keyType string) string {
	fields := append(columns(schema.Fit, keyType), "error VARCHAR", "notes VARCHAR[]")
	for _, name := range lists {
		fields = append(fields, name+" "+rowType(name, keyType)+"[]")
	}
	return "STRUCT(" + strings.Join(fields, ", ") + ")"
}

// rowType is the type of a row of a result table.
func rowType(table, keyType string) string {
	return "STRUCT(" + strings.Join(columns(table, keyType), ", ") + ")"
}

// columns are those of a result table, as SQL. The row key is called key.
func columns(table, keyType string) []string {
	var all []string
	for _, t := range schema.Tables() {
		for _, c := range t.Columns {
			if t.Name == table {
				all = append(all, strings.NewReplacer("{key}", "key", "{key_type}", keyType).Replace(c.Name+" "+c.Type))
			}
		}
	}
	return all
}

// fitValue is the value of a fit.
func fitValue(r *result.Tables, notes []string, trace bool) []duck.Field {
	_, cells := store.Cells(r, schema.Fit)
	all := plain(cells)
	all = append(all, duck.Field{Cell: duck.Nulls}, textList(notes))
	for _, name := range lists {
		switch {
		case name == schema.Violations && r.Violations == nil, name == schema.Limits && r.Limits == nil, name == schema.Trace && !trace:
			all = append(all, duck.Field{})
		default:
			all = append(all, rows(r, name))
		}
	}
	return all
}

// noFit is the value of a fit that failed.
func noFit(why string) []duck.Field {
	var all []duck.Field
	for range schema.AllColumns(schema.Fit) {
		all = append(all, duck.Field{Cell: duck.Nulls})
	}
	all = append(all, duck.Field{Cell: duck.Texts(func(int) string { return why })}, duck.Field{})
	return append(all, make([]duck.Field, len(lists))...)
}

func plain(cells []duck.Cells) []duck.Field {
	all := make([]duck.Field, len(cells))
	for i, c := range cells {
		all[i].Cell = c
	}
	return all
}

func rows(r *result.Tables, name string) duck.Field {
	n, cells := store.Cells(r, name)
	return duck.Field{List: &duck.List{Entries: n, Columns: cells}}
}

func textList(all []string) duck.Field {
	return duck.Field{List: &duck.List{Entries: len(all), Columns: []duck.Cells{duck.Texts(func(i int) string { return all[i] })}}}
}
