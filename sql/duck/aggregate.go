package duck

/*
#include <stdlib.h>
#include "aggregate.h"
*/
import "C"

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// An Aggregate is an aggregate function. DuckDB calls it from several threads at
// once. A group is a number that Update chooses when the group is 0, and that stays
// with the group: rows of one group may have several, which Combine tells are one.
type Aggregate struct {
	Name      string
	Overloads []Overload

	Update  func(args Chunk, groups []*int64) error  // a row of args for each entry of groups
	Combine func(from, into []*int64)                // entry by entry; it sets those that it came from to 0
	Finish  func(groups []int64, out Returned) error // sets the value of each group
	Destroy func(group int64)                        // DuckDB has no use any more for a number that is not 0; nil: so what
}

// An Overload is the types of the arguments and of the value, as SQL. ANY is a type
// of arguments.
type Overload struct {
	Parameters []string
	Returns    string
}

// Register adds an aggregate function to the database, for all connections and as
// long as one is open. DuckDB says an error of a function after a prefix of its own.
func (db *DB) Register(a Aggregate) error {
	return db.locked(context.Background(), func() error {
		name := C.CString(a.Name)
		defer C.free(unsafe.Pointer(name))
		set := C.duckdb_create_aggregate_function_set(name)
		defer destroySet(set)
		for _, o := range a.Overloads {
			if err := db.addOverload(set, name, o, &a); err != nil {
				return err
			}
		}
		if C.duckdb_register_aggregate_function_set(db.conn.Ptr, set) != 0 {
			return fmt.Errorf("DuckDB does not take the function %s", a.Name)
		}
		return nil
	})
}

func destroySet(set unsafe.Pointer) { C.duckdb_destroy_aggregate_function_set(&set) } //nolint:gocritic // of what cgo makes of it

func (db *DB) addOverload(set unsafe.Pointer, name *C.char, o Overload, a *Aggregate) error {
	parameters := (*[maxParameters]unsafe.Pointer)(C.malloc(C.size_t(maxParameters * unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(parameters))
	for i, text := range o.Parameters {
		t, err := db.typeOf(text)
		if err != nil {
			return err
		}
		defer mapping.DestroyLogicalType(&t)
		parameters[i] = t.Ptr
	}
	returns, err := db.typeOf(o.Returns)
	if err != nil {
		return err
	}
	defer mapping.DestroyLogicalType(&returns)
	n := C.idx_t(len(o.Parameters))
	if C.sqlcluster_add_aggregate(set, name, (*unsafe.Pointer)(unsafe.Pointer(parameters)), n, returns.Ptr, newHandle(a)) != 0 {
		return fmt.Errorf("DuckDB does not take an aggregate of %v", o.Parameters)
	}
	return nil
}

const maxParameters = 8

// typeOf returns the type that is written as SQL; it must be destroyed. The lock is
// held.
func (db *DB) typeOf(text string) (mapping.LogicalType, error) {
	if text == "ANY" {
		return mapping.CreateLogicalType(mapping.TypeAny), nil
	}
	var result mapping.Result
	defer mapping.DestroyResult(&result)
	if mapping.Query(db.conn, "SELECT CAST(NULL AS "+text+")", &result) == mapping.StateError {
		return mapping.LogicalType{}, Error(mapping.ResultError(&result))
	}
	return mapping.ColumnLogicalType(&result, 0), nil
}

// called runs a callback, and tells DuckDB how it failed. A panic ends the statement,
// not the program.
func called(info unsafe.Pointer, call func(a *Aggregate) error) {
	fail := func(message string) {
		text := C.CString(message)
		defer C.free(unsafe.Pointer(text))
		C.duckdb_aggregate_function_set_error(info, text)
	}
	defer answered(fail)
	a, _ := handleAt(C.duckdb_aggregate_function_get_extra_info(info)).Value().(*Aggregate)
	if err := call(a); err != nil {
		fail(err.Error())
	}
}

//export sqlclusterUpdate
func sqlclusterUpdate(info, input unsafe.Pointer, states *unsafe.Pointer) {
	called(info, func(a *Aggregate) error {
		c := Chunk{data: mapping.DataChunk{Ptr: input}}
		if c.Rows = int(mapping.DataChunkGetSize(c.data)); c.Rows == 0 {
			return nil
		}
		return a.Update(c, groupsOf(states, c.Rows))
	})
}

//export sqlclusterCombine
func sqlclusterCombine(info unsafe.Pointer, from, into *unsafe.Pointer, n C.idx_t) {
	called(info, func(a *Aggregate) error {
		a.Combine(groupsOf(from, int(n)), groupsOf(into, int(n)))
		return nil
	})
}

//export sqlclusterDestroy
func sqlclusterDestroy(extra unsafe.Pointer, group C.int64_t) {
	defer func() { _ = recover() }() // DuckDB expects no answer
	if a, _ := handleAt(extra).Value().(*Aggregate); a.Destroy != nil {
		a.Destroy(int64(group))
	}
}

//export sqlclusterFinish
func sqlclusterFinish(info unsafe.Pointer, states *unsafe.Pointer, result unsafe.Pointer, n, at C.idx_t) {
	called(info, func(a *Aggregate) error {
		groups := make([]int64, n)
		for i, g := range groupsOf(states, int(n)) {
			groups[i] = *g
		}
		return a.Finish(groups, Returned{mapping.Vector{Ptr: result}, int(at)})
	})
}

func groupsOf(states *unsafe.Pointer, n int) []*int64 {
	return unsafe.Slice((**int64)(unsafe.Pointer(states)), n)
}
