package clickhouse

import (
	"slices"
	"strings"

	"github.com/sqlcluster/sqlcluster/sql/engine"
)

// A valueType is a type of ClickHouse, as far as cells differ.
type valueType struct {
	name     string // without what is around it, and without its arguments: Decimal
	nullable bool
	array    bool // of the named one
}

// parseType reads the name of a type: Array(LowCardinality(Nullable(String))).
func parseType(text string) valueType {
	var t valueType
	for {
		name, arguments, called := strings.Cut(text, "(")
		arguments = strings.TrimSuffix(arguments, ")")
		switch {
		case called && name == "Nullable":
			t.nullable, text = true, arguments
		case called && name == "LowCardinality":
			text = arguments
		case called && name == "SimpleAggregateFunction":
			_, of, _ := strings.Cut(arguments, ",")
			text = strings.TrimSpace(of)
		case called && name == "Array" && !t.array:
			t.array, text = true, arguments
		default:
			t.name = name
			return t
		}
	}
}

var (
	integers = []string{"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"}
	floats   = []string{"Float32", "Float64", "BFloat16"}
	wide     = []string{"Int128", "Int256", "UInt128", "UInt256", "Decimal", "Decimal32", "Decimal64", "Decimal128", "Decimal256"}
	labels   = []string{"String", "FixedString", "Enum", "Enum8", "Enum16", "Bool", "Date", "Date32", "DateTime", "DateTime64", "Time",
		"Time64", "UUID", "IPv4", "IPv6"}
)

// kind returns what values of the type are.
func (t valueType) kind() engine.Kind {
	switch {
	case t.array:
		return engine.Other
	case slices.Contains(integers, t.name), slices.Contains(floats, t.name), slices.Contains(wide, t.name):
		return engine.Number
	case slices.Contains(labels, t.name):
		return engine.Label
	}
	return engine.Other
}
