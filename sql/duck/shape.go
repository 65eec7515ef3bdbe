//go:build !duckdb_extension

package duck

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/sqlcluster/sqlcluster/framework"
	"github.com/sqlcluster/sqlcluster/sql/duck/internal/kind"
)

// A shape is the columns of a statement, and how they become the values of a Result.
type shape struct {
	names   []string
	types   []mapping.Type
	casts   bool  // DuckDB has to make texts of some columns
	lacking error // that some cannot be shown if it does not
}

func shapeOf(statement mapping.PreparedStatement) *shape {
	s := &shape{}
	for i := range mapping.PreparedStatementColumnCount(statement) {
		name := mapping.PreparedStatementColumnName(statement, i)
		typ := mapping.PreparedStatementColumnLogicalType(statement, i)
		k, known := kind.Of(typ)
		mapping.DestroyLogicalType(&typ)
		if !known && s.lacking == nil {
			s.lacking = framework.Faultf(framework.Data, "column-not-shown",
				"column %q has a type that only a SELECT can show", name).
				WithHint("make a text of it: CAST(… AS VARCHAR)")
		}
		s.names, s.types = append(s.names, name), append(s.types, k.ID)
		s.casts = s.casts || !plainly(k.ID)
	}
	return s
}

// plainly reports whether the values of a type are shown without DuckDB's help. That
// of others depends on settings and on the version of DuckDB: time zones, eras, the
// digits of a FLOAT, quotes within lists.
func plainly(t mapping.Type) bool {
	switch t {
	case mapping.TypeBoolean, mapping.TypeTinyInt, mapping.TypeSmallInt, mapping.TypeInteger, mapping.TypeBigInt,
		mapping.TypeUTinyInt, mapping.TypeUSmallInt, mapping.TypeUInteger, mapping.TypeUBigInt,
		mapping.TypeDouble, mapping.TypeDecimal, mapping.TypeHugeInt, mapping.TypeUHugeInt,
		mapping.TypeVarchar, mapping.TypeBlob, mapping.TypeEnum, mapping.TypeUUID:
		return true
	}
	return false
}

// cast returns a SELECT that makes texts of the columns that are not shown plainly.
func (s *shape) cast(text string, what mapping.StatementType) string {
	if what == mapping.StatementTypeCall && len(text) > 4 {
		text = "FROM" + text[4:]
	}
	columns, names := make([]string, len(s.types)), make([]string, len(s.types))
	for i, t := range s.types {
		names[i] = fmt.Sprintf("c%d", i+1)
		columns[i] = names[i]
		if !plainly(t) {
			columns[i] = "CAST(" + names[i] + " AS VARCHAR)"
		}
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM (\n" + text + "\n) AS r(" + strings.Join(names, ", ") + ")"
}

// rows returns what hands over the rows of a chunk.
func (s *shape) rows(use func(row []any) error) func(Chunk) error {
	return func(c Chunk) error {
		return c.Each(func(row []any) error {
			for j := range row {
				row[j] = number(s.types[j], row[j])
			}
			return use(row)
		})
	}
}

// number returns a value of a type of numbers as one, and others as they are.
func number(t mapping.Type, v any) any {
	switch v := v.(type) {
	case float64:
		bits := 64
		if t == mapping.TypeFloat {
			bits = 32
		}
		return json.Number(floatText(v, bits))
	case string:
		switch t {
		case mapping.TypeFloat, mapping.TypeDecimal, mapping.TypeHugeInt, mapping.TypeUHugeInt, mapping.TypeBigNum:
			return json.Number(v)
		}
	}
	return v
}

// floatText writes a DOUBLE or FLOAT as DuckDB does: 1.0, 1e+16, 1e-05.
func floatText(x float64, bits int) string {
	switch {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64), "+"))
	}
	text := strconv.FormatFloat(x, 'e', -1, bits)
	exponent, _ := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	if exponent < -4 || exponent > 15 {
		return text
	}
	if text = strconv.FormatFloat(x, 'f', -1, bits); !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}
