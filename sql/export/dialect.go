package export

import (
	"fmt"
	"maps"
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

// Dialects lists them.
func Dialects() []string { return slices.Sorted(maps.Keys(dialects)) }

// A dialect is how a database writes what all of them have.
type dialect struct {
	name            string
	quote           func(name string) string
	literal         func(text string) string
	number          func(v float64) string
	toFloat, toText string // around a value
	mostArguments   int    // of a function; 0: as many as you like
	mostColumns     int    // of a table, or a list of VALUES; 0: as many as you like
}

var dialects = map[string]dialect{
	DuckDB: {name: "DuckDB", quote: schema.Quote, literal: schema.Text, number: double,
		toFloat: "CAST(% AS DOUBLE)", toText: "CAST(% AS VARCHAR)"},
	PostgreSQL: {name: "PostgreSQL", quote: schema.Quote, literal: schema.Text, number: shortest,
		toFloat: "CAST(% AS double precision)", toText: "CAST(% AS text)", mostArguments: 100, mostColumns: 1600},
	ClickHouse: {name: "ClickHouse", quote: func(name string) string { return "`" + escape.Replace(name) + "`" },
		literal: func(text string) string { return "'" + escape.Replace(text) + "'" }, number: double,
		toFloat: "toFloat64(%)", toText: "toString(%)"},
}

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

// cast returns a cell as a number, or as the text of a category. ref is the text of
// its column.
func (d dialect) cast(c *column, ref string) string {
	if c.element > 0 {
		ref = fmt.Sprintf("(%s)[%d]", ref, c.element)
	}
	as := d.toFloat
	if c.categorical {
		as = d.toText
	}
	return strings.Replace(as, "%", ref, 1)
}
