// Package dialect knows how databases write what all of them have: names, texts,
// numbers and conversions. Statements that are written once for several databases
// are made with it.
package dialect

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// The databases.
const (
	DuckDB     = "duckdb"
	PostgreSQL = "postgres"
	ClickHouse = "clickhouse"
)

// Names lists them.
func Names() []string { return slices.Sorted(maps.Keys(all)) }

// A Dialect is how one database writes.
type Dialect struct {
	Name            string                   // for people
	Quote           func(name string) string // a name, as SQL has it
	Literal         func(text string) string // a text
	Number          func(v float64) string   // exactly this number, in double precision; finite ones only
	toFloat, toText string                   // around a value
	MostArguments   int                      // of a function; 0: as many as you like
	MostColumns     int                      // of a table, or a list of VALUES; 0: as many as you like

	Rows // of statements that read many rows
}

var all = map[string]Dialect{
	DuckDB: {Name: "DuckDB", Quote: schema.Quote, Literal: schema.Text, Number: double,
		toFloat: "CAST(% AS DOUBLE)", toText: "CAST(% AS VARCHAR)", Rows: duckDB},
	PostgreSQL: {Name: "PostgreSQL", Quote: schema.Quote, Literal: schema.Text, Number: shortest,
		toFloat: "CAST(% AS double precision)", toText: "CAST(% AS text)", MostArguments: 100, MostColumns: 1600},
	ClickHouse: {Name: "ClickHouse", Quote: func(name string) string { return "`" + escape.Replace(name) + "`" },
		Literal: func(text string) string { return "'" + escape.Replace(text) + "'" }, Number: normal,
		toFloat: "toFloat64(%)", toText: "toString(%)", Rows: clickHouse},
}

// Of returns the dialect of one of Names.
func Of(name string) Dialect { return all[name] }

// escape is for names and texts of ClickHouse.
var escape = strings.NewReplacer(`\`, `\\`, "`", "\\`", `'`, `\'`, "\n", `\n`)

// shortest returns the shortest text of exactly this number.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// double returns a number that is not taken for a decimal or a whole one.
func double(v float64) string {
	text := shortest(v)
	if strings.Contains(text, "e") {
		return text
	}
	return text + "e0"
}

// normal returns a number for databases that read no number below 2^-1022: a multiple of it.
func normal(v float64) string {
	if math.Abs(v) >= 0x1p-1022 || v == 0 {
		return double(v)
	}
	return "(" + double(v*0x1p200) + " * " + double(0x1p-200) + ")"
}

// Float returns a value as a number in double precision.
func (d Dialect) Float(value string) string { return strings.Replace(d.toFloat, "%", value, 1) }

// Text returns a value as a text.
func (d Dialect) Text(value string) string { return strings.Replace(d.toText, "%", value, 1) }
