package duck

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"

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
	t := bindings.VectorGetColumnType(v.handle)
	defer bindings.DestroyLogicalType(&t)
	if bindings.GetTypeId(t) != bindings.TypeStruct {
		return nil
	}
	all := make([]Named, bindings.StructTypeChildCount(t))
	for i := range all {
		at := bindings.IdxT(i)
		all[i] = Named{bindings.StructTypeChildName(t, at), vectorOf(bindings.StructVectorGetChild(v.handle, at), n)}
	}
	return all
}

// Entries returns the entries of list i of a vector of lists, as entries from…to−1 of
// a vector; ok is false for a vector of another type, and for NULL.
func (v Vector) Entries(i int) (entries Vector, from, to int, ok bool) {
	t := bindings.VectorGetColumnType(v.handle)
	defer bindings.DestroyLogicalType(&t)
	if bindings.GetTypeId(t) != bindings.TypeList || v.Null(i) {
		return v, 0, 0, false
	}
	span := (*[2]uint64)(unsafe.Add(v.data, i*16))
	child := bindings.ListVectorGetChild(v.handle)
	return vectorOf(child, int(bindings.ListVectorGetSize(v.handle))), int(span[0]), int(span[0] + span[1]), true
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
	switch k.id {
	case bindings.TypeDecimal, bindings.TypeHugeInt, bindings.TypeUHugeInt:
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
		width = k.width()
	}
	bytes := unsafe.Slice((*byte)(v.data), n*width)
	return n < 2 || string(bytes[width:]) == string(bytes[:len(bytes)-width])
}

// Type returns the SQL of the type of a vector.
func (v Vector) Type() string {
	t := bindings.VectorGetColumnType(v.handle)
	defer bindings.DestroyLogicalType(&t)
	return typeSQL(t)
}

var plainTypes = map[bindings.Type]string{
	bindings.TypeBoolean: "BOOLEAN", bindings.TypeTinyInt: "TINYINT", bindings.TypeSmallInt: "SMALLINT", bindings.TypeInteger: "INTEGER",
	bindings.TypeBigInt: "BIGINT", bindings.TypeUTinyInt: "UTINYINT", bindings.TypeUSmallInt: "USMALLINT", bindings.TypeUInteger: "UINTEGER",
	bindings.TypeUBigInt: "UBIGINT", bindings.TypeFloat: "FLOAT", bindings.TypeDouble: "DOUBLE", bindings.TypeHugeInt: "HUGEINT",
	bindings.TypeUHugeInt: "UHUGEINT", bindings.TypeVarchar: "VARCHAR", bindings.TypeBlob: "BLOB", bindings.TypeUUID: "UUID",
	bindings.TypeDate: "DATE", bindings.TypeTime: "TIME", bindings.TypeTimeNS: "TIME_NS", bindings.TypeTimeTZ: "TIMETZ",
	bindings.TypeTimestamp: "TIMESTAMP", bindings.TypeTimestampS: "TIMESTAMP_S", bindings.TypeTimestampMS: "TIMESTAMP_MS",
	bindings.TypeTimestampNS: "TIMESTAMP_NS", bindings.TypeTimestampTZ: "TIMESTAMPTZ", bindings.TypeInterval: "INTERVAL",
	bindings.TypeBit: "BIT", bindings.TypeBigNum: "BIGNUM", bindings.TypeSQLNull: `"NULL"`, bindings.TypeGeometry: "GEOMETRY",
	bindings.TypeVariant: "VARIANT",
}

// typeSQL writes a type as SQL.
func typeSQL(t bindings.LogicalType) string {
	id := bindings.GetTypeId(t)
	if text, ok := plainTypes[id]; ok {
		return text
	}
	of := func(child bindings.LogicalType, around func(text string) string) string {
		defer bindings.DestroyLogicalType(&child)
		return around(typeSQL(child))
	}
	members := func(kind string, n bindings.IdxT, name func(bindings.LogicalType, bindings.IdxT) string,
		child func(bindings.LogicalType, bindings.IdxT) bindings.LogicalType) string {
		all := make([]string, n)
		for i := range all {
			at := bindings.IdxT(i)
			all[i] = of(child(t, at), func(text string) string { return schema.Quote(name(t, at)) + " " + text })
		}
		return kind + "(" + strings.Join(all, ", ") + ")"
	}
	switch id {
	case bindings.TypeDecimal:
		return fmt.Sprintf("DECIMAL(%d,%d)", bindings.DecimalWidth(t), bindings.DecimalScale(t))
	case bindings.TypeEnum:
		k, _ := kindOf(t)
		return "ENUM(" + strings.Join(input.NamesOf(k.Words, schema.Text), ", ") + ")"
	case bindings.TypeList:
		return of(bindings.ListTypeChildType(t), func(text string) string { return text + "[]" })
	case bindings.TypeArray:
		return of(bindings.ArrayTypeChildType(t), func(text string) string { return fmt.Sprintf("%s[%d]", text, bindings.ArrayTypeArraySize(t)) })
	case bindings.TypeMap:
		return of(bindings.MapTypeKeyType(t), func(key string) string {
			return of(bindings.MapTypeValueType(t), func(value string) string { return "MAP(" + key + ", " + value + ")" })
		})
	case bindings.TypeStruct:
		return members("STRUCT", bindings.StructTypeChildCount(t), bindings.StructTypeChildName, bindings.StructTypeChildType)
	case bindings.TypeUnion:
		return members("UNION", bindings.UnionTypeMemberCount(t), bindings.UnionTypeMemberName, bindings.UnionTypeMemberType)
	}
	return fmt.Sprintf("type %d", id)
}
