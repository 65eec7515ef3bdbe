package duck

/*
#include <stdlib.h>
#include "table.h"
*/
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// A Listed is a table function of few rows.
type Listed struct {
	Name      string
	Arguments int // texts; NULL is the empty one
	Columns   []ListedColumn

	// Rows returns the rows, as values of the types of their columns: string, or bool.
	// The empty text and nil are NULL.
	Rows func(arguments []string) ([][]any, error)
}

// A ListedColumn is a column of a Listed: of texts, or of BOOLEANs.
type ListedColumn struct {
	Name    string
	Boolean bool
}

// RegisterListed adds a table function to the database, as Register does aggregates.
func (db *DB) RegisterListed(l Listed) error {
	return db.locked(context.Background(), func() error {
		f := mapping.CreateTableFunction()
		defer mapping.DestroyTableFunction(&f)
		mapping.TableFunctionSetName(f, l.Name)
		text := mapping.CreateLogicalType(mapping.TypeVarchar)
		defer mapping.DestroyLogicalType(&text)
		for range l.Arguments {
			mapping.TableFunctionAddParameter(f, text)
		}
		mapping.TableFunctionSetExtraInfo(f, newHandle(&l), C.sqlcluster_forget)
		mapping.TableFunctionSetBind(f, C.sqlcluster_listed_bind)
		mapping.TableFunctionSetInit(f, C.sqlcluster_listed_init)
		mapping.TableFunctionSetFunction(f, C.sqlcluster_listed_next)
		if mapping.RegisterTableFunction(db.conn, f) == mapping.StateError {
			return fmt.Errorf("DuckDB does not take the table function %s", l.Name)
		}
		return nil
	})
}

// A listing is the rows of one call of a Listed.
type listing struct {
	columns []ListedColumn
	rows    [][]any
}

//export sqlclusterListedBind
func sqlclusterListedBind(pointer unsafe.Pointer) {
	info := mapping.BindInfo{Ptr: pointer}
	defer answered(func(message string) { mapping.BindSetError(info, message) })
	l, _ := handleAt(mapping.BindGetExtraInfo(info)).Value().(*Listed)
	arguments := make([]string, l.Arguments)
	for i := range arguments {
		value := mapping.BindGetParameter(info, mapping.IdxT(i))
		if !mapping.IsNullValue(value) { // the text of a NULL would end the program
			arguments[i] = mapping.GetVarchar(value)
		}
		mapping.DestroyValue(&value)
	}
	rows, err := l.Rows(arguments)
	if err != nil {
		mapping.BindSetError(info, err.Error())
		return
	}
	for _, c := range l.Columns {
		id := mapping.TypeVarchar
		if c.Boolean {
			id = mapping.TypeBoolean
		}
		t := mapping.CreateLogicalType(id)
		mapping.BindAddResultColumn(info, c.Name, t)
		mapping.DestroyLogicalType(&t)
	}
	mapping.BindSetCardinality(info, mapping.IdxT(len(rows)), true)
	mapping.BindSetBindData(info, newHandle(&listing{l.Columns, rows}), C.sqlcluster_forget)
}

// listedScan is where a statement is in a listing, in memory of C.
type listedScan struct {
	of   unsafe.Pointer // the listing; it lives as long as the statement
	next int64
}

//export sqlclusterListedInit
func sqlclusterListedInit(pointer unsafe.Pointer) {
	info := mapping.InitInfo{Ptr: pointer}
	defer answered(func(message string) { mapping.InitSetError(info, message) })
	scan := (*listedScan)(C.malloc(C.size_t(unsafe.Sizeof(listedScan{}))))
	scan.of, scan.next = mapping.InitGetBindData(info), 0
	mapping.InitSetInitData(info, unsafe.Pointer(scan), C.free)
}

//export sqlclusterListedNext
func sqlclusterListedNext(pointer, output unsafe.Pointer) {
	info, to := mapping.FunctionInfo{Ptr: pointer}, mapping.DataChunk{Ptr: output}
	defer answered(func(message string) { mapping.FunctionSetError(info, message) })
	scan := (*listedScan)(mapping.FunctionGetInitData(info))
	l, _ := handleAt(scan.of).Value().(*listing)
	rows := l.rows[scan.next:]
	rows = rows[:min(len(rows), ChunkRows)]
	for c, column := range l.columns {
		cells := Texts(func(i int) string { s, _ := rows[i][c].(string); return s })
		if column.Boolean {
			cells = Fixed(func(i int) (bool, bool) { b, ok := rows[i][c].(bool); return b, ok })
		}
		cells(targetAt(mapping.DataChunkGetVector(to, mapping.IdxT(c)), 0, len(rows)), 0, len(rows))
	}
	scan.next += int64(len(rows))
	mapping.DataChunkSetSize(to, mapping.IdxT(len(rows)))
}
