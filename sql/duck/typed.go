package duck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"

	"github.com/sqlcluster/sqlcluster/sql/duck/internal/kind"
	"github.com/sqlcluster/sqlcluster/sql/input"
	"github.com/sqlcluster/sqlcluster/sql/schema"
)

// A Named is a field of a vector of structs.
type Named struct {
	Name string
	Vector
}

// Fields returns the fields of a vector of structs, of which n entries are seen; nil
// for a vector of another type.
func (v Vector) Fields(n int) []Named {
	t := mapping.VectorGetColumnType(v.handle)
	defer mapping.DestroyLogicalType(&t)
	if mapping.GetTypeId(t) != mapping.TypeStruct {
		return nil
	}
	all := make([]Named, mapping.StructTypeChildCount(t))
	for i := range all {
		at := mapping.IdxT(i)
		all[i] = Named{mapping.StructTypeChildName(t, at), vectorOf(mapping.StructVectorGetChild(v.handle, at), n)}
	}
	return all
}

// Entries returns the entries of list i of a vector of lists, as entries from…to−1 of
// a vector; ok is false for a vector of another type, and for NULL.
func (v Vector) Entries(i int) (entries Vector, from, to int, ok bool) {
	t := mapping.VectorGetColumnType(v.handle)
	defer mapping.DestroyLogicalType(&t)
	if mapping.GetTypeId(t) != mapping.TypeList || v.Null(i) {
		return v, 0, 0, false
	}
	span := (*[2]uint64)(unsafe.Add(v.data, i*16))
	child := mapping.ListVectorGetChild(v.handle)
	return vectorOf(child, int(mapping.ListVectorGetSize(v.handle))), int(span[0]), int(span[0] + span[1]), true
}

// Any returns entry i of a vector: nil, bool, int64, uint64, float64, json.Number for
// decimals and integers of 128 bits, []any for a list, a map for a struct, and for
// all else the text that DuckDB shows. An error is a type that nothing is known of.
func (v Vector) Any(i int) (any, error) {
	if v.Null(i) {
		return nil, nil
	}
	if entries, from, to, ok := v.Entries(i); ok {
		all := make([]any, 0, to-from)
		for ; from < to; from++ {
			x, err := entries.Any(from)
			if err != nil {
				return nil, err
			}
			all = append(all, x)
		}
		return all, nil
	}
	if fields := v.Fields(i + 1); fields != nil {
		all := make(map[string]any, len(fields))
		for _, f := range fields {
			x, err := f.Any(i)
			if err != nil {
				return nil, err
			}
			all[f.Name] = x
		}
		return all, nil
	}
	k, known := v.Kind()
	if !known {
		return nil, fmt.Errorf("a value of type %s cannot be read", v.Type())
	}
	one := &Keys{kind: k}
	one.Add(v, i)
	x := one.Value(0)
	switch k.ID {
	case mapping.TypeDecimal, mapping.TypeHugeInt, mapping.TypeUHugeInt:
		return json.Number(x.(string)), nil
	}
	return x, nil
}

// Same reports whether the first n entries are plainly one value: the very same bytes,
// which they are where DuckDB has repeated a constant.
func (v Vector) Same(n int) bool {
	if v.valid != nil {
		for i := range n {
			if v.Null(i) != v.Null(0) {
				return false
			}
		}
		if n > 0 && v.Null(0) {
			return true
		}
	}
	if fields := v.Fields(n); fields != nil {
		return !slices.ContainsFunc(fields, func(f Named) bool { return !f.Same(n) })
	}
	width := 16 // of a list
	if k, known := v.Kind(); known {
		width = k.Width()
	}
	bytes := unsafe.Slice((*byte)(v.data), n*width)
	return n < 2 || string(bytes[width:]) == string(bytes[:len(bytes)-width])
}

// Type returns the SQL of the type of a vector.
func (v Vector) Type() string {
	t := mapping.VectorGetColumnType(v.handle)
	defer mapping.DestroyLogicalType(&t)
	return typeSQL(t)
}

var plainTypes = map[mapping.Type]string{
	mapping.TypeBoolean: "BOOLEAN", mapping.TypeTinyInt: "TINYINT", mapping.TypeSmallInt: "SMALLINT", mapping.TypeInteger: "INTEGER",
	mapping.TypeBigInt: "BIGINT", mapping.TypeUTinyInt: "UTINYINT", mapping.TypeUSmallInt: "USMALLINT", mapping.TypeUInteger: "UINTEGER",
	mapping.TypeUBigInt: "UBIGINT", mapping.TypeFloat: "FLOAT", mapping.TypeDouble: "DOUBLE", mapping.TypeHugeInt: "HUGEINT",
	mapping.TypeUHugeInt: "UHUGEINT", mapping.TypeVarchar: "VARCHAR", mapping.TypeBlob: "BLOB", mapping.TypeUUID: "UUID",
	mapping.TypeDate: "DATE", mapping.TypeTime: "TIME", mapping.TypeTimeNS: "TIME_NS", mapping.TypeTimeTZ: "TIMETZ",
	mapping.TypeTimestamp: "TIMESTAMP", mapping.TypeTimestampS: "TIMESTAMP_S", mapping.TypeTimestampMS: "TIMESTAMP_MS",
	mapping.TypeTimestampNS: "TIMESTAMP_NS", mapping.TypeTimestampTZ: "TIMESTAMPTZ", mapping.TypeInterval: "INTERVAL",
	mapping.TypeBit: "BIT", mapping.TypeBigNum: "BIGNUM", mapping.TypeSQLNull: `"NULL"`, mapping.TypeGeometry: "GEOMETRY",
	mapping.TypeVariant: "VARIANT",
}

// typeSQL writes a type as SQL.
func typeSQL(t mapping.LogicalType) string {
	id := mapping.GetTypeId(t)
	if text, ok := plainTypes[id]; ok {
		return text
	}
	of := func(child mapping.LogicalType, around func(text string) string) string {
		defer mapping.DestroyLogicalType(&child)
		return around(typeSQL(child))
	}
	members := func(kind string, n mapping.IdxT, name func(mapping.LogicalType, mapping.IdxT) string,
		child func(mapping.LogicalType, mapping.IdxT) mapping.LogicalType) string {
		all := make([]string, n)
		for i := range all {
			at := mapping.IdxT(i)
			all[i] = of(child(t, at), func(text string) string { return schema.Quote(name(t, at)) + " " + text })
		}
		return kind + "(" + strings.Join(all, ", ") + ")"
	}
	switch id {
	case mapping.TypeDecimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", mapping.DecimalWidth(t), mapping.DecimalScale(t))
	case mapping.TypeEnum:
		k, _ := kind.Of(t)
		return "ENUM(" + strings.Join(input.NamesOf(k.Words, schema.Text), ", ") + ")"
	case mapping.TypeList:
		return of(mapping.ListTypeChildType(t), func(text string) string { return text + "[]" })
	case mapping.TypeArray:
		return of(mapping.ArrayTypeChildType(t), func(text string) string { return fmt.Sprintf("%s[%d]", text, mapping.ArrayTypeArraySize(t)) })
	case mapping.TypeMap:
		return of(mapping.MapTypeKeyType(t), func(key string) string {
			return of(mapping.MapTypeValueType(t), func(value string) string { return "MAP(" + key + ", " + value + ")" })
		})
	case mapping.TypeStruct:
		return members("STRUCT", mapping.StructTypeChildCount(t), mapping.StructTypeChildName, mapping.StructTypeChildType)
	case mapping.TypeUnion:
		return members("UNION", mapping.UnionTypeMemberCount(t), mapping.UnionTypeMemberName, mapping.UnionTypeMemberType)
	}
	return fmt.Sprintf("type %d", id)
}
