//go:build engines

package clickhouse

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sqlcluster/sqlcluster/internal/must"
	"github.com/sqlcluster/sqlcluster/sql/dialect"
	"github.com/sqlcluster/sqlcluster/sql/duck"
	"github.com/sqlcluster/sqlcluster/sql/engine"
	"github.com/sqlcluster/sqlcluster/sql/engine/clickhouse/internal/clickhousetest"
	"github.com/sqlcluster/sqlcluster/sql/engine/duckdb"
	"github.com/sqlcluster/sqlcluster/sql/engine/internal/enginetest"
)

// A loader has the relations of cases as tables: of one server, or of several, where each has
// some of the rows and the table is a Distributed one.
type loader struct {
	servers []*clickhousetest.Server
	e       *Engine
	have    map[string]bool
}

func newLoader(t *testing.T, servers ...*clickhousetest.Server) *loader {
	t.Helper()
	return &loader{servers: servers, e: opened(t, servers[0].URL(""), time.Second), have: map[string]bool{}}
}

// open is an enginetest.Opener.
func (l *loader) open(t *testing.T, db *duck.DB, c enginetest.Case) (engine.Engine, string) {
	t.Helper()
	if !l.have[c.Name] {
		l.have[c.Name] = true
		l.load(t, db, c.Relation, c.Name)
	}
	if c.Where != "" {
		return l.e, "SELECT * FROM " + l.e.Dialect().Quote(c.Name) + " WHERE " + c.Where
	}
	return l.e, c.Name
}

// load copies a relation of DuckDB to a table. Numbers travel as their bits, since servers
// read the nearest number of a text in some formats only.
func (l *loader) load(t *testing.T, db *duck.DB, relation, table string) {
	t.Helper()
	from := duckdb.On(db)
	defer func() { _ = from.Close() }()
	r := must.Get(from.Resolve(t.Context(), relation))(t)
	read := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		read[i] = fmt.Sprintf("CAST(%s AS %s)", from.Dialect().Quote(c.Name), map[bool]string{true: "DOUBLE", false: "VARCHAR"}[isFloat(c)])
		if isInteger(c) {
			read[i] = fmt.Sprintf("CAST(%s AS BIGINT)", from.Dialect().Quote(c.Name))
		}
	}
	rows := must.Get(from.Query(t.Context(), "SELECT "+strings.Join(read, ", ")+" FROM "+r.From))(t)
	columns := make([]column, len(r.Columns))
	for i, c := range r.Columns {
		columns[i] = columnOf(c, i, rows)
	}
	d := l.e.Dialect()
	staged, part := d.Quote("staged "+table), d.Quote(table)
	if len(l.servers) > 1 {
		part = d.Quote("part of " + table)
	}
	shares := make([][]string, len(l.servers))
	for i, row := range rows {
		cells := make([]string, len(row))
		for at, v := range row {
			cells[at] = written(d, v)
		}
		shares[i%len(shares)] = append(shares[i%len(shares)], "("+strings.Join(cells, ", ")+")")
	}
	for i, s := range l.servers {
		s.Do("CREATE TABLE " + staged + " (" + listed(columns, d, column.staged) + ") ENGINE = Memory")
		s.Do("CREATE TABLE " + part + " (" + listed(columns, d, column.declared) + ") ENGINE = MergeTree ORDER BY tuple()")
		s.Do("INSERT INTO " + staged + " VALUES " + strings.Join(shares[i], ", "))
		s.Do("INSERT INTO " + part + " SELECT " + listed(columns, d, column.read) + " FROM " + staged)
		s.Do("DROP TABLE " + staged)
		if len(l.servers) > 1 {
			s.Do("CREATE TABLE " + d.Quote(table) + " AS " + part + " ENGINE = Distributed(" + clickhousetest.Cluster + ", default, " +
				d.Literal("part of "+table) + ")")
		}
	}
}

// A column is one of DuckDB, as it is here.
type column struct {
	name, typ string
	float     bool
	place     int
}

func columnOf(c engine.Column, at int, rows [][]any) column {
	to := column{name: c.Name, typ: "String", float: isFloat(c), place: at}
	switch {
	case to.float:
		to.typ = "Float64"
	case isInteger(c):
		to.typ = "Int64"
	case strings.HasPrefix(c.Type, "ENUM("):
		var values []string
		for i, v := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(c.Type, "ENUM("), ")"), ", ") {
			values = append(values, fmt.Sprintf("%s = %d", v, i+1))
		}
		to.typ = "Enum8(" + strings.Join(values, ", ") + ")"
	}
	for _, row := range rows {
		if row[at] == nil {
			to.typ = "Nullable(" + to.typ + ")"
			break
		}
	}
	return to
}

func isInteger(c engine.Column) bool { return c.Type == "BIGINT" || c.Type == "INTEGER" }

func isFloat(c engine.Column) bool { return c.Kind == engine.Number && !isInteger(c) }

func (c column) declared(d dialect.Dialect) string { return d.Quote(c.name) + " " + c.typ }

func (c column) staged(dialect.Dialect) string {
	typ := c.typ
	if c.float {
		typ = strings.Replace(typ, "Float64", "UInt64", 1)
	}
	return fmt.Sprintf("s%d %s", c.place, typ)
}

func (c column) read(d dialect.Dialect) string {
	name := fmt.Sprintf("s%d", c.place)
	switch {
	case c.float && strings.HasPrefix(c.typ, "Nullable"):
		return "if(isNull(" + name + "), NULL, reinterpretAsFloat64(reinterpretAsString(assumeNotNull(" + name + "))))"
	case c.float:
		return "reinterpretAsFloat64(reinterpretAsString(" + name + "))"
	}
	return name
}

func listed(columns []column, d dialect.Dialect, of func(column, dialect.Dialect) string) string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = of(c, d)
	}
	return strings.Join(list, ", ")
}

// written is a value as VALUES have it: numbers with a point are their bits.
func written(d dialect.Dialect, v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case float64:
		return fmt.Sprint(math.Float64bits(v))
	case string:
		return d.Literal(v)
	}
	return fmt.Sprint(v)
}
