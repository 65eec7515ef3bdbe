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

// Tokens is a table function without arguments, of one row: a number that tells one run
// of a statement. DuckDB frees what a function keeps of a run when the statement has
// ended, however it did, and nothing else tells that.
type Tokens struct {
	Name  string
	Begin func() int64
	End   func(token int64)
	Gone  func() // the database is closed, or never took the function
}

// forgotten is called by sqlclusterForget.
func (t *Tokens) forgotten() { t.Gone() }

// RegisterTokens adds the function to the database, as Register does aggregates.
func (db *DB) RegisterTokens(t Tokens) error {
	return db.locked(context.Background(), func() error {
		f := mapping.CreateTableFunction()
		defer mapping.DestroyTableFunction(&f)
		mapping.TableFunctionSetName(f, t.Name)
		mapping.TableFunctionSetExtraInfo(f, newHandle(&t), C.sqlcluster_forget)
		mapping.TableFunctionSetBind(f, C.sqlcluster_token_bind)
		mapping.TableFunctionSetInit(f, C.sqlcluster_token_init)
		mapping.TableFunctionSetFunction(f, C.sqlcluster_token_next)
		if mapping.RegisterTableFunction(db.conn, f) == mapping.StateError {
			return fmt.Errorf("DuckDB does not take the table function %s", t.Name)
		}
		return nil
	})
}

// tokenRun is a run of a statement, in memory of C.
type tokenRun struct {
	of    unsafe.Pointer // the Tokens; they live as long as the database
	token int64
	given int64 // 1: its row was made
}

//export sqlclusterTokenBind
func sqlclusterTokenBind(pointer unsafe.Pointer) {
	info := mapping.BindInfo{Ptr: pointer}
	defer answered(func(message string) { mapping.BindSetError(info, message) })
	t := mapping.CreateLogicalType(mapping.TypeBigInt)
	defer mapping.DestroyLogicalType(&t)
	mapping.BindAddResultColumn(info, "token", t)
	mapping.BindSetCardinality(info, 1, true)
}

//export sqlclusterTokenInit
func sqlclusterTokenInit(pointer unsafe.Pointer) {
	info := mapping.InitInfo{Ptr: pointer}
	defer answered(func(message string) { mapping.InitSetError(info, message) })
	of := mapping.InitGetExtraInfo(info)
	t, _ := handleAt(of).Value().(*Tokens)
	token := t.Begin()
	run := (*tokenRun)(C.malloc(C.size_t(unsafe.Sizeof(tokenRun{}))))
	run.of, run.token, run.given = of, token, 0
	mapping.InitSetInitData(info, unsafe.Pointer(run), C.sqlcluster_token_end)
}

//export sqlclusterTokenNext
func sqlclusterTokenNext(pointer, output unsafe.Pointer) {
	info := mapping.FunctionInfo{Ptr: pointer}
	defer answered(func(message string) { mapping.FunctionSetError(info, message) })
	run := (*tokenRun)(mapping.FunctionGetInitData(info))
	if run.given != 0 {
		return
	}
	run.given = 1
	to := mapping.DataChunk{Ptr: output}
	Bigints(func(int) int { return int(run.token) })(targetAt(mapping.DataChunkGetVector(to, 0), 0, 1), 0, 1)
	mapping.DataChunkSetSize(to, 1)
}

//export sqlclusterTokenEnd
func sqlclusterTokenEnd(pointer unsafe.Pointer) {
	defer func() { _ = recover() }() // DuckDB expects no answer
	run := (*tokenRun)(pointer)
	t, _ := handleAt(run.of).Value().(*Tokens)
	t.End(run.token)
}
