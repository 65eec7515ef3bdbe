package duck

/*
#include <stdlib.h>
#include "table.h"
*/
import "C"

import (
	"context"
	"fmt"
	"runtime/cgo"
	"unsafe"

	"github.com/duckdb/duckdb-go/v2/mapping"
)

// A Scalar is a scalar function. DuckDB calls it from several threads at once, with
// NULLs too.
type Scalar struct {
	Name      string
	Overloads []Overload
	Volatile  bool                                 // each call counts: none is left out, or made when the statement is planned
	Call      func(args Chunk, out Returned) error // sets the value of each row
}

// RegisterScalar adds a scalar function to the database, as Register does aggregates.
func (db *DB) RegisterScalar(s Scalar) error {
	return db.locked(context.Background(), func() error {
		set := mapping.CreateScalarFunctionSet(s.Name)
		defer mapping.DestroyScalarFunctionSet(&set)
		for _, o := range s.Overloads {
			if err := db.addScalar(set, o, &s); err != nil {
				return err
			}
		}
		if mapping.RegisterScalarFunctionSet(db.conn, set) == mapping.StateError {
			return fmt.Errorf("DuckDB does not take the function %s", s.Name)
		}
		return nil
	})
}

func (db *DB) addScalar(set mapping.ScalarFunctionSet, o Overload, s *Scalar) error {
	f := mapping.CreateScalarFunction()
	defer mapping.DestroyScalarFunction(&f)
	mapping.ScalarFunctionSetName(f, s.Name)
	mapping.ScalarFunctionSetSpecialHandling(f)
	if s.Volatile {
		mapping.ScalarFunctionSetVolatile(f)
	}
	for _, text := range o.Parameters {
		t, err := db.typeOf(text)
		if err != nil {
			return err
		}
		mapping.ScalarFunctionAddParameter(f, t)
		mapping.DestroyLogicalType(&t)
	}
	t, err := db.typeOf(o.Returns)
	if err != nil {
		return err
	}
	defer mapping.DestroyLogicalType(&t)
	mapping.ScalarFunctionSetReturnType(f, t)
	mapping.ScalarFunctionSetExtraInfo(f, newHandle(s), C.sqlcluster_forget)
	mapping.ScalarFunctionSetFunction(f, C.sqlcluster_scalar)
	if mapping.AddScalarFunctionToSet(set, f) == mapping.StateError {
		return fmt.Errorf("DuckDB does not take a function of %v", o.Parameters)
	}
	return nil
}

//export sqlclusterScalar
func sqlclusterScalar(pointer, input, output unsafe.Pointer) {
	info := mapping.FunctionInfo{Ptr: pointer}
	fail := func(message string) { mapping.ScalarFunctionSetError(info, message) }
	defer answered(fail)
	s, _ := handleAt(mapping.ScalarFunctionGetExtraInfo(info)).Value().(*Scalar)
	args := Chunk{data: mapping.DataChunk{Ptr: input}}
	args.Rows = int(mapping.DataChunkGetSize(args.data))
	if err := s.Call(args, Returned{mapping.Vector{Ptr: output}, 0}); err != nil {
		fail(err.Error())
	}
}

//export sqlclusterForget
func sqlclusterForget(pointer unsafe.Pointer) {
	defer func() { _ = recover() }() // DuckDB expects no answer
	h := handleAt(pointer)
	C.free(pointer)
	of := h.Value()
	h.Delete()
	if of, tells := of.(interface{ forgotten() }); tells {
		of.forgotten()
	}
}

// newHandle returns memory of C with a handle in it, which handleAt reads.
func newHandle(of any) unsafe.Pointer {
	at := C.malloc(8)
	*(*uint64)(at) = uint64(cgo.NewHandle(of))
	return at
}

func handleAt(pointer unsafe.Pointer) cgo.Handle { return cgo.Handle(*(*uint64)(pointer)) }
